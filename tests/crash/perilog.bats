#!/usr/bin/env bats
# Shells that are killed around a prolog or an epilog, and a machine that is started again meanwhile: both are run, and
# nothing is lost.

load helper

setup() {
  use_faulty_programs
  fq-init --quiet --store "$STORE" --test-nodes 1:2
  export FQ_STORE=$STORE
  for name in prolog epilog; do
    printf '#!/bin/sh\n. %s/%s.sh\n' "$WORK" "$name" >"$name"
    chmod +x "$name"
    echo "echo $name >>$WORK/order" >"$name.sh"
    printf '[job-manager.%s]\ncommand = "%s"\n' "$name" "$WORK/$name"
  done >fq.toml
  fq-config load fq.toml
  mkfifo up go
  cat /proc/sys/kernel/random/uuid >boot-id
  # It tells that it runs, and waits.
  HELD="echo >$WORK/up; read -r line <$WORK/go"
}

up() { timeout "$LIMIT" sh -c 'read -r line <up'; }
rebooted() { unshare --mount sh -c 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"' "$WORK/boot-id" "$@"; }
events() { fq-job eventlog "$1" | cut -d' ' -f2 | grep -v shell-restart | xargs; }
ALL="submit validate depend priority alloc prolog-start prolog-finish start finish epilog-start epilog-finish release free clean"

@test "the shell dies at each point around prolog and epilog" {
  # Another one goes on: each is run at least once, in order, and the tasks are run once.
  local id point
  for point in perilog-began perilog-ended perilog-stored shell-began; do
    rm -f order
    touch "bin/fault/$point"
    id=$(fq-submit sh -c 'echo task >>order')
    until_true test ! -e "bin/fault/$point"
    fq-tick
    ended "$id"
    expect "CD $ALL" "$(fq-jobs -n -o '{status_abbrev}' "$id") $(events "$id")"
    expect "prolog task epilog" "$(uniq order | xargs)"
    expect 1 "$(grep -c task order)"
    check 0 "checked" "" sh -c 'fq-fsck | cut -d" " -f1'
  done
}

@test "a shell that is killed in its epilog is followed by one that runs it again" {
  # What was left of it is killed first.
  local id
  echo "echo \$\$ >>$WORK/pids; $HELD; echo epilog >>$WORK/order" >epilog.sh
  id=$(fq-submit sh -c 'echo task >>order')
  up
  kill_shell "$id"
  fq-tick
  up
  is_gone "$(head -n 1 pids)"
  timeout "$LIMIT" sh -c 'echo >go'
  ended "$id"
  expect "prolog task epilog" "$(xargs <order)"
  expect "CD $ALL" "$(fq-jobs -n -o '{status_abbrev}' "$id") $(events "$id")"
}

@test "a shell that is killed while its tasks run: they are killed, and the epilog is run" {
  # By another shell.
  local id
  id=$(fq-submit sh -c 'echo >up; exec sleep 1000')
  up
  kill_shell "$id"
  fq-tick
  ended "$id"
  expect "prolog epilog" "$(xargs <order)"
  check 0 "F exec" "" fq-jobs -n -o '{status_abbrev} {exception.type}' "$id"
}

@test "shell, epilog and waker killed at once" {
  # The next command has the epilog run again.
  local id
  echo "echo \$\$ >$WORK/pid; $HELD; echo epilog >>$WORK/order" >epilog.sh
  id=$(fq-submit true)
  up
  kill_waker
  kill_now "$(shell_of "$id")" "$(cat pid)"
  fq-jobs >/dev/null
  up
  timeout "$LIMIT" sh -c 'echo >go'
  ended "$id"
  expect "prolog epilog" "$(xargs <order)"
}

@test "the machine is started again in the middle of a prolog, and of an epilog" {
  # Both are begun anew; the tasks run once.
  rebooted true 2>/dev/null || skip "no mount namespaces"
  local id
  echo "$HELD; echo prolog >>$WORK/order" >prolog.sh
  id=$(fq-submit sh -c 'echo task >>order')
  up
  kill_waker
  kill_now "$(shell_of "$id")"
  rebooted fq-tick
  up
  timeout "$LIMIT" sh -c 'echo >go'
  ended "$id"
  expect "prolog task epilog" "$(uniq order | xargs)"
}
