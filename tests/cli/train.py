#!/usr/bin/env python3
"""bigrocks train: the same bytes whatever the threads, from options or a file, and after it was killed; what it
learned decides in simulate; what is no model is refused.

train.py BIGROCKS
"""
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = pathlib.Path(sys.argv[1]).resolve()


def profile(stages, tasks, ms):
    """A chain of stages, measured on 2 and 5 executors."""
    lines = ['query 1', 'size_gb 2', 'stages %d' % stages] + ['edge %d %d' % (s, s + 1) for s in range(stages - 1)]
    for s in range(stages):
        lines.append('stage %d tasks %d' % (s, tasks))
        for executors in (2, 5):
            first = min(executors, tasks)
            times = ' '.join([str(ms + 50 * s)] * first)
            lines += ['first %d %d %s' % (executors, first, times), 'fresh %d %d %s' % (executors, first, times),
                      ('rest %d %d %s' % (executors, tasks - first, ' '.join([str(ms)] * (tasks - first)))).strip()]
    return '\n'.join(lines + ['end', ''])


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        jobs = folder / 'jobs'
        jobs.mkdir()
        for k, shape in enumerate([(2, 6, 400), (3, 12, 1500), (2, 20, 5000)]):
            (jobs / ('q%02d_2g.txt' % k)).write_text(profile(*shape))
        options = ['--executors', '5', '--count', '4', '--episodes', '4', '--every', '5', '--trials', '3', '--seed', '3',
                   '--teacher', 'sjf-cp:5']

        def run(*words, status=0):
            done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, cwd=folder)
            assert done.returncode == status, (words, done.returncode, done.stderr)
            return done.stderr if status else done.stdout

        run('train', 'jobs', *options, '--iterations', '40', '--threads', '1', '-q', '-o', 'a.model', '--curve', 'a.csv')
        whole = (folder / 'a.model').read_bytes()
        rows = (folder / 'a.csv').read_text().splitlines()
        assert rows[0].startswith('iteration,') and [row.split(',')[0] for row in rows[1:]] == [str(5 * k) for k in range(1, 9)]
        run('train', 'jobs', *options, '--iterations', '40', '--threads', '2', '-q', '-o', 'b.model', '--curve', 'b.svg')
        assert (folder / 'b.model').read_bytes() == whole
        assert (folder / 'b.svg').read_text().count('<svg') == 1

        # Killed as soon as there is a checkpoint, and taken up again.
        child = subprocess.Popen([PROGRAM, 'train', 'jobs', *options, '--iterations', '40', '-q', '-o', 'c.model'], cwd=folder)
        while not (folder / 'c.model.part').exists() and child.poll() is None:
            time.sleep(0.001)
        child.send_signal(signal.SIGKILL)
        child.wait()
        (folder / 'c.model').unlink(missing_ok=True)
        said = subprocess.run([PROGRAM, 'train', 'jobs', *options, '--iterations', '40', '--resume', '-o', 'c.model'], cwd=folder,
                              capture_output=True, text=True)
        assert said.returncode == 0 and 'goes on after iteration' in said.stderr, said.stderr
        assert (folder / 'c.model').read_bytes() == whole
        assert 'other options' in run('train', 'jobs', *options, '--iterations', '41', '--resume', '--checkpoint', 'c.model.part',
                                      '-o', 'd.model', status=3)
        assert not (folder / 'd.model').exists()

        # The same from a file; what is wrong in it is told with its line.
        keys = dict(zip((word[2:] for word in options[::2]), options[1::2]))
        text = 'jobs = "jobs" # a folder\n' + ''.join('%s = "%s"\n' % pair for pair in keys.items())
        (folder / 't.toml').write_text(text + 'iterations = 40\n')
        run('train', 't.toml', '-q', '-o', 'e.model')
        assert (folder / 'e.model').read_bytes() == whole
        (folder / 'bad.toml').write_text(text + 'iterrations = 40\n')
        assert 'bad.toml:%d' % (len(keys) + 2) in run('train', 'bad.toml', '-o', 'f.model', status=3)
        assert 'entropy' in run('train', 'jobs', '--entropy', 'x', '-o', 'f.model', status=2)

        # Executors of several sizes, and deadlines.
        evolve = ['--executors', '5', '--count', '4', '--episodes', '4', '--every', '2', '--trials', '3', '--iterations', '4',
                  '--network', 'planned', '--method', 'evolve', '-o', 'g.model']
        plain = run('train', 'jobs', *evolve), (folder / 'g.model').read_bytes()
        said = run('train', 'jobs', *evolve, '--classes', '0.5,1', '--draw-requests'), (folder / 'g.model').read_bytes()
        assert said[1] != plain[1] and b'--classes 0.5,1 --draw-requests' in said[1]
        dated = subprocess.run([PROGRAM, 'train', 'jobs', *evolve, '--deadlines', '3x', '--objective', 'misses'], cwd=folder,
                               capture_output=True, text=True)
        assert dated.returncode == 0 and '% missed in training' in dated.stderr, dated.stderr
        assert b'--deadlines 3x' in (folder / 'g.model').read_bytes()
        assert 'classes' in run('train', 'jobs', *evolve, '--draw-requests', status=2)

        # Executors that yield make another training, which does not go on from one without.
        evolve += ['--interarrival', '2', '--checkpoint', 'g.part']
        run('train', 'jobs', *evolve, '--curve', 'g.csv')
        run('train', 'jobs', *evolve, '--yield', '--curve', 'y.csv')
        assert b' --yield' in (folder / 'g.model').read_bytes()
        assert (folder / 'g.csv').read_text() != (folder / 'y.csv').read_text()
        assert 'other options' in run('train', 'jobs', *evolve, '--resume', status=3)
        # A mean time between arrivals for each sequence; of two that are equal nothing is drawn.
        models = {}
        for words in ('2', '2:2', '2:6', '6'):
            run('train', 'jobs', *evolve, '--interarrival', words, '-o', 'i.model', '--checkpoint', 'i.part-' + words,
                '--curve', 'i.csv')
            assert b' --interarrival %s --' % words.encode() in (folder / 'i.model').read_bytes()
            models[words] = (folder / 'i.csv').read_text()
        assert models['2'] == models['2:2'] and len(set(models.values())) == 3
        for words in ('2', '6'):
            assert 'other options' in run('train', 'jobs', *evolve, '--interarrival', words, '--resume', '--checkpoint',
                                          'i.part-2:6', status=3)
        for wrong in ('6:2', '0:2', '-1', '1e10', '1:1e10', 'x'):
            assert 'arrival' in run('train', 'jobs', *evolve, '--interarrival', wrong, status=2)
        assert 'deadline' in run('train', 'jobs', *evolve, '--objective', 'misses', status=2)
        assert 'no time and no factor' in run('train', 'jobs', *evolve, '--deadlines', 'soon', status=2)

        # So are networks without some of their parts.
        small = [*evolve, '--network', 'split', '--method', 'reinforce']
        run('train', 'jobs', *small)
        made = {(folder / 'g.model').read_bytes()}
        for part in ('--without-graph', '--without-limits'):
            assert 'other options' in run('train', 'jobs', *small, part, '--resume', status=3)
            run('train', 'jobs', *small, part, '-o', 'p.model', '--checkpoint', 'p.part')
            made.add((folder / 'p.model').read_bytes().replace(b' ' + part.encode(), b''))
            assert b' ' + part.encode() in (folder / 'p.model').read_bytes()
        assert len(made) == 3

        # It decides, and what is no model does not.
        run('workload', 'jobs', '--count', '4', '--arrivals', 'batch', '-o', 'w.xml')
        table = run('simulate', 'w.xml', '--executors', '5', '--policy', 'fair,learned', '--model', 'a.model')
        assert 'learned' in table
        assert 'no model' in run('simulate', 'w.xml', '--executors', '5', '--policy', 'learned', status=2)
        (folder / 'cut.model').write_bytes(whole[:-5])
        for name in ('cut.model', 'a.csv'):
            run('simulate', 'w.xml', '--executors', '5', '--policy', 'learned', '--model', name, status=3)


if __name__ == '__main__':
    main()
