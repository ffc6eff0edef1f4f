#!/usr/bin/env python3
"""`render --format ninja` of a build writes that build: ninja builds the same files from it, in the plan's
order and within the machine's memory and cores, and afterwards neither file has anything to do.

ninja_build.py BIGROCKS [NINJA]

The commands write when they begin and end, so what was taken at once is counted. The same file without
our pool takes more than there is; else the test would prove nothing.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import missing

# Objects by memory in MiB; four of the pool "archive" and four of "link"; the console in between.
OBJECTS = [640, 60, 650, 700, 645, 55, 620, 640, 630, 650, 60, 50, 635, 580, 45, 640]
ARCHIVES = [90, 80, 70, 60]
LINKS = [800, 300, 500, 400]
CAPACITY = 'cpu=6,mem=2GiB'
MEMORY, CORES = 2048, 6

NOTE = '''echo "begin $1" >> log
sleep 0.04
echo "$1" > "$1"
echo "end $1" >> log
'''


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=100, **options)
    assert done.returncode == 0, '%s: %d\n%s%s' % (command, done.returncode, done.stdout, done.stderr)
    return done.stdout


def write_build(folder):
    """Its memory in MiB and its cores by output."""
    need = {}
    text = ['pool archive', '  depth = 3', 'pool link', '  depth = 2', 'rule note', '  command = sh ./note $out',
            '  description = make $out', 'rule spaced', '  command = $ sh ./note $out', 'build all: phony links $',
            '  console.txt', 'default all']
    for k, mem in enumerate(OBJECTS):
        need['obj/%d.o' % k] = mem, 1
        text.append('build obj/%d.o: %s source' % (k, 'spaced' if k == 1 else 'note'))
    for k, mem in enumerate(ARCHIVES):
        need['lib%d.a' % k] = mem, 1
        text += ['build lib%d.a: note %s' % (k, ' '.join('obj/%d.o' % n for n in range(4 * k, 4 * k + 4))),
                 '  pool = archive']
    for k, mem in enumerate(LINKS):
        need['link%d' % k] = mem, 2 if k == 3 else 1  # a link on two cores
        text += ['build link%d: note lib%d.a || obj/0.o' % (k, k), '  pool = link']
    need['console.txt'] = 20, 1
    text += ['build console.txt: note source', '  pool = console',
             'build links: phony %s' % ' '.join('link%d' % k for k in range(len(LINKS)))]
    (folder / 'build.ninja').write_text('\n'.join(text) + '\n')
    (folder / 'note').write_text(NOTE)
    (folder / 'source').write_text('source\n')
    return need


def measured(job, need):
    """The job with the needs as demands, as a history would have written them."""
    def stage(match):
        mem, cores = need[match[1]]
        return match[0].replace('<demand resource="cpu" amount="1"/>',
                                '<demand resource="cpu" amount="%d"/>\n<demand resource="mem" amount="%d"/>' %
                                (cores, mem << 20))
    text, count = re.subn(r'<stage id="([^"]*)".*?</stage>', stage, job.read_text(), flags=re.S)
    assert count == len(need) and text.count('resource="mem"') == len(need) + 1, text
    job.write_text(text)


def peaks(folder, need, pool=None):
    """The most memory and cores at once, and how often each of the build's pools was exceeded."""
    now, most, running = [0, 0], [0, 0], {}
    for line in (folder / 'log').read_text().splitlines():
        what, name = line.split()
        for k in (0, 1):
            now[k] += need[name][k] if what == 'begin' else -need[name][k]
            most[k] = max(most[k], now[k])
        kind = name.rstrip('0123456789.a')
        running[kind] = running.get(kind, 0) + (1 if what == 'begin' else -1)
        if pool and kind in pool:
            assert running[kind] <= pool[kind], (kind, running[kind])
    (folder / 'log').unlink()
    return most


def clean(folder, need):
    for name in (*need, '.ninja_log', '.ninja_deps'):
        (folder / name).unlink(missing_ok=True)


def main():
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    ninja = sys.argv[2] if len(sys.argv) > 2 else os.environ.get('NINJA', 'ninja')
    missing.need(ninja)
    with tempfile.TemporaryDirectory(prefix='bigrocks-build') as scratch:
        folder = pathlib.Path(scratch)
        need = write_build(folder)
        job, plan, file = (folder / name for name in ('job.xml', 'plan.json', 'planned.ninja'))
        run(bigrocks, 'import', 'ninja', '-C', folder, '--capacity', CAPACITY, '-q', '-o', job)
        measured(job, need)
        run(bigrocks, 'plan', job, '-q', '--effort', 'fast', '-o', plan)
        run(bigrocks, 'render', plan, '--format', 'ninja', '-o', file)
        text = file.read_text()
        assert text == run(bigrocks, 'render', plan, '--format', 'ninja-order')
        jobs = re.search(r'Run it by: ninja -j (\d+) -f FILE', text)[1]
        assert 4 <= int(jobs) <= CORES, jobs  # one link takes two cores, as may all that share its pool
        command = [ninja, '-C', folder, '-j', jobs, '-f', 'planned.ninja']

        run(*command)
        most = peaks(folder, need, {'lib': 3, 'link': 2})
        print('with the pool: %d of %d MiB, %d of %d cores at most' % (most[0], MEMORY, most[1], CORES))
        assert most[0] <= MEMORY and most[1] <= CORES, most
        assert {name for name in need if not (folder / name).exists()} == set()
        for again in (command, [ninja, '-C', folder]):
            assert 'no work to do' in run(*again), again
        (folder / 'source').write_text('changed\n')
        run(*command)  # knows files: all that comes of the source is made again, by what the commands wrote,
        # for ninja keeps quiet about some of them while the console has its turn
        assert {line.split()[1] for line in (folder / 'log').read_text().splitlines()} == set(need)
        assert 'no work to do' in run(ninja, '-C', folder)
        (folder / 'log').unlink()

        # All files in the file's order, one at a time.
        clean(folder, need)
        run(*command, '-j', 1)
        began = [line.split()[1] for line in (folder / 'log').read_text().splitlines()[::2]]
        planned = [line.split('\t')[1] for line in run(bigrocks, 'render', plan, '--format', 'order').splitlines()[1:]]
        version = tuple(map(int, run(ninja, '--version').split('.')[:2]))
        if version < (1, 12):
            assert began == planned, (began, planned)
        (folder / 'log').unlink()

        clean(folder, need)
        bare = folder / 'bare.ninja'
        bare.write_text(re.sub(r'  pool = bigrocks\n', '', text))
        run(ninja, '-C', folder, '-j', CORES, '-f', 'bare.ninja')
        most = peaks(folder, need)
        print('without it: %d MiB, %d cores' % tuple(most))
        assert most[0] > MEMORY, most

        # A file of ours is a build again; its pool stands beside the new one.
        run(bigrocks, 'import', 'ninja', '-C', folder, '--file', 'planned.ninja', '--capacity', CAPACITY, '-q', '-o', job)
        measured(job, need)
        run(bigrocks, 'plan', job, '-q', '--effort', 'fast', '-o', plan)
        run(bigrocks, 'render', plan, '--format', 'ninja', '-o', folder / 'again.ninja')
        clean(folder, need)
        run(ninja, '-C', folder, '-j', jobs, '-f', 'again.ninja')
        assert peaks(folder, need)[0] <= MEMORY


if __name__ == '__main__':
    main()
