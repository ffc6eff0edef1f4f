#!/usr/bin/env bash
# Guess: a build that failed ends with status 1, whatever the command ended with.
# Seen:  so does 1.11.1; in 1.13.2 the status is that of the failed command, 3 here, also under -k 0. Scripts that
#        compare with 1 take such a failure for something else.
# ninja 1.11.1 and 1.13.2, as PyPI's packages 1.11.1.1 and 1.13.2 bring them.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"
cat >build.ninja <<'EOF'
rule fail
  command = exit 3
build one: fail
EOF

for pair in 1.11.1.1:1 1.13.2:3; do
    version=${pair%:*} expected=${pair#*:}
    from_pypi "ninja==$version"
    for words in '' '-k 0'; do
        status=0
        # shellcheck disable=SC2086
        ninja $words >/dev/null || status=$?
        differs "ninja $(ninja --version) $words: status" "$expected" "$status"
    done
done
