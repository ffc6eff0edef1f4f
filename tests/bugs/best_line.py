"""A proof by the rounds of lines whose values go beyond 63 bits was accepted, though false; and one whose
best line is hard to find kept `check` busy for hours.
"""
import json
import pathlib
import random
import sys

from case import bigrocks, folder

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'certificates'))
from false_proofs import document, rounds  # noqa: E402


def proof(stages, capacity, *values):
    """That the interval up to the optimum, which is the time of b, is too short."""
    last = stages['b'][0]
    return document(stages, [rounds(last + 1, 0, last, values=[
        {'stage': s, 'value': v} for s, v in values])], [], ((1, {'r': capacity}),), per_second=1000)


def halves(count, seed=1):
    """Tasks that two lines just hold, when they fall into two halves of equal sums; no other will do."""
    rng = random.Random(seed)
    sides = [[rng.randrange(2**30, 2**31) for _ in range(count)] for _ in range(2)]
    sums = [sum(side) for side in sides]
    sides[sums[0] > sums[1]].append(abs(sums[0] - sums[1]))
    stages = {'s%d' % k: (d, 1) for k, d in enumerate(sorted(sides[0] + sides[1]))}
    return dict(stages, b=(max(sums), {})), [(name, d) for name, (d, _) in stages.items()]


HALVES, WORTH = halves(30)
HOLD, HARD = 'the lines hold what the tasks are worth', 'the best line is too hard to find'
FORGED = {
    'overflow': (HOLD, proof({'a': (1, 2**32), 'b': (2**33, {})}, 2**32, ('a', 2**31))),
    'search': (HOLD, proof({'a': ([4, 4], 2**36), 'c': ([6, 6], 2**36), 'b': (2**38 + 1, {})}, 2**36,
                           ('a', 4), ('c', 6))),
    'halves': (HARD, proof(HALVES, 2, *WORTH)),
}
with folder() as scratch:
    for name, (words, forged) in FORGED.items():
        path = pathlib.Path(scratch) / (name + '.json')
        path.write_text(json.dumps(forged))
        done = bigrocks('check', '--certificate', path, timeout=60)
        assert done.returncode == 1 and 'refused: part 1: ' + words in done.stdout, (
            name, done.stdout, done.stderr)
