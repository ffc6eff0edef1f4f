#!/usr/bin/env python3
"""Records of clusters: jobs arrive when they could start, every run of a job and every part of one counts,
predictors learn of a job when it had ended, and other forms are named."""
import csv
import io
import json

import case

HEAD = 'JobID|User|State|Submit|Eligible|Start|End|ElapsedRaw|Timelimit|AllocCPUS\n'


def at(seconds):
    return '2026-03-02T%02d:%02d:%02d' % (8 + seconds // 3600, seconds // 60 % 60, seconds % 60)


def row(job, submit, eligible, start, ran, state='COMPLETED', cpus=4):
    return '|'.join((job, 'ann', state, at(submit), at(eligible) if eligible is not None else 'Unknown', at(start),
                     at(start + ran), str(ran), '02:00:00', str(cpus))) + '\n'


def drop(text, name):
    """The lines without a column."""
    lines = [line.split('|') for line in text.splitlines()]
    k = lines[0].index(name)
    return ''.join('|'.join(line[:k] + line[k + 1:]) + '\n' for line in lines)


def jobs(text):
    """Arrival, start and processors by job, and what is noted."""
    done = case.bigrocks('simulate', '-', '--machines', '1', '--capacity', 'cpu=64', '--policy', 'fifo', '-f', 'csv',
                         input=text)
    assert done.returncode == 0, done
    return ({line['job']: (float(line['arrival']), float(line['start'])) for line in csv.DictReader(io.StringIO(done.stdout))},
            done.stderr)


def work(text):
    done = case.bigrocks('workload', '-', '--json', input=text)
    assert done.returncode == 0, done
    return json.loads(done.stdout)['resources'][0]['work'], done.stderr


# Behind another job, behind the limit of an array, at a begin time: Eligible tells it.
chain = HEAD + row('101', 0, 0, 1, 3600) + row('102', 0, 3601, 3602, 3600) + row('104_0', 0, 0, 1, 3600) + \
    row('104_1', 0, 3601, 3602, 3600) + row('105', 0, 36000, 36000, 60)
found, said = jobs(chain)
assert found == {'101': (0, 0), '102': (3601, 3601), '104_0': (0, 0), '104_1': (3601, 3601), '105': (36000, 36000)}, found
assert 'eligible later than submitted, and arrive then: 3' in said, said
found, said = jobs(drop(chain, 'Eligible'))
assert all(arrival == 0 for arrival, _ in found.values()), found
assert 'there is no column Eligible, so jobs that waited for others' in said, said

# A requeued job (sacct --duplicates) and a resized one have a record for each run; one record twice has not.
requeued = HEAD + row('5', 0, 0, 1, 600, 'REQUEUED') + row('6', 2, 2, 3, 60, cpus=2) + row('5', 601, 722, 723, 600)
found, said = jobs(requeued)
assert found == {'5': (0, 0), '6': (2, 2), '5:2': (722, 722)}, found
assert work(requeued)[0] == 4920 and 'requeued or resized: 1' in said, said
resized = HEAD + row('19', 0, 0, 20, 3600, 'RESIZING', 8) + row('19', 3620, 3620, 3620, 600)
assert work(resized)[0] == 31200
assert jobs(resized)[0] == {'19': (0, 0), '19:2': (3620, 3620)}
done = case.bigrocks('workload', '-', input=requeued + row('6', 2, 2, 3, 60, cpus=2))
assert done.returncode == 3 and "there are two jobs '6'" in done.stderr, done
done = case.bigrocks('workload', '-', input=requeued + row('5', 601, 722, 723, 600))  # its second run twice
assert done.returncode == 3 and "there are two jobs '5'" in done.stderr, done
found, _ = jobs(HEAD + ''.join(row('5', k, k, k, 1) for k in range(200)) + row('6', 300, 300, 300, 1) +
                row('6', 400, 400, 400, 1))
assert len(found) == 202 and {'5', '5:200', '6', '6:2'} < set(found), found
with case.folder() as folder:  # a job of a record is found again by its id
    for name, text in (('record.sacct', requeued), ('none', '')):
        open('%s/%s' % (folder, name), 'w').write(text)
    done = case.bigrocks('workload', folder + '/record.sacct', '-o', folder + '/w.xml')
    assert done.returncode == 0, done
    done = case.bigrocks('workload', folder + '/w.xml', '--json')
    assert json.loads(done.stdout)['resources'][0]['work'] == 4920, done

# SWF: with "Preemption: Yes" jobs have parts only, which may lack their submit times.
WHOLE = '2 10 0 650 8 -1 -1 8 900 -1 1 2 1 1 1 1 -1 -1\n'
PARTS = ('2 10 0 200 8 -1 -1 8 900 -1 2 2 1 1 1 1 -1 -1\n'
         '2 -1 50 300 8 -1 -1 8 900 -1 2 2 1 1 1 1 -1 -1\n'
         '2 610 40 300 4 -1 -1 8 900 -1 3 2 1 1 1 1 -1 -1\n')
OTHERS = '1 0 0 100 4 -1 -1 4 400 -1 1 1 1 1 1 1 -1 -1\n3 20 0 60 2 -1 -1 2 60 -1 1 3 1 1 1 1 -1 -1\n'
both, said = work('; Preemption: Double\n' + WHOLE + PARTS + OTHERS)
assert both == 5720 and 'left out 3 of pieces' in said, said
alone, said = work('; Preemption: Yes\n' + PARTS + OTHERS)
assert alone == 5720 and 'since no line has the whole: 1, from 3 parts' in said, said
assert jobs('; Preemption: Yes\n' + PARTS + OTHERS)[0]['2'] == (10, 10)
for cores, lasts in ((64, 650), (7, None)):  # on as many processors as the largest part had, 8, which seven cores lack
    done = case.bigrocks('simulate', '-', '--machines', '1', '--capacity', 'cpu=%d' % cores, '--policy', 'fifo', '-f', 'csv',
                         input='; Preemption: Yes\n' + PARTS)
    ran = [float(line['end']) - float(line['start']) for line in csv.DictReader(io.StringIO(done.stdout))]
    assert ran == [lasts] if lasts else done.returncode, (ran, done)
open_end, said = work('; Preemption: Yes\n' + PARTS.replace('-1 3 2 1', '-1 2 2 1') + OTHERS)
assert open_end == 520 and 'left out 1 that still ran' in said, said
failed = '; Preemption: Yes\n' + PARTS.replace('-1 3 2 1', '-1 4 2 1') + OTHERS
assert work(failed)[0] == 5720
done = case.bigrocks('workload', '-', '--json', '--completed-only', input=failed)
assert json.loads(done.stdout)['resources'][0]['work'] == 520, done

# What is wrong in a line of SWF is named, also in the first, by all that read it.
SHORT = '1 0 0 100 4 -1 -1 4 400 -1 1 1 1 1 1 1 -1\n'
for text, words in ((OTHERS.replace('-1\n', '-1 extra\n'), ':1:46: there is more in the line than 18 numbers'),
                    (SHORT, ':1:42: the line ends before the think time, its number 18')):
    for command in ('workload', 'simulate'):
        done = case.bigrocks(command, '-', input=text)
        assert done.returncode == 3 and words in done.stderr, done

# Other forms of sacct are named, with the command that writes what is read.
FORMS = {
    'JobID           JobName  Partition \n------------ ---------- ---------- \n1    plain   lo \n': 'the table that sacct',
    '1|2026-03-02T08:00:00|00:00:05|2\n3|2026-03-02T08:00:00|00:00:12|1\n': 'without the names of its columns'}
with case.folder() as folder:
    for text, words in FORMS.items():
        open(folder + '/form', 'w').write(text)
        for command in ('workload', 'simulate', 'plan'):
            done = case.bigrocks(command, folder + '/form', '--capacity', 'cpu=4')
            assert done.returncode == 3 and words in done.stderr, done
            assert 'sacct --parsable2 --allocations --format=JobID,' in done.stderr, done

# The JSON is read: numbers in objects or plain, states in lists or plain, elements of arrays and components by their
# numbers, no start for what never ran.
def record(job, submit, eligible, start, ran, state='COMPLETED', cpus=4, old=False, **more):
    number = (lambda value: value) if old else (lambda value: {'set': value is not None, 'infinite': False,
                                                               'number': value or 0})
    none = {'set': False, 'infinite': False, 'number': 0}
    return {'account': 'lab', 'user': 'ann', 'job_id': job, 'restart_cnt': 0, 'partition': 'lo',
            'array': {'job_id': 0, 'task_id': 0 if old else none, 'task': ''},
            'het': {'job_id': 0, 'job_offset': 0 if old else none}, **more,
            'state': {'current': state if old else [state], 'reason': 'None'},
            'time': {'elapsed': ran, 'eligible': eligible, 'end': start + ran if start < 4294967294 else submit,
                     'start': start, 'submission': submit, 'limit': number(120)},
            'required': {'CPUs': cpus},
            'tres': {'allocated': [{'type': 'cpu', 'name': '', 'id': 1, 'count': cpus},
                                   {'type': 'energy', 'name': '', 'id': 3, 'count': -2},
                                   {'type': 'mem', 'name': '', 'id': 2, 'count': 100},
                                   {'type': 'gres', 'name': 'gpu', 'id': 9, 'count': 1}]}, 'steps': [{'a': 1}]}


BASE = 1795750000
for old in (False, True):
    some = [record(4, BASE, BASE + 13, BASE + 14, 60, old=old),
            record(7, BASE, BASE, BASE, 30, old=old, het={'job_id': 7, 'job_offset': 1}),
            record(14, BASE, BASE + 5, BASE + 5, 20, old=old,
                   array={'job_id': 2, 'task_id': 3 if old else {'set': True, 'infinite': False, 'number': 3}}),
            record(17, BASE, BASE, 4294967294, 0, 'CANCELLED', old=old)]
    for indent in (None, 1):
        text = json.dumps({'jobs': some, 'meta': {}}, indent=indent)
        done = case.bigrocks('simulate', '-', '--machines', '1', '--capacity', 'cpu=64,mem=1GiB,gpu=8', '--policy', 'fifo',
                             '-f', 'csv', input=text)
        assert done.returncode == 0, done
        found = {line['job']: (float(line['arrival']), float(line['end'])) for line in csv.DictReader(io.StringIO(done.stdout))}
        assert found == {'4': (13, 73), '7+1': (0, 30), '2_3': (5, 25)}, found
        assert 'left out 1 that never ran' in done.stderr and 'arrive then: 2' in done.stderr, done.stderr
        assert work(text)[0] == 4 * 110
done = case.bigrocks('workload', '-', input=json.dumps({'jobs': [some[0], some[0]]}, indent=1))
assert done.returncode == 3 and "there are two jobs '4'" in done.stderr and '<stdin>:6' in done.stderr, done
done = case.bigrocks('plan', '-', input=json.dumps({'jobs': some}))
assert done.returncode == 3 and 'this is a workload of many jobs' in done.stderr, done


# When a job arrives, no job of its day has ended in the record, since all waited 25 hours.
def predict(wait, form):
    lines = [form(1 + 10 * day + k, 86400 * day + 7200 * k, wait, 600 + (day * 2700) % 9000, day)
             for day in range(30) for k in range(10)]
    head = {swf: '; MaxProcs: 8\n', parts: '; MaxProcs: 8\n; Preemption: Yes\n', sacct: HEAD}[form]
    done = case.bigrocks('predict', '-', '--parallel', 'tasks', '--predictor', 'point', '-f', 'json', '-q',
                         input=head + ''.join(lines))
    assert done.returncode == 0, done
    return json.loads(done.stdout)['results'][0]['p50_error']


def swf(number, arrival, wait, ran, day):
    return '%d %d %d %d 4 -1 -1 4 %d -1 1 7 1 1 1 1 -1 -1\n' % (number, arrival, wait, ran, 36000 + day)


def parts(number, arrival, wait, ran, day):
    """Half of it at once, half after the wait."""
    return ('%d %d 0 %d 4 -1 -1 4 %d -1 2 7 1 1 1 1 -1 -1\n' % (number, arrival, ran // 2, 36000 + day) +
            '%d %d %d %d 4 -1 -1 4 %d -1 3 7 1 1 1 1 -1 -1\n' %
            (number, arrival + ran // 2, wait, ran - ran // 2, 36000 + day))


def sacct(number, arrival, wait, ran, day):
    return '|'.join((str(number), 'ann', 'COMPLETED', str(arrival), str(arrival), str(arrival + wait),
                     str(arrival + wait + ran), str(ran), '10:00:%02d' % day, '4')) + '\n'


for form in (swf, parts, sacct):
    at_once, waited = predict(0, form), predict(90000, form)
    assert at_once < 0.05 and waited > 0.3, (form, at_once, waited)
