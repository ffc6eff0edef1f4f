#!/usr/bin/env bash
# Guess: a dry run (`ninja -n`) changes no file of the build.
# Seen:  with `deps = gcc` a dry run deletes the depfile of each command that it lists, if the file is there. Whoever
#        asks ninja for a dry run before reading depfiles by himself finds none.
# ninja 1.11.1 and 1.13.2, as PyPI's packages 1.11.1.1 and 1.13.2 bring them.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

for version in 1.11.1.1 1.13.2; do
    from_pypi "ninja==$version"
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
    ninja >/dev/null
    printf 'object: header\n' >object.d # as a compiler leaves it whose ninja was killed before it read it
    sleep 0.1
    touch source
    before=$(md5sum .ninja_log)
    ninja -n >/dev/null
    differs "ninja $(ninja --version), .ninja_log after a dry run" "$before" "$(md5sum .ninja_log)"
    differs "ninja $(ninja --version), depfiles after a dry run" 0 "$(find . -name object.d | wc -l)"
    cd ..
done
