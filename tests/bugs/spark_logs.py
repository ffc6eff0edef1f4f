#!/usr/bin/env python3
"""Spark's logs that are cut, lossy, old, or of runs with losses, are planned with a word of what is
missing; pipelined and barrier stages are planned as they run; compressed files are named."""
import gzip
import json
import os
import struct

import case


class Log:
    """Event lines; times in seconds since a moment of our own."""

    def __init__(self, cores=4):
        self.lines = []
        self.add('LogStart', **{'Spark Version': '4.3.0'})
        self.add('ExecutorAdded', **{'Executor ID': '1', 'Executor Info': {'Total Cores': cores}})
        self.add('ApplicationStart', **{'App Name': 'small', 'User': 'u'})

    def add(self, event, **members):
        self.lines.append({'Event': 'SparkListener' + event, **members})

    def info(self, stage, tasks, parents, attempt=0, barrier=False):
        info = {'Stage ID': stage, 'Stage Attempt ID': attempt, 'Number of Tasks': tasks,
                'RDD Info': [{'RDD ID': 1, 'Barrier': False}, {'RDD ID': 2, 'Barrier': barrier}]}
        if parents is not None:
            info['Parent IDs'] = parents
        return info

    def start(self, job, at, *infos):
        members = {'Job ID': job, 'Stage Infos': list(infos), 'Stage IDs': [i['Stage ID'] for i in infos]}
        if at is not None:
            members['Submission Time'] = ms(at)
        self.add('JobStart', **members)
        self.known = {i['Stage ID']: i for i in infos}

    def tasks(self, stage, *spans, reason='Success', attempt=0, first=0):
        """Tasks (from, to), and before them the stage's submission."""
        self.add('StageSubmitted', **{'Stage Info': {**self.known[stage], 'Stage Attempt ID': attempt}})
        for index, (begin, end) in enumerate(spans):
            self.add('TaskEnd', **{'Stage ID': stage, 'Stage Attempt ID': attempt,
                                   'Task End Reason': {'Reason': reason},
                                   'Task Info': {'Index': first + index, 'Launch Time': ms(begin),
                                                 'Finish Time': ms(end)}})

    def end(self, job, at, result='JobSucceeded', closes=True):
        self.add('JobEnd', **{'Job ID': job, 'Completion Time': ms(at), 'Job Result': {'Result': result}})
        if closes:
            self.add('ApplicationEnd', Timestamp=ms(at))

    def text(self):
        return ''.join(json.dumps(line) + '\n' for line in self.lines)


def ms(seconds):
    return 1000000 + round(1000 * seconds)


def run(log, *words):
    text = log if isinstance(log, str) else log.text()
    return case.bigrocks(*words, input=text)


def said(log, *texts, makespan=None, capacity='cpu=4', workload=True):
    """Plan, show and workload say so; the plan takes so long."""
    for command in ('plan', 'show', 'workload')[:3 if workload else 2]:
        done = run(log, command, '-', '--capacity', capacity)
        assert done.returncode == 0, (command, done.stderr)
        for text in texts:
            assert text in done.stderr, (command, text, done.stderr)
        if not texts:
            assert done.stderr == '', (command, done.stderr)
    done = run(log, 'plan', '-', '--capacity', capacity, '-q', '--format', 'json')
    assert makespan is None or json.loads(done.stdout)['makespan'] == makespan, done.stdout
    return run(log, 'convert', '-', '--format', 'dot').stdout


def edges(dot):
    return sorted(line.split('[')[0].split(';')[0].strip().replace('"', '').replace(' ', '')
                  for line in dot.splitlines() if '->' in line)


# A whole log says nothing.
whole = Log()
whole.start(0, 0, whole.info(0, 2, []), whole.info(1, 1, [0]))
whole.tasks(0, (0, 2), (0, 2))
whole.tasks(1, (2, 3))
whole.end(0, 3)
assert edges(said(whole, makespan=3)) == ['stage0->stage1']

# Cut before the end of its job; without the end of the application; tasks dropped.
cut = Log()
cut.start(0, 0, cut.info(0, 8, []))
cut.tasks(0, (0, 10), (0, 10), (0, 10))
MISSING = 'tasks of 1 stage are missing (the first: stage 0 said 8 tasks, and 3 ended with success)'
said(cut, MISSING, '1 of 1 jobs have no end (the first: job 0)', workload=False, makespan=10)
done = run(cut, 'workload', '-')
assert done.returncode == 3 and 'the workload has no job: left out 1 that still ran' in done.stderr, done
assert 'while they ran; take a record of whole jobs' in done.stderr, ('a word is cut', done)
cut.end(0, 11, closes=False)
said(cut, MISSING, "does not have the application's end", makespan=10)
cut.add('ApplicationEnd', Timestamp=ms(12))
said(cut, MISSING, makespan=10)

