#!/usr/bin/env python3
"""Builds go to bigrocks and back: the job does what ninja would do, and ninja does what the plan says.

check_ninja.py BIGROCKS EXAMPLES_DIR

Uses the ninja in PATH and those that BIGROCKS_NINJAS names (paths between colons). Skipped (77)
without any.
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

SPACE = '{urn:bigrocks:job:1}'


def run(*command, cwd=None, ok=True):
    done = subprocess.run([str(word) for word in command], cwd=cwd, text=True, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=120)
    if ok and done.returncode:
        sys.exit('%s\nexit %d\n%s%s' % (' '.join(map(str, command)), done.returncode, done.stdout,
                                        done.stderr))
    return done.stdout


def made_up(folder, seed):
    """A build of some forty commands with all that a build.ninja may hold."""
    rng = random.Random(seed)
    names, aliases, text = [], [], ['ninja_required_version = 1.5', 'builddir = state', 'cc = tail -qn 5',
                       'pool two', '  depth = 40',  # a narrow one would hold back what comes first
                       'rule cc', '  command = $cc $in /dev/null >$out && echo "$flags" $$? >>$out',
                       '  description = CC $out', '  depfile = $out.d', '  deps = gcc', '  restat = 1',
                       'rule ld', '  command = xargs cat <$out.rsp >$out $',
                       '      && rm $out.rsp', '  rspfile = $out.rsp',
                       '  rspfile_content = $in_newline', '  pool = two',
                       'rule many', '  command = cat $in >$out && cp $out ${out}2']
    for k in range(40):
        inputs = rng.sample(names, min(len(names), rng.randrange(4)))
        implicit = rng.sample(names, min(len(names), rng.randrange(2)))
        ordered = rng.sample(names + aliases, min(len(names), rng.randrange(2)))
        name = 'd%d/o%d' % (k % 3, k) + (' s$p' if k % 7 == 0 else '')
        escaped = name.replace('$', '$$').replace(' ', '$ ')
        rule = rng.choice(['cc', 'cc', 'ld'] if '$' in name else ['cc', 'cc', 'ld', 'many'])
        text.append('build %s%s: %s %s%s%s' % (
            escaped, ' | %s2' % escaped if rule == 'many' else '', rule,
            ' '.join(inputs or ['source.txt']), ''.join(' | ' + i for i in implicit[:1]),
            ''.join(' || ' + o for o in ordered[:1])))
        if rule == 'cc':
            text += ['  flags = -O$level %d' % k, '  depfile =', '  deps ='] + ['  pool = console'] * (k == 9)
        names.append(escaped)
        if k % 10 == 5:
            text.append('build alias%d: phony %s' % (k, ' '.join(rng.sample(names, 3))))
            aliases.append('alias%d' % k)
    text += ['level = 3', 'subninja sub.ninja', 'build everything: phony %s sub/out' % ' '.join(names + aliases),
             'default everything', 'build spare: cc source.txt', '']
    folder.mkdir()
    (folder / 'build.ninja').write_text('\n'.join(text))
    (folder / 'sub.ninja').write_text('cc = head -n 1\nlevel = 4\nrule cc\n  command = $cc $in >$out'
                                      ' && echo sub $level >>$out\nbuild sub/out: cc d1/o1\n')
    (folder / 'source.txt').write_text('one\ntwo\nthree\n')


def lines(text):
    return sorted(line for line in text.splitlines() if not line.startswith('ninja: Entering'))


def outputs(folder):
    """The files that the commands have written; those that ninja keeps for itself, and depfiles, aside."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob('*')
            if path.is_file() and not path.name.startswith('.ninja') and path.suffix != '.rsp'
            and path.parent != folder}


def built(folder):
    """First outputs in the order in which their commands ended, each once."""
    log = next(path for path in (folder / 'state/.ninja_log', folder / '.ninja_log') if path.exists())
    rows = [row.split('\t') for row in log.read_text().splitlines()[1:]]
    return [row[3] for row in sorted(rows, key=lambda row: int(row[0]))]


def depths(job, order):
    """Number of commands on the longest way from each to the end."""
    children = {}
    for edge in job.iter(SPACE + 'edge'):
        children.setdefault(edge.get('from'), []).append(edge.get('to'))
    depth = {}
    for name in reversed(order):
        depth[name] = 1 + max((depth[c] for c in children.get(name, [])), default=0)
    return depth, children


