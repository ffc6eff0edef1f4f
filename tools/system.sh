# shellcheck shell=bash
# Sourced by tools/elsewhere and tools/packages: Debian systems as debootstrap makes them. Needs root.
# BIGROCKS_MIRROR names another mirror than Debian's.

# own_mounts ARGUMENT...: starts the script again with mounts of its own, which go when it ends. Status 5 if
# something is missing.
own_mounts() {
    local tool
    for tool in debootstrap unshare chroot; do
        command -v "$tool" >/dev/null || {
            echo "error: $tool is not installed" >&2
            exit 5
        }
    done
    [ "$(id -u)" = 0 ] || {
        echo "error: only root can make a system" >&2
        exit 5
    }
    [ "${BIGROCKS_ELSEWHERE:-}" ] || BIGROCKS_ELSEWHERE=1 exec unshare --mount --pid --fork "$0" "$@"
}

# make_system SUITE ROOT LOG: the least system there is, with a user `stranger` who may use sudo.
make_system() {
    local suite=$1 root=$2 log=$3
    [ ! -e "$root/etc/sudoers.d/stranger" ] || return 0
    rm -rf --one-file-system "$root"
    debootstrap --variant=minbase "$suite" "$root" ${BIGROCKS_MIRROR:+"$BIGROCKS_MIRROR"} >"$log" 2>&1 || {
        tail -3 "$log" >&2
        exit 5
    }
    cp /etc/resolv.conf "$root/etc/"
    # A mirror that stands still is old enough to be refused otherwise.
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/mirror"
    chroot "$root" sh -c 'apt-get update -q && apt-get install -y -q sudo git ca-certificates &&
        useradd -m stranger' >>"$log" 2>&1
    # Behind a proxy of its own, a site's certificates are needed there, too.
    if compgen -G '/usr/local/share/ca-certificates/*.crt' >/dev/null; then
        cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/"
        chroot "$root" update-ca-certificates >>"$log" 2>&1
    fi
    echo 'stranger ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/stranger"
}

# mount_system ROOT: what a system expects to be mounted, and to know of this machine.
mount_system() {
    local root=$1 stream device name number major minor
    printf '127.0.0.1 localhost\n127.0.1.1 %s\n' "$(hostname)" >"$root/etc/hosts"
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sys "$root/sys"
    mount -t tmpfs -o mode=755 dev "$root/dev"
    mkdir "$root/dev/pts" "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts "$root/dev/pts"
    mount -t tmpfs -o mode=1777 shm "$root/dev/shm"
    ln -s pts/ptmx "$root/dev/ptmx"
    ln -s /proc/self/fd "$root/dev/fd"
    for stream in 'stdin 0' 'stdout 1' 'stderr 2'; do
        read -r name number <<<"$stream"
        ln -s "/proc/self/fd/$number" "$root/dev/$name"
    done
    for device in 'null 1 3' 'zero 1 5' 'full 1 7' 'random 1 8' 'urandom 1 9' 'tty 5 0'; do
        read -r name major minor <<<"$device"
        mknod -m 666 "$root/dev/$name" c "$major" "$minor"
    done
}

# as_stranger ROOT COMMAND: in there, at home, with nothing of this system's settings.
as_stranger() {
    env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 HOME=/home/stranger USER=stranger \
        DEBIAN_FRONTEND=noninteractive PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
        SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt \
        chroot --userspec=stranger "$1" sh -c "cd /home/stranger && $2" </dev/null
}
