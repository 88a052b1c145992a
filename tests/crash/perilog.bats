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
# written NAME ID: what that log says that was written.
written() { fq-job eventlog -f json -p "$1" "$2" | sed -n 's/.*"data":"\(.*\)\\n".*/\1/p'; }
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
  echo "[ -e $WORK/pids ] && echo second || echo first; echo \$\$ >>$WORK/pids; $HELD; echo epilog >>$WORK/order" >epilog.sh
  id=$(fq-submit sh -c 'echo task >>order')
  up
  kill_shell "$id"
  fq-tick
  up
  is_gone "$(head -n 1 pids)"
  timeout "$LIMIT" sh -c 'echo >go'
  ended "$id"
  expect "prolog task epilog" "$(xargs <order)"
  check 0 "first" "" written epilog.1 "$id"
  check 0 "second" "" written epilog "$id"
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

# with_housekeeping TEXT: it does that.
with_housekeeping() {
  printf '#!/bin/sh\n. %s/housekeeping.sh\n' "$WORK" >housekeeping
  chmod +x housekeeping
  echo "$1" >housekeeping.sh
  printf '[job-manager.housekeeping]\ncommand = "%s"\n' "$WORK/housekeeping" >fq.toml
  fq-config load fq.toml
}
none_left() { [ -z "$(fq-housekeeping list -n)" ]; }

@test "the shell of housekeeping dies at each point" {
  # Another one goes on; the nodes are free once, and for others then.
  local id point
  with_housekeeping "echo housekeeping >>$WORK/order"
  for point in shell-began perilog-began perilog-ended perilog-stored; do
    rm -f order
    touch "bin/fault/$point"
    id=$(fq-submit true)
    until_true test ! -e "bin/fault/$point"
    fq-tick
    ended "$id"
    until_true none_left
    expect "housekeeping" "$(uniq order)"
    check 0 "2" "" fq-resource list -n -s free -o '{ncores}'
    check 0 "checked" "" sh -c 'fq-fsck | cut -d" " -f1'
  done
}

@test "the machine is started again in the middle of housekeeping" {
  # It is begun anew, and holds its nodes until then.
  rebooted true 2>/dev/null || skip "no mount namespaces"
  local id
  with_housekeeping "echo >$WORK/up; read -r line <$WORK/go; echo \$FQ_JOB_NODELIST >>$WORK/order"
  id=$(fq-submit true)
  up
  ended "$id"
  kill_waker
  kill_now $(processes find "$STORE" fq-shell)
  check 0 "0" "" fq-resource list -n --skip-empty -s free -o '{ncores}' || true
  rebooted fq-tick
  up
  timeout "$LIMIT" sh -c 'echo >go'
  until_true none_left
  expect "node0" "$(cat order)"
  check 0 "2" "" fq-resource list -n -s free -o '{ncores}'
}

@test "housekeeping that loses its shell each time is given up, and drains the node" {
  # What is left of it is killed.
  local id i
  with_housekeeping "echo \$\$ >>$WORK/pids; echo >$WORK/up; read -r line <$WORK/go"
  id=$(fq-submit true)
  ended "$id"
  for i in 1 2 3 4 5 6 7 8 9 10; do
    up
    kill_now $(processes find "$STORE" fq-shell)
    fq-tick
  done
  until_true none_left
  expect "node0 housekeeping after job $id failed: '$WORK/housekeeping' was killed with its shell, each time" \
    "$(fq-resource drain -n -o '{nodelist} {reason}')"
  is_gone "$(tail -n 1 pids)"
}
