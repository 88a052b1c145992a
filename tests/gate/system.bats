#!/usr/bin/env bats
# fq init --system: what a queue that a machine's users share needs, in a mount namespace of the tests' own in which there is
# nothing of it yet.

load ../imp/helper

setup_file() {
  make_world
  # shellcheck disable=SC2016
  nsenter -t "$(cat "$BATS_FILE_TMPDIR/world")" -m -- sh -ec '
    cp -a "$1"/. /usr/libexec/fq
    chown -hR root:root /usr/libexec/fq
    cp -a /etc /mnt/etc' world "$REPO_BIN"
}
teardown_file() { end_world; }

setup() {
  WORLD_PID=$(cat "$BATS_FILE_TMPDIR/world")
  # shellcheck disable=SC2016
  world sh -ec '
    for name in passwd group shadow; do grep -v "^fq:" "/mnt/etc/$name" >"/etc/$name"; done
    rm -rf /etc/fq /etc/pam.d/fq /etc/tmpfiles.d /etc/systemd/system/fq-tick.* /run/systemd /usr/libexec/fq/systemctl
    mkdir /etc/tmpfiles.d
    chmod 755 /usr/libexec/fq/fq-gate /usr/libexec/fq/fq-imp'
}
teardown() {
  world rm -rf /var/lib/fq /var/lib/fq-imp
}
init() { as root fq-init --system "$@"; }
fq_uid() { world id -u fq; }

@test "one command sets up a queue for all users, without systemd" {
  # A line for each thing that it made; who it is whose, and who may read what.
  run --separate-stderr init --test-nodes 2:4
  expect "0|user      fq ($(fq_uid))
keys      /etc/fq/imp.key, /etc/fq/imp.pub
session   /etc/pam.d/fq
setuid    /usr/libexec/fq/fq-gate, /usr/libexec/fq/fq-imp
tmpfiles  /etc/tmpfiles.d/fq.conf
place     /var/lib/fq
store     /var/lib/fq
nodes     2 (node[0-1])
cores     8
gpus      0
at boot   to be called by root: /usr/libexec/fq/fq-tick --store /var/lib/fq|" "$status|$output|$stderr"
  [ "$(fq_uid)" -lt 1000 ]
  expect "755 root root /etc/fq
600 root root /etc/fq/imp.key
644 root root /etc/fq/imp.pub
644 root root /etc/pam.d/fq
700 fq fq /var/lib/fq
700 fq fq /var/lib/fq/db
4755 root root /usr/libexec/fq/fq-gate
4755 root root /usr/libexec/fq/fq-imp" "$(world stat -c '%a %U %G %n' /etc/fq /etc/fq/imp.key /etc/fq/imp.pub /etc/pam.d/fq \
    /var/lib/fq /var/lib/fq/db /usr/libexec/fq/fq-gate /usr/libexec/fq/fq-imp)"
  expect "" "$(world find /var/lib/fq ! -user fq)"
  expect "fq:/nonexistent:/usr/sbin/nologin" "$(world getent passwd fq | cut -d: -f1,6,7)"
  # Users find it by themselves, and what they sign is verified by the new key.
  expect "8" "$(as fqtest-a fq-resource list -n -s all -o '{ncores}')"
  echo '{}' | signed fqtest-a asked
  as fqtest-b imp_tool show /mnt/asked.J
  # What is called at boot works for root, through the gate.
  as root fq-tick --store /var/lib/fq
  expect "" "$(world find /var/lib/fq ! -user fq)"
}

@test "a second run changes nothing, and says so" {
  local before
  init --quiet --test-nodes 2:4
  before=$(world find /etc /var/lib/fq /usr/libexec/fq -newer /mnt/etc -printf '%p %T@ %m %u\n' | sort)
  run --separate-stderr init
  expect "0|everything is there: nothing was changed|" "$status|$output|$stderr"
  expect "$before" "$(world find /etc /var/lib/fq /usr/libexec/fq -newer /mnt/etc -printf '%p %T@ %m %u\n' | sort)"
  # What is missing is made again, and nothing else.
  world rm /etc/pam.d/fq /etc/fq/imp.pub
  run --separate-stderr init
  expect "0|keys      /etc/fq/imp.pub
session   /etc/pam.d/fq
at boot   to be called by root: /usr/libexec/fq/fq-tick --store /var/lib/fq|" "$status|$output|$stderr"
  echo '{}' | signed fqtest-a again
}

@test "keys are replaced when it is asked for, and the old ones verify for a while" {
  local before
  init --quiet --test-nodes 1:1
  before=$(world cat /etc/fq/imp.pub)
  run --separate-stderr init --new-key
  expect "0|keys      /etc/fq/imp.key, /etc/fq/imp.pub
at boot   to be called by root: /usr/libexec/fq/fq-tick --store /var/lib/fq|" "$status|$output|$stderr"
  expect "$before" "$(world sed -n '1s/ [0-9]*$//p' /etc/fq/imp.pub)"
  expect 2 "$(world grep -c . /etc/fq/imp.pub)"
  # A key that others may have read is not gone on with.
  world chmod 640 /etc/fq/imp.key
  refuses 1 "fq-init: '/etc/fq/imp.key' is not root's alone (who has read it can sign for anybody: remove both files of keys, and run this again)" init
}

