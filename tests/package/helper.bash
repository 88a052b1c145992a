# A throw-away machine: the system of this one, with all that is changed kept in memory, and processes of its own.

. "${BASH_SOURCE[0]%/*}/../imp/expect.bash"

LIMIT=${LIMIT:-120}

# make_machine: MACHINE_PID and MACHINE_ROOT are its first process and where its files are, once use_machine has been called.
make_machine() {
  mkfifo "$BATS_FILE_TMPDIR/up" "$BATS_FILE_TMPDIR/stay"
  mkdir "$BATS_FILE_TMPDIR/machine"
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child --propagation private bash -ec '
    read -r pid rest </proc/self/stat
    mount -t tmpfs -o mode=755 none "$1"
    mkdir "$1/changed" "$1/work" "$1/root"
    mount -t overlay -o "lowerdir=/,upperdir=$1/changed,workdir=$1/work" none "$1/root"
    mount -t proc none "$1/root/proc"
    mount --rbind /dev "$1/root/dev"
    mount --rbind /sys "$1/root/sys"
    mount -t tmpfs -o mode=1777 none "$1/root/tmp"
    mount -t tmpfs -o mode=755 none "$1/root/run"
    echo 0123456789abcdef0123456789abcdef >"$1/root/etc/machine-id"
    mkdir "$1/root/tmp/packages"
    echo "$pid" >"$2"
    read -r line <"$3"' machine "$BATS_FILE_TMPDIR/machine" "$BATS_FILE_TMPDIR/up" "$BATS_FILE_TMPDIR/stay" 3>&- &
  echo $! >"$BATS_FILE_TMPDIR/unshare"
  timeout "$LIMIT" cat "$BATS_FILE_TMPDIR/up" >"$BATS_FILE_TMPDIR/pid"
}
use_machine() {
  MACHINE_PID=$(cat "$BATS_FILE_TMPDIR/pid")
  MACHINE_ROOT=/proc/$MACHINE_PID/root$BATS_FILE_TMPDIR/machine/root
}
end_machine() {
  timeout "$LIMIT" sh -c 'echo >"$0"' "$BATS_FILE_TMPDIR/stay"
  wait "$(cat "$BATS_FILE_TMPDIR/unshare")" || true
  rm -rf "$BATS_FILE_TMPDIR"/{up,stay,pid,unshare,machine}
}

# machine COMMAND...: as root there.
machine() {
  nsenter -t "$MACHINE_PID" -m -p -- chroot "$BATS_FILE_TMPDIR/machine/root" env -i DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
}
# as USER COMMAND...
as() {
  local user=$1
  shift
  machine setpriv --reuid "$user" --regid "$user" --init-groups -- "$@"
}

# build_packages: fqueue.deb, of the build under test, next.deb, the version after it, and nq.deb, which stands for Debian's, in PACKAGES.
build_packages() {
  local place=$BATS_FILE_TMPDIR/packages
  mkdir "$place"
  FQ_COMPRESSION=gzip "$BATS_TEST_DIRNAME/../../tools/package" --use "$FQ_BIN_DIR/.." --to "$place" >"$BATS_FILE_TMPDIR/log"
  mv "$place"/fqueue_0.1.0_*.deb "$place/fqueue.deb"
  dpkg-deb -R "$place/fqueue.deb" "$place/next"
  sed -i 's/^Version: .*/Version: 0.1.1/' "$place/next/DEBIAN/control"
  echo "# newer" >>"$place/next/etc/pam.d/fq"
  dpkg-deb --root-owner-group -Znone -b "$place/next" "$place/next.deb" >/dev/null
  install -D /dev/stdin "$place/nq/usr/bin/fq" <<<$'#!/bin/sh\necho another'
  install -Dm644 /dev/null "$place/nq/usr/share/man/man1/fq.1.gz"
  install -Dm644 /dev/stdin "$place/nq/DEBIAN/control" <<<$'Package: nq\nVersion: 9\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: another fq'
  dpkg-deb --root-owner-group -Znone -b "$place/nq" "$place/nq.deb" >/dev/null
}
# begin_machine: each test has a machine of its own, with the packages in /tmp/packages and a user ada.
begin_machine() {
  PACKAGES=$BATS_FILE_TMPDIR/packages
  make_machine
  use_machine
  export MACHINE_PID BATS_FILE_TMPDIR
  cp "$PACKAGES"/*.deb "$MACHINE_ROOT/tmp/packages"
  machine useradd -m ada
}
# installs NAME: with what it says.
installs() { machine dpkg --force-confold -i "/tmp/packages/$1.deb"; }
status_of_queue() { as ada fq-queue status | tail -n1; }
is_over() { [ "$(as fq fqueue jobs -a -n -o '{status_abbrev}' "$1")" = "$2" ]; }

# until_so looks from a shell of its own.
export -f is_over as machine
