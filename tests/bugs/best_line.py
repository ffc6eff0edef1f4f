"""A proof by the rounds of lines whose values go beyond 63 bits was accepted, though false; and one whose
best line is hard to find kept `check` busy for hours.
"""
import json
import pathlib
import sys

from case import bigrocks, folder

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'certificates'))
from false_proofs import document, rounds  # noqa: E402


def proof(stages, capacity, *values):
    """That the interval up to the optimum, which is the time of b, is too short."""
    last = stages['b'][0]
    return document(stages, [rounds(last + 1, 0, last, values=[
        {'stage': s, 'value': v} for s, v in values])], [], ((1, {'r': capacity}),), per_second=1000)


FORGED = {
    'overflow': proof({'a': (1, 2**32), 'b': (2**33, {})}, 2**32, ('a', 2**31)),
    'search': proof({'a': ([4, 4], 2**36), 'c': ([6, 6], 2**36), 'b': (2**38 + 1, {})}, 2**36,
                    ('a', 4), ('c', 6)),
}
with folder() as scratch:
    for name, forged in FORGED.items():
        path = pathlib.Path(scratch) / (name + '.json')
        path.write_text(json.dumps(forged))
        done = bigrocks('check', '--certificate', path, timeout=60)
        assert done.returncode == 1 and 'refused: part 1: the best line is too hard' in done.stdout, (
            name, done.stdout, done.stderr)
