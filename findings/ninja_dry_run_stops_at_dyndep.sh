#!/usr/bin/env bash
# Guess: `ninja -n` of a tree that was never built lists all commands and ends with status 0.
# Seen:  it lists the command that would make a dyndep file, then fails with status 1, since it goes on to load the
#        file that a dry run does not make. So for each clean tree of CMake's with Fortran or C++20 modules.
# ninja 1.11.1 and 1.13.2, as PyPI's packages 1.11.1.1 and 1.13.2 bring them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

for version in 1.11.1.1 1.13.2; do
    python3 -m venv "venv-$version"
    "venv-$version/bin/pip" install -q --disable-pip-version-check "ninja==$version"
    ninja=$folder/venv-$version/bin/ninja
    mkdir "build-$version"
    cd "build-$version"
    cat >build.ninja <<'EOF'
rule touch
  command = touch $out
rule scan
  command = printf 'ninja_dyndep_version = 1\nbuild object: dyndep\n' > $out
build order: scan
build object: touch || order
  dyndep = order
EOF
    status=0
    said=$("$ninja" -n 2>&1) || status=$?
    if [ "$status" -ne 1 ] || [[ $said != *"loading 'order': No such file or directory"* ]]; then
        echo "ninja $("$ninja" --version): status $status, $said"
        exit 1
    fi
    "$ninja" >/dev/null # the build itself is sound
    [ -e object ]
    echo "ninja $("$ninja" --version): a dry run fails: ${said##*$'\n'}"
    cd ..
done
