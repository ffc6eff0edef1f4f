#!/usr/bin/env bash
# Guess: a dry run (`ninja -n`) changes no file of the build.
# Seen:  with `deps = gcc` a dry run deletes the depfile of each command that it lists, if the file is there. Whoever
#        asks ninja for a dry run before reading depfiles by himself finds none.
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
rule cc
  command = printf '%s: header\n' $out > $out.d && cp $in $out
  depfile = $out.d
  deps = gcc
build object: cc source
EOF
    echo 1 >source
    echo 1 >header
    "$ninja" >/dev/null
    printf 'object: header\n' >object.d # as a compiler leaves it whose ninja was killed before it read it
    sleep 0.1
    touch source
    before=$(md5sum .ninja_log)
    "$ninja" -n >/dev/null
    if [ -e object.d ]; then
        echo "ninja $("$ninja" --version): the depfile is still there after a dry run"
        exit 1
    fi
    [ "$before" = "$(md5sum .ninja_log)" ]
    echo "ninja $("$ninja" --version): a dry run has deleted object.d"
    cd ..
done
