#!/usr/bin/env python3
"""Every rule of the checkers of proofs is needed: a false proof for each that it alone refuses.

check_proof_rules.py BIGROCKS

The table is in false_proofs.py. Both checkers refuse every document of it; what each claims is more
than the optimum, by trying everything; and the Python checker without the rule accepts it. (The core
without each of its rules: bench/proof_rules, which compiles it anew for each.)
"""
import copy
import json
import pathlib
import random
import sys
import tempfile
from fractions import Fraction

from false_proofs import RULES, TRUE, optimum
from proofs import NO_FORM, ROOT, at, leaves, load_checker, run, verdicts, write_all

SOURCE = (ROOT / 'tools/check_certificate.py').read_text(encoding='utf-8')


def refused_by(checker, document):
    """Why the checker refuses it; None where it does not."""
    try:
        checker.check(json.loads(json.dumps(document), parse_float=Fraction))
    except (checker.Refused, *NO_FORM) as why:
        return str(why) or repr(why)
    return None


# Numbers at the ends of what 32, 53, 59, 62 and 63 bits hold.
ENDS = [2**32, -2**32, 2**53, 2**59, 2**60, 2**61, 2**62, -2**62, 2**63 - 2, 1 - 2**63]


def far_out(rng):
    """A false proof with numbers in it that no job has: as false, and no sum may wrap around."""
    document = copy.deepcopy(rng.choice(RULES)['document'])
    proof = rng.choice(document['certificate']['parts'])
    places = [p for p in leaves(proof) if isinstance(at(proof, p), int)]
    for _ in range(rng.choice((1, 2, 4))):
        place = rng.choice(places)
        at(proof, place[:-1])[place[-1]] = rng.choice(ENDS) + rng.choice((-1, 0, 0, 1))
    return document


def main():
    program, faults = str(pathlib.Path(sys.argv[1]).resolve()), []
    assert len({r['name'] for r in RULES}) == len(RULES), 'two rules have the same name'
    checker = load_checker(SOURCE)
    with tempfile.TemporaryDirectory(prefix='bigrocks-rules') as scratch:
        paths = write_all(pathlib.Path(scratch), [r['document'] for r in RULES])
        core = run(program, 'check', '--certificate', *paths).stdout.decode()
        for name, accepted in zip(('the core', 'Python'), verdicts(program, pathlib.Path(scratch), TRUE)):
            if not all(accepted):
                faults.append((name, 'refuses true proof %d' % accepted.index(False)))
        rng = random.Random(5)
        for name, accepted in zip(('the core', 'Python'), verdicts(program, pathlib.Path(scratch), [
                far_out(rng) for _ in range(1000)])):
            if any(accepted):
                faults.append((name, 'accepts a false proof with large numbers: %d' % accepted.index(True)))
    for r, path in zip(RULES, paths):
        # Refused as false, not as what cannot be read.
        if '%s: refused: ' % path not in core:
            faults.append((r['name'], 'the core accepts it, or cannot read it'))
        if not refused_by(checker, r['document']):
            faults.append((r['name'], 'the Python checker accepts it'))
        if not r['form'] and Fraction(str(r['document']['lower_bound'])) <= optimum(r['document']):
            faults.append((r['name'], 'it is true: the optimum is %s' % optimum(r['document'])))
        if r['python']:
            old, new = r['python']
            if SOURCE.count(old) != 1:
                faults.append((r['name'], 'stands %d times in the Python checker' % SOURCE.count(old)))
                continue
            why = refused_by(load_checker(SOURCE.replace(old, new)), r['document'])
            if why:
                faults.append((r['name'], 'refused without the rule, too: ' + why))
    for name, fault in faults:
        print('%s: %s' % (name, fault))
    print('%d rules, %d of them in the Python checker, %d in the core' % (
        len(RULES), sum(r['python'] is not None for r in RULES), sum(r['core'] is not None for r in RULES)))
    sys.exit(len(faults) > 0)


if __name__ == '__main__':
    main()