# Every attempt failed; the job failed.
failed = Log()
failed.start(0, 0, failed.info(0, 1, []), failed.info(1, 2, [0]))
failed.tasks(0, (0, 1))
failed.tasks(1, (1, 2.5), (1, 2), reason='ExceptionFailure')
failed.end(0, 3, result='JobFailed')
said(failed, '1 of 1 jobs failed (the first: job 0)', makespan=1)
said(failed, '1 stage without a task that succeeded count', 'stage 1 said 2 tasks, and 2 attempts failed',
     'left out 2 attempts at tasks that failed, were killed or came second (2.5 s)')

# Old logs: without parents, and without the job's submission. 2 runs beside 0, 1 behind both, 3 behind 1.
old = Log()
old.start(0, None, *(old.info(k, 1, None) for k in range(4)))
old.tasks(0, (5, 7))
old.tasks(2, (5, 8))
old.tasks(1, (8, 9))
old.tasks(3, (9, 9))
old.end(0, 9)
dot = said(old, "4 stages without 'Parent IDs'", '1 job without a submission time', makespan=4)
assert edges(dot) == ['stage0->stage1', 'stage1->stage3', 'stage2->stage1'], dot
done = run(old, 'simulate', '-', '--capacity', 'cpu=4', '--policy', 'fifo', '-f', 'csv', '-q')
assert done.returncode == 0, done

# A pipelined shuffle: 2 reads from 1 while that one writes, and waits for what that one waits for.
pipe = Log()
pipe.start(0, 0, pipe.info(0, 1, []), pipe.info(1, 2, [0]), pipe.info(2, 2, [1]), pipe.info(3, 1, [2]))
pipe.tasks(0, (0, 1))
pipe.tasks(1, (1, 9), (1, 9))
pipe.tasks(2, (2, 10), (2, 10))
pipe.tasks(3, (10, 11))
pipe.end(0, 11)
dot = said(pipe, '1 stage began before what it reads from had ended (the first: stage 2 beside stage 1)',
           makespan=10)
assert edges(dot) == ['stage0->stage1', 'stage0->stage2', 'stage2->stage3'], dot

# A barrier stage is one task with the cores of all, as long as its longest.
gang = Log()
gang.start(0, 0, gang.info(0, 3, [], barrier=True))
gang.tasks(0, (0, 4), (0, 5), (0, 3))
gang.end(0, 5)
said(gang, '1 barrier stage (the first: stage 0)', makespan=5, capacity='cpu=3')
done = run(gang, 'plan', '-', '--capacity', 'cpu=2')
assert done.returncode == 3 and 'stage0 demands 3 of cpu' in done.stderr, done

# What a lost executor cost is no work of the job: stage 1 has no first attempt.
lost = Log()
lost.start(0, 0, lost.info(0, 2, []))
lost.tasks(0, (0, 1), (0, 1))
lost.end(0, 1, closes=False)
lost.start(1, 1, lost.info(1, 2, []), lost.info(2, 2, [1]))
lost.tasks(2, (1, 3))
lost.tasks(2, (1, 2.5), reason='FetchFailed', first=1)
lost.tasks(1, (3, 5), attempt=1)
lost.tasks(2, (5, 7), attempt=1, first=1)
lost.end(1, 7)
dot = said(lost, 'left out 1 stage (1 tasks, 2 s) that recomputed', 'came second (1.5 s)', makespan=3)
assert 'stage1' not in dot, dot
assert 'began before' not in run(lost, 'show', '-').stderr  # 2 beside what was made again of 1

# A stage of no job.
orphan = Log()
orphan.start(0, 0, orphan.info(0, 1, []))
orphan.known[9] = orphan.info(9, 1, [])
orphan.tasks(0, (0, 2))
orphan.tasks(9, (0, 3))
orphan.end(0, 3)
assert 'stage9' not in said(orphan, 'left out 1 stage of no job of the log', makespan=2)

