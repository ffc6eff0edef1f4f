#!/usr/bin/env bash
# Guess: a build that failed ends with status 1, whatever the command ended with.
# Seen:  so does 1.11.1; in 1.13.2 the status is that of the failed command, 3 here, also under -k 0. Scripts that
#        compare with 1 take such a failure for something else.
# ninja 1.11.1 and 1.13.2, as PyPI's packages 1.11.1.1 and 1.13.2 bring them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >build.ninja <<'EOF'
rule fail
  command = exit 3
build one: fail
EOF

for pair in 1.11.1.1:1 1.13.2:3; do
    version=${pair%:*} expected=${pair#*:}
    python3 -m venv "venv-$version"
    "venv-$version/bin/pip" install -q --disable-pip-version-check "ninja==$version"
    ninja=$folder/venv-$version/bin/ninja
    for words in '' '-k 0'; do
        status=0
        # shellcheck disable=SC2086
        "$ninja" $words >/dev/null || status=$?
        echo "ninja $("$ninja" --version) $words: status $status"
        [ "$status" -eq "$expected" ]
    done
done
