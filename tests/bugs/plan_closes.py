"""`plan` left a gap at jobs of 25 to 64 tasks on some machines of which `bound` proves at once that the plan is
optimal: the search did not ask the exact solver.
"""
import pathlib
import random

from case import bigrocks, folder


def job(seed, tasks=28):
    rng = random.Random(seed)
    text = ['<?xml version="1.0"?><job xmlns="urn:bigrocks:job:1" name="j">']
    for k in range(tasks):
        text.append('<stage id="s%d" duration="%d"><demand resource="cpu" amount="%d"/><demand resource="mem" amount="%d"/>'
                    '</stage>' % (k, rng.randint(1, 20), rng.randint(1, 4), rng.randint(1, 9)))
    for k in range(1, tasks):
        for p in set(rng.randrange(max(0, k - 8), k) for _ in range(rng.randint(0, 2))):
            text.append('<edge from="s%d" to="s%d"/>' % (p, k))
    return ''.join(text) + '</job>'


with folder() as scratch:
    path = pathlib.Path(scratch) / 'job.xml'
    for seed, optimum in (3, 100), (10, 86):
        path.write_text(job(seed))
        said = [bigrocks('plan', path, '--machines', '3', '--capacity', 'cpu=4,mem=9', '--no-lp', '--threads', threads)
                for threads in ('1', '3')]
        assert said[0].stdout == said[1].stdout, said
        assert 'makespan     %d s\n' % optimum in said[0].stdout, said[0].stdout
        assert 'gap          0 %, proven optimal\n' in said[0].stdout, said[0].stdout