# A parent of a job that began later, beside it.
turned = Log()
turned.start(0, 0, turned.info(5, 1, [2]))
first = turned.known
turned.start(1, 0, turned.info(2, 1, []))
turned.known.update(first)
turned.tasks(5, (0, 2))
turned.tasks(2, (0, 2))
turned.end(0, 2, closes=False)
turned.end(1, 2)
assert 'stage2->stage5' in edges(run(turned, 'convert', '-', '--format', 'dot').stdout)

# A bound above the time that the run took on no more cores is doubted: here stages ran side by side, though
# one is the other's parent by the log; with fewer cores nothing is odd.
odd = Log()
odd.start(0, 0, odd.info(2, 1, []), odd.info(1, 1, [2]))
odd.tasks(2, (0, 5))
odd.tasks(1, (0, 5))
odd.end(0, 6)
for command in ('plan', 'bound', 'show'):
    done = run(odd, command, '-', '--capacity', 'cpu=4')
    assert 'the lower bound of 10 s is above the 6 s that the recorded run took' in done.stderr, done
    assert 'is above' not in run(odd, command, '-', '--capacity', 'cpu=3').stderr, command

# No task ran; one part of a rolled log.
empty = Log()
empty.add('ApplicationEnd', Timestamp=ms(1))
done = run(empty, 'convert', '-', '--format', 'xml')
assert done.returncode == 3 and 'the application ran no job' in done.stderr, done
empty.start(0, 0, empty.info(0, 2, []))
done = run(empty, 'convert', '-', '--format', 'xml')
assert done.returncode == 3 and 'no stage of them ran' in done.stderr, done
part = ''.join(whole.text().splitlines(True)[-2:])
done = run(part, 'plan', '-')
assert done.returncode == 3 and 'all parts of a rolled log' in done.stderr, done

# Compressed files are named, whatever the format that was asked for; gzip and zstd are read.
WITH_ZSTD = ', libzstd' in case.bigrocks('--version').stdout
WITH_GZIP = ', zlib' in case.bigrocks('--version').stdout
MAGIC = {b'\x1f\x8b\x08': 'gzip', b'\x28\xb5\x2f\xfd\x04': 'zstd', b'\xfd7zXZ\0\0': 'xz',
         b'BZh91AY&SY': 'bzip2', b'\x04\x22\x4d\x18': 'lz4', b'LZ4Block\x25': "lz4, in Spark's blocks",
         b'\x82SNAPPY\0': "snappy, in Spark's blocks", b'\xff\x06\0\0sNaPpY': 'snappy', b'ZV\x01': 'LZF'}
for magic, name in MAGIC.items():
    for words in (('show', '-'), ('show', '-', '--from', 'spark'), ('workload', '-'), ('check', '-', '-')):
        done = case.bigrocks(*words, input=magic + b'\xb0rest', text=False)
        assert done.returncode in (2, 3), (name, words, done)
        read = name == 'zstd' and WITH_ZSTD or name == 'gzip' and WITH_GZIP
        said_so = ('cannot be decompressed by %s' if read else 'compressed by %s; ') % name
        if words[0] != 'check':
            assert said_so.encode() in done.stderr, (name, words, done)


def packed(data, literal=None):
    """A frame of zstd: the bytes as they are, or one of them many times."""
    head = b'\x28\xb5\x2f\xfd\x00\x58'  # a window of 2 MiB
    if literal is not None:
        return head + struct.pack('<I', (literal << 3) + 3)[:3] + data
    blocks = [data[at:at + 100000] for at in range(0, len(data), 100000)]
    return head + b''.join(struct.pack('<I', (len(block) << 3) + (k == len(blocks) - 1))[:3] + block
                           for k, block in enumerate(blocks))


def parts(folder, *texts, first=1, suffix='_app.zstd'):
    os.mkdir(folder)
    open(os.path.join(folder, 'appstatus_app'), 'wb').close()
    for number, data in enumerate(texts, first):
        with open(os.path.join(folder, 'events_%d%s' % (number, suffix)), 'wb') as file:
            file.write(data)
    return folder


def outcome(*words, data=None):
    done = case.bigrocks(*words, input=data, text=False)
    return done.returncode, done.stdout, done.stderr.decode()


