"""Generated jobs with outputs, licences and times: planned, and the plans judged.

judge_extras.py BIGROCKS

verify/check_plan.py of the public data, which shares no code with the planner, has to accept every
plan. Jobs for which no plan is found are counted; few may be. Skipped (77) without the data.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, __file__.rpartition('/tests/')[0] + '/bench')
import corpus

MACHINES = ['--machines', '2', '--capacity', 'cpu=16,mem=64GiB,net=1000,disk=1000']
SHARED = ['--shared', 'licence=3,scratch=120GiB']
EXTRAS = ['--outputs', '0.5', '--outputs-from-end', '0.3', '--output-amount', '2GiB', '--licences', '0.3',
          '--releases', '0.2', '--deadlines', '0.1', '--lags', '0.2', '--streams', '0.1']
KINDS = ['cosmos', 'layered', 'fork-join', 'series-parallel', 'chain', 'independent']
WORDS = ['<output id="out" resource="scratch"', ' from="end"', '"licence" amount="1"', ' release="',
         ' deadline="', ' lag="', ' stream="yes"']


# With alternatives, on machines of three kinds.
MIXED = ['--cluster', str(pathlib.Path(__file__).resolve().parents[2] / 'examples/cluster-mixed.xml')]
WAYS = ['--alternatives', '0.6', '--classes', '0.3']
WAYS_WORDS = ['<alternative id="four"', 'class="gpu-node"', ' consume="yes"', ' class="node"']


def judge(program, folder, extras, cluster, words, faults):
    """Plans of all kinds of jobs, judged; how many, and how many had none."""
    job, plan, judged, without, seen = folder / 'job.xml', folder / 'plan.json', 0, 0, dict.fromkeys(words, 0)
    for kind in KINDS:
        for seed in range(1, 5):
            subprocess.run([program, 'generate', '--like', kind, '--seed', str(seed), '--tasks', '60', '--stages',
                            '15', *extras, '-o', str(job)], check=True)
            for word in words:
                seen[word] += word in job.read_text()
            made = subprocess.run([program, 'plan', str(job), *cluster, '--effort', 'fast', '-o', str(plan)],
                                  capture_output=True, text=True)
            if made.returncode:
                without += 1
                print('%s, seed %d: %s' % (kind, seed, made.stderr.strip()))
                continue
            told = subprocess.run([sys.executable, str(corpus.CHECKER), str(job), str(plan), *cluster],
                                  capture_output=True, text=True)
            judged += 1
            if told.returncode:
                faults.append('%s, seed %d: %s' % (kind, seed, (told.stdout + told.stderr)[:300]))
    faults += ['no job has %s' % word for word in words if not seen[word]]
    return judged, without


def main():
    program = sys.argv[1]
    if not corpus.CHECKER.exists():
        print('no judge: %s is not there' % corpus.CHECKER)
        return 77
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        judged, without = judge(program, folder, EXTRAS, [*MACHINES, *SHARED], WORDS, faults)
        ways, none = judge(program, folder, WAYS, MIXED, WAYS_WORDS, faults)
    if none:
        faults.append('%d jobs with alternatives have no plan' % none)
    judged += ways
    if without > judged // 4:
        faults.append('too many jobs have no plan')
    print('\n'.join(faults))
    print('%d plans judged, %d jobs without a plan, %d faults' % (judged, without, len(faults)))
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
