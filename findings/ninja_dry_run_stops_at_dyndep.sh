#!/usr/bin/env bash
# Guess: `ninja -n` of a tree that was never built lists all commands and ends with status 0.
# Seen:  it lists the command that would make a dyndep file, then fails with status 1, since it goes on to load the
#        file that a dry run does not make. So for each clean tree of CMake's with Fortran or C++20 modules.
# ninja 1.11.1 and 1.13.2, as PyPI's packages 1.11.1.1 and 1.13.2 bring them.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

for version in 1.11.1.1 1.13.2; do
    from_pypi "ninja==$version"
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
    said=$(ninja -n 2>&1) || status=$?
    differs "ninja $(ninja --version), status of a dry run" 1 "$status"
    differs "ninja $(ninja --version), its last line" "ninja: build stopped: loading 'order': No such file or directory." \
        "${said##*$'\n'}"
    ninja >/dev/null
    differs "ninja $(ninja --version), objects of the build itself" 1 "$(find . -name object | wc -l)"
    cd ..
done