with case.folder() as folder:
    def at(name):
        return os.path.join(folder, name)

    text = whole.text().encode()
    lines = text.splitlines(True)
    expected = case.bigrocks('convert', '-', '--format', 'xml', input=text, text=False).stdout
    done = outcome('show', folder)
    assert done[0] == 5 and 'Is a directory; give a file' in done[2], done
    # A folder of parts, of which the tenth is not the second, also under other names and in a folder of logs.
    plain = parts(at('eventlog_v2_app'), *lines[:-1], *[b''] * 4, lines[-1], suffix='_app')
    assert len(os.listdir(plain)) > 12
    assert outcome('convert', plain, '--format', 'xml') == (0, expected, '')
    done = case.bigrocks('workload', plain, '-q', '--format', 'json')
    assert done.returncode == 0 and json.loads(done.stdout)['jobs'] == 1, done
    done = case.bigrocks('batch', folder, '--capacity', 'cpu=4', '-q')
    assert done.returncode == 0 and 'eventlog_v2_app' in done.stdout, done
    os.remove(os.path.join(plain, 'events_3_app'))
    done = outcome('show', plain)
    assert done[0] == 3 and 'part 3 of the log is missing' in done[2], done
    parts(at('twice'), text, suffix='_app')
    parts_of = os.path.join(at('twice'), 'events_1_app.zstd')
    open(parts_of, 'wb').close()
    done = outcome('show', at('twice'))
    assert done[0] == 3 and "'events_1_app' and 'events_1_app.zstd' are both part 1" in done[2], done
    parts(at('compact'), text, first=4, suffix='_app.compact')
    done = outcome('show', at('compact'))
    assert done[0] == 3 and 'lacks the jobs that had ended' in done[2], done
    os.mkdir(os.path.join(parts(at('broken'), lines[0], suffix='_app'), 'events_2_app'))
    done = outcome('show', at('broken'))
    assert done[0] == 5 and 'cannot be read: Is a directory' in done[2], done
    os.symlink(at('nowhere'), os.path.join(parts(at('dangling'), lines[0], suffix='_app'), 'events_2_app'))
    done = outcome('show', at('dangling'))
    assert done[0] == 5 and 'cannot be read: No such file' in done[2], done
    if WITH_ZSTD:
        zipped = parts(at('zstd'), *map(packed, lines))
        assert outcome('convert', zipped, '--format', 'xml') == (0, expected, '')
        # A file, standard input, several frames, much text in few bytes.
        with open(at('log.zst'), 'wb') as file:
            file.write(packed(text))
        assert outcome('convert', at('log.zst'), '--format', 'xml') == (0, expected, '')
        blanks = packed(b' ', 128 << 10) * 8
        for data in (packed(text), packed(text[:99]) + packed(text[99:]), blanks.join(map(packed, lines))):
            assert outcome('convert', '-', '--format', 'xml', data=data) == (0, expected, ''), len(data)
        # Cut, damaged, packed twice.
        for data, word in ((packed(text)[:-1], 'its end is missing'), (packed(text) + packed(b'')[:6] + b'\7\0\0', 'zstd: '),
                           (packed(text)[:8], 'its end is missing'), (packed(packed(text)), 'the file is compressed by zstd')):
            done = outcome('convert', '-', '--format', 'xml', data=data)
            assert done[0] == 3 and word in done[2], (word, done)
    if WITH_GZIP:
        zipped = parts(at('gzip'), *map(gzip.compress, lines), suffix='_app.gz')
        assert outcome('convert', zipped, '--format', 'xml') == (0, expected, '')
        # Standard input, several members, much text in few bytes; other formats.
        blanks = gzip.compress(b' ' * (4 << 20))
        for data in (gzip.compress(text), gzip.compress(text[:99]) + gzip.compress(text[99:]), blanks.join(map(gzip.compress, lines))):
            assert outcome('convert', '-', '--format', 'xml', data=data) == (0, expected, ''), len(data)
        assert outcome('convert', '-', '--format', 'xml', data=gzip.compress(expected)) == (0, expected, '')
        done = outcome('convert', '-', '--format', 'xml', data=gzip.compress(b'digraph { a }' + b' ' * (64 << 20)))
        assert done[0] == 3 and 'larger than the 64 MiB that are read of the dot format' in done[2], done
        # Cut, damaged, packed twice.
        packing, wrong = gzip.compress(text), bytearray(gzip.compress(text))
        wrong[-6] ^= 1
        for data, word in ((packing[:-1], "its end is missing; 'gzip -dcf FILE"), (bytes(wrong), 'gzip: incorrect data check'),
                           (packing[:8], 'its end is missing'), (packing + b'rest', 'gzip: incorrect header check'),
                           (gzip.compress(packing), 'the file is compressed by gzip')):
            done = outcome('convert', '-', '--format', 'xml', data=data)
            assert done[0] == 3 and word in done[2], (word, done)
