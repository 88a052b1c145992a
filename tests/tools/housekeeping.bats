#!/usr/bin/env bats
# Housekeeping: what the configuration has run on nodes that jobs have given back, before others get them.

load helper

setup() {
  make_store 2:2
  # It does what stands in a file.
  printf '#!/bin/sh\n. %s/CLEAN\n' "$WORK" >clean
  chmod +x clean
  : >CLEAN
  mkfifo up go
  # It tells that it runs, and waits.
  HELD="echo >$WORK/up; read -r line <$WORK/go"
  cat >fq.toml <<TOML
[job-manager.housekeeping]
command = "$WORK/clean"
TOML
  fq-config load fq.toml
}

up() { timeout "$LIMIT" sh -c 'read -r line <up'; }
go() { timeout "$LIMIT" sh -c 'echo >go'; }
drains() { fq-resource drain -n -o '{nodelist} {reason}' 2>/dev/null; }
running() { fq-housekeeping list -n -o '{id} {nodelist}'; }
is_running() { [ "$(running)" = "$1" ]; }
# written NAME ID: what that log says that was written.
written() { fq-job eventlog -f json -p "$1" "$2" | sed -n 's/.*"data":"\(.*\)\\n".*/\1/p'; }
none_left() { [ -z "$(fq-housekeeping list -n)" ]; }

@test "the job is over, and its nodes are nobody's, until it has ended" {
  # Others wait for them, and are told why; its user is not charged.
  local id next
  echo "$HELD" >CLEAN
  id=$(fq-submit -N2 -x true)
  up
  ended "$id"
  check 0 "CD" "" fq-jobs -n -o '{status_abbrev}' "$id"
  check 0 "release free clean" "" sh -c "fq-job eventlog $id | tail -n 3 | cut -d' ' -f2 | xargs"
  expect "$id node[0-1]" "$(running)"
  check 0 "4" "" fq-resource list -n -s allocated -o '{ncores}'
  next=$(fq-submit -N2 -x true)
  fq-job why "$next" | grep -q "node\[0-1\] is being cleaned up after job $id"
  check 0 "S" "" fq-jobs -n -o '{status_abbrev}' "$next"
  fq-fsck >/dev/null
  go
  up
  ended "$next"
  expect "$next node[0-1]" "$(running)"
  go
  until_true none_left
  check 0 "4" "" fq-resource list -n -s free -o '{ncores}'
  expect "" "$(drains)"
}

@test "it is told of the job, and what it writes is kept with it" {
  # Whose it was, and how its tasks ended.
  local id
  echo 'echo "$FLUX_JOB_ID $FQ_JOB_USERID $FQ_JOB_WAITSTATUS $FLUX_JOB_NODELIST"' >CLEAN
  id=$(fq-submit sh -c 'exit 3')
  ended "$id"
  until_true none_left
  check 0 "$id $UID 768 node0" "" written guest.housekeeping "$id"
}

@test "one that fails drains the nodes" {
  # The reason names the job; another node serves the next one.
  local id
  echo 'echo no room >&2; exit 4' >CLEAN
  id=$(fq-submit true)
  ended "$id"
  until_true none_left
  expect "node0 housekeeping after job $id failed: '$WORK/clean' exited with 4: no room" "$(drains)"
  : >CLEAN
  check 0 "" "" fq-run true
  until_true none_left
}

@test "one that hangs is ended in time, or by hand" {
  # By its job, by its nodes, or all of it; for the owner.
  local id which
  printf 'timeout = "0.1s"\nkill-timeout = "0.1s"\n' >>fq.toml
  fq-config load fq.toml
  echo "trap '' TERM; while :; do sleep 1000; done" >CLEAN
  id=$(fq-submit true)
  ended "$id"
  until_true none_left
  expect "node0 housekeeping after job $id failed: '$WORK/clean' timed out after 0.1s" "$(drains)"
  fq-resource undrain node0
  sed -i '/timeout/d' fq.toml
  fq-config load fq.toml
  echo "$HELD; exec sleep 1000" >CLEAN
  for which in '-j ID' '-t 0' --all; do
    id=$(fq-submit true)
    up
    go
    fq-housekeeping kill ${which/ID/$id}
    until_true none_left
    expect "node0 housekeeping after job $id failed: '$WORK/clean' was ended by signal 15" "$(drains)"
    fq-resource undrain node0
  done
  refuses 2 "fq-housekeeping: which? give --jobid, --targets or --all" fq-housekeeping kill
  refuses 1 "fq-housekeeping: there is no housekeeping after job $id" fq-housekeeping kill -j "$id"
}

@test "a queue has its own, or none" {
  # Key by key.
  local id
  cat >fq.toml <<TOML
policy.jobspec.defaults.system.queue = "batch"
[job-manager.housekeeping]
command = "$WORK/clean"
[queues.batch]
[queues.debug]
housekeeping.command = ""
TOML
  fq-config load fq.toml
  echo "echo \$FQ_JOB_QUEUE >>$WORK/order" >CLEAN
  id=$(fq-submit -q debug true)
  ended "$id"
  id=$(fq-submit true)
  ended "$id"
  until_true none_left
  expect "batch" "$(cat order)"
}

@test "a job that is requeued may run again while its last nodes are cleaned" {
  # Each run has its own.
  local id
  cat >>fq.toml <<TOML
[job-manager.prolog]
command = "$WORK/prolog"
on-failure = "requeue"
TOML
  printf '#!/bin/sh\n[ "$FQ_JOB_NODELIST" = node1 ]\n' >prolog
  chmod +x prolog
  fq-config load fq.toml
  echo "[ \$FQ_JOB_NODELIST = node1 ] || { $HELD; }; echo \$FQ_JOB_NODELIST" >CLEAN
  id=$(fq-submit true)
  up
  ended "$id"
  until_true is_running "$id node0"
  go
  until_true none_left
  check 0 "node0" "" written guest.housekeeping.1 "$id"
  check 0 "node1" "" written guest.housekeeping "$id"
}
