# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by run-example, run-tests and .ci/run: installs what is missing and builds.
# Set `top` to the project's root first.

# Packages that the program and its own tests are built from, as Debian names it ...
build_packages=(gcc libc6-dev meson ninja-build pkg-config python3
    libxml2-dev libyaml-dev libgraphviz-dev graphviz libglpk-dev libsqlite3-dev libzstd-dev zlib1g-dev libcmocka-dev)
# ... what some tests use besides (without it they are skipped, which fails .ci/run): other checkers and readers of
# what is written, engines that run it, shells, a browser for reports ...
test_packages=(g++ binutils make cmake mypy python3-pip python3-venv python3-jsonschema python3-yaml
    libxml2-utils librsvg2-bin scdoc valgrind postgresql snakemake python3-distributed libstarpu-dev chromium abigail-tools groff fish zsh
    clang clang-format trang user-mode-linux)
# ... and what only the checks of .ci/run use: linters, another compiler's run-time library, the makers of packages.
check_packages=(clang-tidy cppcheck libclang-rt-dev shellcheck doxygen build-essential debhelper lintian)
# Builds by cargo and npm, wherever these come from.
command -v cargo >/dev/null || test_packages+=(cargo)
command -v npm >/dev/null || test_packages+=(npm)
# What some tests use that Debian has too old or not at all: Python's own packages, for `want_environment`.
python_packages=('snakemake>=9.10,<10' 'dask[distributed]>=2025.4' 'duckdb>=1.1,<3' 'hyperqueue>=0.26,<0.30'
    'parsl>=2026.7,<2027')
# The suite "slurm" runs a Slurm of its own, by .ci/run alone: its packages start services.
slurm_packages=(slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge)

say() {
    printf '== %s\n' "$*"
}

# Says what is wrong; for `complain ... || return`.
complain() {
    printf 'error: %s\n' "$*" >&2
    return 5
}

# Set by `need` where it has installed something that an older configuration did not find.
news=no

is_installed() {
    dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -x installed >/dev/null
}

# As root, asking for a password only where somebody could type it.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

may_install() {
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null
}

# apt COMMAND OPTION...: apt-get that asks nothing, waits for others who install, and fetches again
# what the network did not bring at once.
apt() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold "$@"
}

has_package() {
    apt-cache show "$@" >/dev/null 2>&1
}

# apt_install PACKAGE...: up to three attempts, for the network may be away for a moment.
apt_install() {
    local attempt
    for attempt in 1 2 3; do
        # Package lists that are absent or too old make the first attempt fail.
        if [ "$attempt" -gt 1 ] || ! has_package "$@"; then
            say "updating the package lists"
            apt update || say "apt-get update failed; trying with the lists there are"
        fi
        if apt install -y --no-install-recommends "$@"; then
            return
        fi
        has_package "$@" || break
        # Nothing can be installed where an earlier installation was broken off.
        as_root env DEBIAN_FRONTEND=noninteractive dpkg --force-confold --configure -a
        [ "$attempt" -eq 3 ] || sleep 10
    done
    return 5
}

# Where the packages have other names, all that can be done is to look for what they bring.
need_elsewhere() {
    local tool library missing=()
    for tool in cc meson ninja pkg-config python3 dot; do
        command -v "$tool" >/dev/null || missing+=("$tool")
    done
    if command -v pkg-config >/dev/null; then
        for library in libxml-2.0 yaml-0.1 libcgraph cmocka; do
            pkg-config --exists "$library" || missing+=("$library")
        done
    fi
    say "this is not Debian; needed is what these Debian packages hold: $*"
    if [ ${#missing[@]} -gt 0 ]; then
        complain "not found: ${missing[*]}; install them by the system's own means and try again"
    fi
}

# need PACKAGE...: installs those that are missing; does nothing where none is. Status 5 where that
# does not work.
need() {
    local package missing=() begin=$SECONDS
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        need_elsewhere "$@"
        return
    fi
    for package in "$@"; do
        is_installed "$package" || missing+=("$package")
    done
    if [ ${#missing[@]} -eq 0 ]; then
        return
    fi
    if ! may_install; then
        complain "no sudo here; let root run: apt-get update && apt-get install -y ${missing[*]}"
        return
    fi
    say "installing Debian packages: ${missing[*]}"
    apt_install "${missing[@]}" || complain "could not install: ${missing[*]}; let root do it" || return
    news=yes
    say "installed within $((SECONDS - begin)) s"
}

# want_neato: from graphviz 14 on the engine of neato is a package of its own.
want_neato() {
    local engine=libgvplugin-neato-layout8
    ! has_package "$engine" || want "$engine"
}

# want PACKAGE...: the same for what can be done without. A package that this system does not have
# keeps none of the others away.
want() {
    local package
    need "$@" && return
    if may_install && command -v apt-cache >/dev/null; then
        for package in "$@"; do
            if ! is_installed "$package" && has_package "$package" &&
                apt install -y --no-install-recommends "$package"; then
                news=yes
            fi
        done
    fi
    say "going on without what is missing"
}

# want_environment: programs and modules of Python's that Debian does not have, from where pip finds them, in an
# environment below build-ci, where tests look for them. It is made anew where the list has changed; where something
# is missing, there is none, and these tests are skipped.
want_environment() {
    local dir=$top/build-ci/python begin=$SECONDS
    [ "$(cat "$dir/packages" 2>/dev/null)" != "${python_packages[*]}" ] || return 0
    say "installing Python's packages: ${python_packages[*]}"
    rm -rf "$dir"
    mkdir -p "$top/build-ci"
    if python3 -m venv "$dir" && "$dir/bin/pip" install -q --disable-pip-version-check "${python_packages[@]}"; then
        echo "${python_packages[*]}" >"$dir/packages"
        say "installed within $((SECONDS - begin)) s"
    else
        rm -rf "$dir"
        say "going on without what is missing"
    fi
}

# was_configured_here DIR: whether meson set DIR up for this very source.
was_configured_here() {
    python3 - "$1/meson-info/meson-info.json" "$top" <<'EOF'
import json, sys
try:
    sys.exit(json.load(open(sys.argv[1]))['directories']['source'] != sys.argv[2])
except (OSError, ValueError, KeyError):
    sys.exit(1)
EOF
}

# configure DIR OPTION...: a meson build directory that is fit for use. A directory that another
# version of meson or another place of the source left behind is made anew.
configure() {
    local dir=$1
    shift
    if [ ! -e "$dir/meson-private/coredata.dat" ]; then
        # Without coredata.dat nothing in there is of use, and meson may refuse the rest.
        rm -rf "$dir/meson-private" "$dir/meson-info" "$dir/build.ninja"
        meson setup "$dir" "$top" "$@"
    elif ! was_configured_here "$dir" || ! ninja -C "$dir" build.ninja >/dev/null; then
        say "the configuration in $dir does not fit any more; making it anew"
        meson setup --wipe "$dir" "$top" "$@"
    elif [ "$news" = yes ]; then
        meson setup --reconfigure "$dir" "$top"
    fi
}

# build DIR OPTION...: configures where necessary, and compiles.
build() {
    configure "$@"
    ninja -C "$1"
}

# build_program DIR OPTION...: the same for the program alone, without tests and libraries.
build_program() {
    local targets
    configure "$@"
    targets=$(ninja -C "$1" -t targets all | grep -oE '^(cli|lp)/bigrocks[a-z-]*: ' | tr -d ':')
    # shellcheck disable=SC2086
    ninja -C "$1" $targets
}
