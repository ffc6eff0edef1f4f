"""Files of real workflows as outputs (--files), against the workflows' own text, and plans of them under a judge.

judge_files.py BIGROCKS

Sizes and readers are read here anew from DAX and WfFormat. verify/check_plan.py of the public data, which shares no
code with the planner, has to accept the plans. Skipped (77) without the data.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

sys.path.insert(0, __file__.rpartition('/tests/')[0] + '/bench')
import corpus

SPACE = '{urn:bigrocks:job:1}'


def local(tag):
    return tag.rpartition('}')[2]


def uses_of(path):
    """By job: sizes of what it reads and of what it writes, by file."""
    if path.suffix == '.json':
        spec = json.loads(path.read_text())['workflow']['specification']
        size = {}
        for file in spec.get('files', []):
            size[file['id']] = file['sizeInBytes']
        return {task['id']: [{name: size.get(name, 0) for name in task.get(side, [])}
                             for side in ('inputFiles', 'outputFiles')] for task in spec['tasks']}
    found = {}
    for job in ET.parse(path).getroot():
        if local(job.tag) != 'job':
            continue
        sides = found[job.get('id')] = [{}, {}]
        for use in job:
            name = use.get('file') or use.get('name')
            if local(use.tag) == 'uses' and name:
                for side, words in enumerate((('input', 'inout'), ('output', 'inout'))):
                    if use.get('link') in words:
                        sides[side][name] = max(sides[side].get(name, 0), int(use.get('size') or 0))
    return found


def wanted_of(path):
    """(job, bytes, readers) of every file that a job writes alone, in order."""
    uses = uses_of(path)
    writers = {}
    for job, (_, written) in uses.items():
        for name in written:
            writers.setdefault(name, []).append(job)
    readers = {}
    for job, (read, _) in uses.items():
        for name in read:
            readers.setdefault(name, set()).add(job)
    alone = {name: jobs[0] for name, jobs in writers.items() if len(jobs) == 1}
    return sorted((job, max(uses[job][1][name], uses[job][0].get(name, 0)), sorted(readers.get(name, set()) - {job}))
                  for name, job in alone.items() if max(uses[job][1][name], uses[job][0].get(name, 0)) > 0), \
        len(writers) - len(alone)


def found_of(job):
    root = ET.parse(job).getroot()
    held = {(stage.get('id'), out.get('id')): (int(out.get('amount')), []) for stage in root.iter(SPACE + 'stage')
            for out in stage.iter(SPACE + 'output')}
    own = {}
    for stage, out in held:
        own.setdefault(stage, []).append(out)
    for edge in root.iter(SPACE + 'edge'):
        names = own.get(edge.get('from'), []) if edge.get('reads') is None else edge.get('reads').split()
        for name in names:
            held[edge.get('from'), name][1].append(edge.get('to'))
    return sorted((stage, size, sorted(readers)) for (stage, _), (size, readers) in held.items())


def main():
    program = sys.argv[1]
    if not corpus.CHECKER.exists():
        print('no judge: %s is not there' % corpus.CHECKER)
        return 77
    faults, files, judged, outputs = [], 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        job, plan = pathlib.Path(folder, 'job.xml'), pathlib.Path(folder, 'plan.json')
        for path in corpus.files('dax/*.[dx][am][xl]') + corpus.files('wfformat/**/*.json'):
            done = subprocess.run([program, 'convert', str(path), '--files', 'store', '-o', str(job)],
                                  capture_output=True, text=True)
            if done.returncode:
                continue  # neither does it without files: bad inputs are among them
            wanted, several = wanted_of(path)
            found = found_of(job)
            files, outputs = files + 1, outputs + len(found)
            if found != wanted and not several:
                faults.append('%s: %s' % (path.name, [pair for pair in zip(wanted, found) if pair[0] != pair[1]][:1]
                                          or (len(wanted), len(found))))
            if len(uses_of(path)) > 60:
                continue
            room = ['--machines', '1', '--capacity', 'cpu=256,mem=100TiB', '--shared',
                    'store=%d' % (sum(size for _, size, _ in found) + 1)]
            made = subprocess.run([program, 'plan', str(job), *room, '--effort', 'fast', '-q', '-o', str(plan)],
                                  capture_output=True, text=True)
            told = made.returncode or subprocess.run([sys.executable, str(corpus.CHECKER), str(job), str(plan), *room],
                                                     capture_output=True, text=True)
            judged += 1
            if made.returncode or told.returncode:
                faults.append('%s: %s' % (path.name, (made.stderr + (told and told.stdout + told.stderr))[:300]))
    print('\n'.join(faults[:20]))
    print('%d workflows with %d outputs, %d plans judged, %d faults' % (files, outputs, judged, len(faults)))
    return bool(faults) or files < 15 or outputs < 1000


if __name__ == '__main__':
    sys.exit(main())
