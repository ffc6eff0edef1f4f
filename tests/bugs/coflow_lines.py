#!/usr/bin/env python3
"""Lines of one id in a trace of coflows are one coflow: what they carry adds up, and the first one's arrival counts."""
import json

import case


def run(*lines):
    done = case.bigrocks('coflow', '-', '--policy', 'varys,fair', '--format', 'json',
                         input='8 %d\n' % len(lines) + ''.join(line + '\n' for line in lines))
    assert done.returncode == 0, done
    return json.loads(done.stdout), done.stderr


# Mappers 1, 2 to reducers 5, 6 and mapper 2 to reducers 4, 5: 2 to 5 carries 8 + 4 MB. The same in one line cannot be
# said where senders differ, so these are equal: mapper 1 alone, in two lines and in one.
OTHER = '7 100 1 3 1 5:10'
two, said = run('9 50 1 1 1 5:16', OTHER, '9 20 1 1 2 5:4 6:8')
one, quiet = run('9 20 1 1 2 5:20 6:8', OTHER)
assert two['results'] == one['results'] and two['trace']['coflows'] == 2, (two, one)
assert 'each part of that coflow: 1' in said and quiet == '', (said, quiet)
apart, _ = run('9 50 1 1 1 5:16', OTHER, '8 20 1 1 2 5:4 6:8')
assert apart['results'] != two['results'] and apart['trace']['coflows'] == 3, apart

# Senders that differ: the union, of 2 x 3 ports, with nothing from 1 to 4.
mixed, _ = run('9 0 2 1 2 2 5:16 6:2', '9 0 1 2 2 4:6 5:4')
assert mixed['trace']['coflows'] == 1 and mixed['trace']['flows'] == 6, mixed
