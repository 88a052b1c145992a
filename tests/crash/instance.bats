#!/usr/bin/env bats
# The instance of a batch job whose processes are killed: its jobs end as those of any store, and nothing of it outlives
# the job.

load helper

setup() {
  use_faulty_programs
  fq-init --quiet --store "$STORE" --test-nodes 1:4
  export FQ_STORE=$STORE
  mkfifo up go
}

up() { timeout "$LIMIT" sh -c 'read -r line <up'; }
go() { timeout "$LIMIT" sh -c 'echo >go'; }
# batch SCRIPT: a batch job of the script; its id in id.
batch() { id=$(fq-batch -n4 --output=out.txt --wrap <<<"exec 2>&1; $1"); }

@test "a shell of an instance is killed: its job has failed there, and others go on" {
  # What it ran is killed by the next command in the instance; the batch job ends as its script does.
  local id inner
  batch "inner=\$(fq-submit sh -c 'echo \$\$ >$WORK/pid; echo >$WORK/up; exec sleep 1000')
    read -r line <$WORK/go
    fq-job wait \$inner; echo \$?
    fq-run echo next"
  up
  inner=$(fq-job uri "$id")
  kill_now $(processes find "$inner" fq-shell)
  go
  ended "$id"
  expect "137
next" "$(grep -v exec: out.txt)"
  grep -q 'exec: the job shell was killed' out.txt
  is_gone "$(cat pid)"
  check 0 "CD" "" fq-jobs -n -o '{status_abbrev}' "$id"
}

@test "the waker of an instance is killed: its jobs run on" {
  # The next command starts another one.
  local id inner
  batch "fq-submit --quiet sh -c 'echo >$WORK/up; read -r line <$WORK/go; echo first >>$WORK/order'
    fq-submit --quiet --begin-time=+1s sh -c 'echo second >>$WORK/order'
    fq-queue drain"
  up
  inner=$(fq-job uri "$id")
  for pid in $(processes find "$inner" fq-waker); do kill_now "$pid"; done
  go
  ended "$id"
  expect "first second" "$(xargs <order)"
}

@test "the shell of a batch job is killed, with jobs in its instance" {
  # All of it ends: shells, tasks and waker of the instance, whatever they ignore, and its store goes.
  local id inner
  batch "fq-submit --quiet -n2 sh -c 'trap \"\" TERM HUP; (trap \"\" TERM; echo \$\$ >>$WORK/pids; echo >$WORK/up; exec sleep 1000) & exec sleep 1000'
    sleep 1000"
  timeout "$LIMIT" sh -c 'exec 3<>up; for i in 1 2; do read -r line <&3; done'
  inner=$(fq-job uri "$id")
  kill_shell "$id"
  fq-tick
  ended "$id"
  check 0 "F exec" "" fq-jobs -n -o '{status_abbrev} {exception.type}' "$id"
  for pid in $(cat pids); do is_gone "$pid"; done
  expect "" "$(processes find "$inner" fq-shell; processes find "$inner" fq-waker)"
  until_true test ! -e "$inner"
}

@test "a task in an instance that forks away and ignores signals ends with the batch job" {
  # In a session of its own.
  local id
  batch "fq-run sh -c 'setsid sh -c \"trap : TERM HUP INT; echo \\\$\\\$ >$WORK/pid; echo >$WORK/up; while :; do sleep 1000; done\" & read -r line <$WORK/up'"
  ended "$id"
  is_gone "$(cat pid)"
  batch "fq-submit --quiet sh -c 'setsid sh -c \"trap : TERM HUP INT; echo \\\$\\\$ >$WORK/pid; echo >$WORK/up; while :; do sleep 1000; done\"'; read -r line <$WORK/up"
  ended "$id"
  is_gone "$(cat pid)"
}