def by_priority(job, order, priority):
    """The order in which one worker starts what is ready, the greatest priority first."""
    parents = {name: set() for name in order}
    for edge in job.iter(SPACE + 'edge'):
        parents[edge.get('to')].add(edge.get('from'))
    done, result = set(), []
    while len(result) < len(order):
        result.append(max((n for n in order if n not in done and parents[n] <= done),
                          key=lambda name: priority[name]))
        done.add(result[-1])
    return result


DEPS = """rule cc
  command = printf '%s: %s sub//../more\\\\ name \\\\\\n  late$$$$\\n\\nlate$$$$:\\n' $out $in >$out.d && cat $in late* >$out
  depfile = $out.d
  deps = gcc
build one.o: cc source
build three.o: cc one.o
"""


def go_on(bigrocks, ninja, folder, scratch):
    """ninja, where bigrocks has built all, and where it was interrupted and has gone on."""
    def dry(folder):
        return run(ninja, '-C', folder, '-n')

    whole = scratch / 'whole'
    shutil.copytree(folder, whole)
    os.environ['NINJA'] = str(ninja)  # whose log a new one is to be
    run(bigrocks, 'import', 'ninja', '-C', whole, '-q', '--capacity', 'cpu=3', '-o', scratch / 'w.xml')
    run(bigrocks, 'run', scratch / 'w.xml', '-q')
    said = dry(whole)
    assert 'no work to do' in said, said[-3000:]
    # The files that the compilers have read are known: a change of it is seen. Twice, to go on with a file.
    deps = scratch / 'deps'
    deps.mkdir()
    (deps / 'build.ninja').write_text(DEPS)
    for name in 'source', 'more name', 'late$':
        (deps / name).write_text(name)
    for _ in range(2):
        run(bigrocks, 'import', 'ninja', '-C', deps, '-q', '-o', scratch / 'd.xml')
        run(bigrocks, 'run', scratch / 'd.xml', '-q')
        assert 'no work to do' in dry(deps), dry(deps)
        said = run(ninja, '-C', deps, '-t', 'deps', 'three.o')
        assert [line.strip() for line in said.splitlines()[1:4]] == ['one.o', 'more name', 'late$'], said
        time.sleep(0.02)
        (deps / 'more name').write_text('new')
        said = dry(deps)
        assert '[2/2]' in said, said
    # The work of an earlier run counts as well.
    (deps / 'bad').touch()
    (deps / 'build.ninja').write_text(DEPS + 'rule no\n command = test ! -e bad && touch $out\n'
                                      'build last: no three.o\n')
    run(bigrocks, 'import', 'ninja', '-C', deps, '-q', '-o', scratch / 'd.xml')
    first = [bigrocks, 'run', str(scratch / 'd.xml'), '-q', '--journal', str(scratch / 'journal')]
    assert subprocess.run(first, capture_output=True).returncode == 1
    assert '[1/1]' in dry(deps), dry(deps)
    for name in '.ninja_log', '.ninja_deps':
        (deps / name).unlink()
    (deps / 'bad').unlink()
    run(*first, '--resume')
    assert 'no work to do' in dry(deps), dry(deps)