@test "systemd starts it at boot, where it runs" {
  # By a service and a timer; those of a package, or of an administrator, stay.
  world mkdir -p /run/systemd/system
  # shellcheck disable=SC2016
  printf '%s\n' '#!/bin/sh' 'echo "$*" >>/mnt/systemctl' '[ "$2" != is-enabled ] || [ -e "/mnt/enabled-$3" ]' \
    '[ "$2" != enable ] || : >"/mnt/enabled-$3"' >"$(where systemctl.sh)"
  world rm -f /mnt/systemctl /mnt/enabled-fq-tick.service /mnt/enabled-fq-tick.timer
  world install -m 755 /mnt/systemctl.sh /usr/libexec/fq/systemctl
  run --separate-stderr init --test-nodes 1:1
  expect "0|at boot   systemd: fq-tick.service, fq-tick.timer|" "$status|$(tail -n1 <<<"$output")|$stderr"
  expect "daemon-reload
--quiet enable fq-tick.service
daemon-reload
--quiet enable fq-tick.timer
--quiet start fq-tick.timer" "$(cat "$(where systemctl)")"
  world grep -qx 'ExecStart=/usr/libexec/fq/fq-tick --store /var/lib/fq' /etc/systemd/system/fq-tick.service
  run --separate-stderr init
  expect "0|everything is there: nothing was changed|" "$status|$output|$stderr"
}

@test "what cannot be set up is refused before anything is made" {
  # By whom, from where, with what, and beside what.
  local made
  made() { world find /etc/fq /var/lib/fq 2>/dev/null || :; }
  refuses 1 "fq-init: only root can set up a queue that all users of this machine share (run fq init --system as root; fq init makes a store of your own)" \
    as fqtest-a fq-init --system
  refuses 1 "fq-init: this fq is not installed: fq-gate is '/mnt/bin/fq-gate' (it must be /usr/libexec/fq/fq-gate: cmake --install puts it there)" \
    world sh -c 'mkdir -p /mnt/bin; cp /usr/libexec/fq/fq /usr/libexec/fq/fq-gate /mnt/bin; exec /mnt/bin/fq init --system'
  refuses 2 "fq-init: --system makes the store in /var/lib/fq: --store, --force and --adopt do not go with it" init --store /mnt/store
  refuses 1 "fq-init: '/var/lib/fq' is the place of a store that users share, not of root's (fq init --system makes it)" as root fq-init --store /var/lib/fq
  refuses 2 "fq-init: --new-key goes with --system" as root fq-init --new-key
  echo '[queues' >"$(where wrong.toml)"
  run --separate-stderr init --config /mnt/wrong.toml
  expect "1||" "$status|$output|"
  expect "" "$(made)"
  world chmod g+w /usr/libexec/fq/fq-tasks
  refuses 1 "fq-init: '/usr/libexec/fq/fq-tasks' can be changed by others than root (what runs with root's rights must be root's alone)" init
  world chmod g-w /usr/libexec/fq/fq-tasks
  expect "" "$(made)"
  # Another's directory in the place of the store, or a person who has the name.
  world install -d -o fqtest-a /var/lib/fq
  refuses_last "fq-init: '/var/lib/fq' belongs to user 64101 (a store that users share is user 'fq''s: move it away)" init --test-nodes 1:1
  world sh -c 'rm -r /var/lib/fq; ln -s /mnt /var/lib/fq'
  refuses_last "fq-init: '/var/lib/fq' is not a directory" init --test-nodes 1:1
  world rm /var/lib/fq
  world sh -c 'grep -v "^fq:" /mnt/etc/passwd >/etc/passwd; echo "fq:x:1990:1990::/mnt:/bin/sh" >>/etc/passwd'
  refuses 1 "fq-init: user 'fq' has number 1990 (the store must be of a user of the system's own)" init --test-nodes 1:1
}
# refuses_last MESSAGE COMMAND...: it failed with this message, whatever was made before.
refuses_last() {
  run --separate-stderr "${@:2}"
  expect "1|$1" "$status|$stderr"
}

@test "who logs in from another machine comes to it by the gate" {
  # fq-door leads there as the user who logs in, for whom jobs are signed there; with one's own store named, it leads to that.
  init --quiet --test-nodes 2:4
  # shellcheck disable=SC2016
  printf '#!/bin/sh\nshift\nexec sh -c "$*"\n' >"$(where my-ssh)"
  world chmod 755 /mnt/my-ssh
  expect "Scheduling is started" "$(as fqtest-a env FQ_SSH=/mnt/my-ssh fq --host here queue status | tail -n1)"
  refuses 1 "fq-queue: only the owner may stop a queue" as fqtest-a env FQ_SSH=/mnt/my-ssh fq --host here queue stop
  expect "fqtest-a" "$(as fqtest-a env FQ_SSH=/mnt/my-ssh fq --host here run --cwd=/mnt id -un)"
  as fqtest-a fq-init --quiet --store /mnt/own --test-nodes 1:1
  expect "1" "$(as fqtest-a env FQ_SSH=/mnt/my-ssh fq --host here --store /mnt/own resource list -n -s all -o '{nnodes}')"
  expect "mine" "$(as fqtest-a env FQ_SSH=/mnt/my-ssh fq --host here --store /mnt/own run echo mine)"
  world rm -rf /mnt/own
}

@test "a store that is there is not made anew" {
  # Its configuration and nodes are changed by commands for that.
  init --quiet --test-nodes 2:4
  refuses 1 "fq-init: there is a store in '/var/lib/fq' already (fq config load changes its configuration, fq resource reload its nodes)" \
    init --test-nodes 1:1
  expect "8" "$(as fqtest-a fq-resource list -n -s all -o '{ncores}')"
}