def check(bigrocks, ninja, folder, scratch):
    version = tuple(int(n) for n in re.findall(r'\d+', run(ninja, '--version'))[:2])
    job_file, plan_file = scratch / 'job.xml', scratch / 'plan.json'
    run(bigrocks, 'import', 'ninja', '-C', folder, '-q', '--capacity', 'cpu=3', '-o', job_file)
    run(bigrocks, 'plan', job_file, '-q', '-m', 'packing', '--seed', '3', '--no-lp', '-o', plan_file)
    order = [row.split('\t')[1] for row in
             run(bigrocks, 'render', plan_file, '-f', 'order').splitlines()[1:]]
    job = xml.parse(job_file).getroot()
    stages = {stage.get('id'): stage for stage in job.iter(SPACE + 'stage')}
    assert sorted(order) == sorted(stages)

    # The commands are ninja's own.
    commands = {name: stage.find(SPACE + 'command').text for name, stage in stages.items()}
    assert sorted(c.split('\n')[-1] for c in commands.values()) == \
        lines(run(ninja, '-C', folder, '-t', 'commands'))

    # The file in the plan's order says the same as the one that it was made of.
    other = folder / 'bigrocks.ninja'
    run(bigrocks, 'render', plan_file, '-f', 'ninja-order', '-o', other)
    for tool in (['commands'], ['targets', 'all'], ['rules']):
        was, now = (lines(run(ninja, '-C', folder, '-f', name, '-t', *tool))
                    for name in ('build.ninja', 'bigrocks.ninja'))
        now = [re.sub(r'\.statement-\d+$', '', line) for line in now]
        if tool == ['rules']:
            was, now = set(was), set(now)
        assert was == now, (tool, set(was) ^ set(now))
    was, now = (sorted(json.loads(run(ninja, '-C', folder, '-f', name, '-t', 'compdb', '-x')),
                       key=lambda row: row['output']) for name in ('build.ninja', 'bigrocks.ninja'))
    assert was == now and len(was) >= len(order)

    # ninja does not mind the change of files ...
    first, second, third = (scratch / name for name in ('first', 'second', 'third'))
    for copy in (first, second, third):
        shutil.copytree(folder, copy)
    run(ninja, '-C', first)
    assert 'no work to do' in run(ninja, '-C', first, '-n', '-f', 'bigrocks.ninja')
    # ... and follows the order, newer versions among commands of equal depth.
    run(ninja, '-C', second, '-j', '1', '-f', 'bigrocks.ninja')
    depth, children = depths(job, order)
    position = {name: -k for k, name in enumerate(order)}
    expected = order if version < (1, 12) else \
        by_priority(job, order, {name: (depth[name], position[name]) for name in order})
    came = [name for name in built(second) if name in stages]
    assert came == expected, (version, came, expected)

    # After a run of the job ninja has nothing to do, in parts, too; and knows what was read.
    go_on(bigrocks, ninja, folder, scratch)

    # The scripts, in the plan's order, build the same without ninja.
    for name in order:
        script = commands[name].replace(str(folder.resolve()), str(third.resolve()))
        run('sh', '-c', script)
    assert outputs(first) == outputs(second) == outputs(third) and outputs(first)

    # Weights: the sum along the longest way is the plan's order. So are the log's times.
    weights = dict(row.rsplit(',', 1) for row in
                   run(bigrocks, 'render', plan_file, '-f', 'ninja-weights').splitlines())
    number = {5: (1, 11), 6: (1, 12), 7: (1, 13)}
    for log, since in number.items():
        text = run(bigrocks, 'render', plan_file, '-f', 'ninja-log-%d' % log)
        rows = [row.split('\t') for row in text.splitlines()]
        assert rows[0] == ['# ninja log v%d' % log]
        assert {r[3]: int(r[1]) - int(r[0]) for r in rows[1:] if r[3] in stages} == \
            {name: int(weight) for name, weight in weights.items()}
        if since == max(v for v in number.values() if v <= max(version, (1, 11))):
            # ninja takes the log, and builds everything all the same.
            fourth = scratch / 'fourth'
            shutil.copytree(folder, fourth)
            state = fourth / 'state' if 'builddir' in (folder / 'build.ninja').read_text() else fourth
            state.mkdir(exist_ok=True)
            (state / '.ninja_log').write_text(text)
            said = run(ninja, '-C', fourth, '-v')
            assert 'build log' not in said and '[%d/%d]' % ((len(order),) * 2) in said, said
            assert outputs(first) == outputs(fourth)
    longest = {}
    for name in reversed(order):
        longest[name] = int(weights[name]) + max((longest[c] for c in children.get(name, [])),
                                                 default=0)
    assert [longest[name] for name in order] == list(range(len(order), 0, -1))
    assert by_priority(job, order, longest) == order


def main():
    bigrocks, examples = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    ninjas = [path for path in [shutil.which('ninja')] +
              os.environ.get('BIGROCKS_NINJAS', '').split(':') if path]
    if not ninjas:
        print('ninja is not installed')
        return 77
    for ninja in ninjas:
        for seed in [None, 1, 2, 3]:
            with tempfile.TemporaryDirectory(prefix='bigrocks-ninja') as scratch:
                folder = pathlib.Path(scratch) / 'build'
                if seed is None:
                    shutil.copytree(examples / 'ninja', folder)
                else:
                    made_up(folder, seed)
                check(bigrocks, ninja, folder, pathlib.Path(scratch))
    # A job that is no build cannot become one.
    with tempfile.TemporaryDirectory() as scratch:
        plan = pathlib.Path(scratch) / 'plan.json'
        run(bigrocks, 'plan', examples / 'etl.xml', '--capacity', 'cpu=4,mem=2GiB', '-q', '-o', plan)
        done = subprocess.run([bigrocks, 'render', plan, '-f', 'ninja-order'], capture_output=True, text=True)
        assert done.returncode == 3 and 'is not a command of a build.ninja' in done.stderr, done
    print('%d versions of ninja' % len(ninjas))


if __name__ == '__main__':
    sys.exit(main())
