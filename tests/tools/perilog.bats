#!/usr/bin/env bats
# Prolog and epilog: what the configuration has run before and after the tasks of jobs.

load helper

setup() {
  make_store 2:2
  # They do what stands in files: PROLOG and EPILOG are run by the shell.
  cat >prolog <<SH
#!/bin/sh
. $WORK/PROLOG
SH
  sed 's/PROLOG/EPILOG/' prolog >epilog
  chmod +x prolog epilog
  : >PROLOG
  : >EPILOG
  mkfifo up go
  # It tells that it runs, and waits.
  HELD="echo >$WORK/up; read -r line <$WORK/go"
}

# configure [LINE...]: both, and further lines of the table of the prolog.
configure() {
  {
    printf '[job-manager.epilog]\ncommand = "%s"\n[job-manager.prolog]\ncommand = "%s"\n' "$WORK/epilog" "$WORK/prolog"
    printf '%s\n' "$@"
  } >fq.toml
  fq-config load fq.toml
}
up() { timeout "$LIMIT" sh -c 'read -r line <up'; }
go() { timeout "$LIMIT" sh -c 'echo >go'; }
events() { fq-job eventlog "$1" | cut -d' ' -f2 | xargs; }
drains() { fq-resource drain -n -o '{nodelist} {reason}' 2>/dev/null; }
# written NAME ID: what that log says that was written.
written() { fq-job eventlog -f json -p "$1" "$2" | sed -n 's/.*"data":"\(.*\)\\n".*/\1/p'; }
BEGUN="submit validate depend priority alloc prolog-start"

@test "prolog, tasks and epilog come one after the other, and tell of themselves" {
  # By events, states, words, and by what they wrote.
  local id
  configure
  echo "$HELD; echo before" >PROLOG
  echo "$HELD; echo after \$FQ_JOB_WAITSTATUS >&2" >EPILOG
  id=$(fq-submit sh -c 'echo task; exit 3')
  up
  expect "$BEGUN" "$(events "$id")"
  check 0 "R node0: prolog" "" fq-jobs -n -o '{status_abbrev} {contextual_info}' "$id"
  MASK='s/since .*/since/' check 0 "$id: it runs on node0 since
$id: its prolog is run before its tasks start" "" fq-job why "$id"
  go
  check 0 "ID" "" sh -c "fq-job wait-event --quiet $id epilog-start && echo ID"
  up
  check 0 "C node0: epilog" "" fq-jobs -n -o '{status_abbrev} {contextual_info}' "$id"
  MASK='s/since .*/since/' check 0 "$id: it is being cleaned up since
$id: its epilog is run, and it holds what it has until then" "" fq-job why "$id"
  go
  ended "$id"
  MASK="$EVENT_MASK; s/ alloc .*/ alloc/" check 0 "T prolog-start description=\"$WORK/prolog\"
T prolog-finish description=\"$WORK/prolog\" status=0
T start
T finish status=768
T epilog-start description=\"$WORK/epilog\"
T epilog-finish description=\"$WORK/epilog\" status=0
T release ranks=\"all\" final=true
T free
T clean" "" sh -c "fq-job eventlog $id | tail -n 9"
  check 0 "before" "" sh -c "fq-job info $id guest.prolog | sed -n 's/.*\"data\":\"\(.*\)\\\\n\".*/\1/p'"
  check 0 "after 768" "" sh -c "fq-job info $id guest.epilog | sed -n 's/.*\"data\":\"\(.*\)\\\\n\".*/\1/p'"
  check 3 "task" "fq-job: task(s) exited with exit code 3" fq-job attach "$id"
  expect "" "$(drains)"
}

@test "a prolog that fails ends its job, drains the node and says why" {
  # The next job runs on the other node; the epilog is run for both.
  local id
  configure
  echo 'echo no scratch >&2; exit 3' >PROLOG
  echo "echo \$FQ_JOB_ID >>$WORK/after" >EPILOG
  id=$(fq-submit sh -c 'echo ran >ran')
  check 1 "" "fq-job: $id: prolog: '$WORK/prolog' exited with 3: no scratch" fq-job wait "$id"
  check 0 "F PROLOG" "" sh -c "fq-jobs -n -o '{status_abbrev} {exception.type}' $id | tr a-z A-Z"
  expect "$BEGUN prolog-finish exception epilog-start epilog-finish release free clean" "$(events "$id")"
  expect "node0 prolog of job $id failed: '$WORK/prolog' exited with 3: no scratch" "$(drains)"
  : >PROLOG
  check 0 "node1" "" fq-run sh -c 'fq jobs -n -o "{nodelist}" $FQ_JOB_ID'
  expect 2 "$(wc -l <after)"
  [ ! -e ran ]
}

@test "a prolog may requeue its job, which goes elsewhere" {
  # To the node that is left; when that fails as well it waits.
  local id
  configure 'on-failure = "requeue"'
  echo '[ "$FQ_JOB_NODELIST" = node1 ]' >PROLOG
  id=$(fq-submit true)
  check 0 "" "" fq-job wait "$id"
  check 0 "CD node1" "" fq-jobs -n -o '{status_abbrev} {nodelist}' "$id"
  expect "$BEGUN prolog-finish requeue epilog-start epilog-finish release free priority alloc prolog-start prolog-finish start finish epilog-start epilog-finish release free clean" \
    "$(events "$id")"
  fq-resource undrain node0
  echo 'exit 1' >PROLOG
  id=$(fq-submit true)
  fq-job wait-event --count=2 "$id" requeue >events
  fq-job wait-event --count=2 "$id" free >>events
  check 0 "S" "" fq-jobs -n -o '{status_abbrev}' "$id"
  expect "node0 node1" "$(fq-resource drain -n -o '{nodelist}' | sort | xargs)"
  fq-cancel "$id"
  fq-resource undrain node0,node1
}

@test "an epilog that fails drains the node and leaves the job's result" {
  # With an exception that says so.
  local id
  configure
  echo 'exit 4' >EPILOG
  id=$(fq-submit true)
  check 0 "" "" fq-job wait "$id"
  ended "$id"
  check 0 "CD epilog 1" "" fq-jobs -n -o '{status_abbrev} {exception.type} {exception.severity}' "$id"
  expect "node0 epilog of job $id failed: '$WORK/epilog' exited with 4" "$(drains)"
}

@test "a prolog that hangs is ended in time" {
  # Killed where it ignores being asked.
  local id
  configure 'timeout = "0.1s"' 'kill-timeout = "0.1s"'
  echo "trap '' TERM; while :; do sleep 1000; done" >PROLOG
  id=$(fq-submit true)
  check 1 "" "fq-job: $id: prolog: '$WORK/prolog' timed out after 0.1s" fq-job wait "$id"
  expect "node0 prolog of job $id failed: '$WORK/prolog' timed out after 0.1s" "$(drains)"
}

@test "a prolog that is gone, or cannot be run" {
  # Refused when it is loaded; later its job fails.
  local id
  printf '[job-manager]\nprolog.command = "%s/missing"\n' "$WORK" >wrong.toml
  refuses 1 "fq-config: wrong.toml:2: job-manager.prolog.command: cannot run '$WORK/missing': there is no such program" fq-config load wrong.toml
  refuses 1 "fq-config: wrong.toml:2: job-manager.prolog.command: cannot run '$WORK/missing': there is no such program" fq-config check wrong.toml
  printf '[job-manager.prolog]\ncommand = "prolog"\n' >wrong.toml
  refuses 1 "fq-config: wrong.toml:2: job-manager.prolog.command: expected an absolute path, got 'prolog'" fq-config load wrong.toml
  configure
  rm prolog
  id=$(fq-submit true)
  check 1 "" "fq-job: $id: prolog: '$WORK/prolog' cannot be run: No such file or directory" fq-job wait "$id"
}

@test "a job is canceled in its prolog, and in its epilog" {
  # The prolog ends and nothing is drained; the epilog goes on.
  local id
  configure
  echo "$HELD; exec sleep 1000" >PROLOG
  id=$(fq-submit sh -c 'echo ran >ran')
  up
  go
  fq-cancel "$id"
  ended "$id"
  check 0 "CA" "" fq-jobs -n -o '{status_abbrev}' "$id"
  expect "$BEGUN exception prolog-finish epilog-start epilog-finish release free clean" "$(events "$id")"
  [ ! -e ran ]
}

@test "a cancel that comes in the epilog does not change how the job ended" {
  # It has completed, or failed, by then.
  local id code
  configure
  echo "$HELD" >EPILOG
  for code in 0 3; do
    id=$(fq-submit sh -c "exit $code")
    up
    fq-cancel -m late "$id"
    check 0 "C" "" fq-jobs -n -o '{status_abbrev}' "$id"
    go
    ended "$id"
    check 0 "$([ $code = 0 ] && echo CD || echo F) $code" "" fq-jobs -n -o '{status_abbrev} {returncode}' "$id"
    fq-job wait "$id" 2>/dev/null || expect "$code" $?
    MASK='s/ at [0-9-]+ [0-9:]+[0-9]/ at T/' check 0 "$id: it ended as $([ $code = 0 ] && echo COMPLETED at T || echo FAILED at T: exit code 3)
$id: exception of severity 0, after its tasks had ended: cancel: late" "" fq-job why "$id"
  done
  expect "" "$(drains)"
  fq-fsck >/dev/null
}

@test "fq job kill ends an epilog that hangs" {
  # By the owner of the store, with the signal that is named.
  local id
  configure
  echo "trap '' TERM; $HELD; while :; do sleep 1000; done" >EPILOG
  id=$(fq-submit true)
  up
  fq-job kill "$id"
  fq-job kill -s KILL "$id"
  ended "$id"
  check 0 "CD epilog '$WORK/epilog' was ended by signal 9" "" fq-jobs -n -o '{status_abbrev} {exception.type} {exception.note}' "$id"
  expect "node0 epilog of job $id failed: '$WORK/epilog' was ended by signal 9" "$(drains)"
  refuses 1 "fq-job: job $id is inactive" fq-job kill "$id"
}

@test "who is attached is told of prolog and epilog" {
  # A line each, where it was asked to tell more.
  configure
  echo "$HELD" >PROLOG
  cp PROLOG EPILOG
  fq-run -v true 2>err &
  up
  until_true grep -q 'is waiting for its prolog' err
  go
  up
  until_true grep -q 'is waiting for its epilog' err
  go
  wait $!
  expect 2 "$(grep -c waiting err)"
}

@test "what failed beside the job is told, once" {
  # A prolog that failed, and the epilog after it.
  local id
  configure
  echo 'exit 3' >PROLOG
  echo 'exit 4' >EPILOG
  id=$(fq-submit true)
  ended "$id"
  MASK='s/ at [^:]*:[0-9:]*:/ at T:/' check 0 "$id: it ended as FAILED at T: prolog: '$WORK/prolog' exited with 3
$id: exception of severity 1: epilog: '$WORK/epilog' exited with 4" "" fq-job why "$id"
  expect "node0 prolog of job $id failed: '$WORK/prolog' exited with 3; epilog of job $id failed: '$WORK/epilog' exited with 4" "$(drains)"
  : >PROLOG
  id=$(fq-submit true)
  ended "$id"
  MASK='s/ at [^:]*:[0-9:]*/ at T/' check 0 "$id: it ended as COMPLETED at T
$id: exception of severity 1: epilog: '$WORK/epilog' exited with 4" "" fq-job why "$id"
}

@test "what prologs wrote is kept of each run" {
  # Of one that requeued its job, with the number of its attempt.
  local id
  configure 'on-failure = "requeue"'
  echo 'echo on $FQ_JOB_NODELIST; [ "$FQ_JOB_NODELIST" = node1 ]' >PROLOG
  id=$(fq-submit true)
  ended "$id"
  check 0 "on node0" "" written guest.prolog.1 "$id"
  check 0 "on node1" "" written prolog "$id"
}

@test "the time limit ends a prolog as the job" {
  # It is no failure of the prolog.
  local id
  configure
  echo 'exec sleep 1000' >PROLOG
  id=$(fq-submit -t 0.2s true)
  check 142 "" "fq-job: $id: timelimit: resource allocation expired" fq-job wait "$id"
  check 0 "TO" "" fq-jobs -n -o '{status_abbrev}' "$id"
  expect "" "$(drains)"
}

@test "the epilog is run at the time limit, and what it finds is free of the job" {
  # The tasks are gone before it.
  local id
  configure
  echo "kill -0 \$(cat $WORK/pid) 2>/dev/null || echo gone >>$WORK/after" >EPILOG
  id=$(fq-submit -t 0.3s sh -c 'echo $$ >pid; exec sleep 1000')
  ended "$id"
  check 0 "TO" "" fq-jobs -n -o '{status_abbrev}' "$id"
  expect "gone" "$(cat after)"
}

@test "a queue has its own, or none" {
  # Key by key.
  local id
  cat >fq.toml <<TOML
policy.jobspec.defaults.system.queue = "batch"
[job-manager.prolog]
command = "$WORK/prolog"
[queues.batch]
[queues.debug]
prolog.command = ""
epilog.command = ["$WORK/epilog", "debug"]
TOML
  fq-config load fq.toml
  check 0 "$WORK/prolog" "" fq-config get job-manager.prolog.command
  id=$(fq-submit true)
  ended "$id"
  expect "${BEGUN/submit/submit jobspec-update} prolog-finish start finish release free clean" "$(events "$id")"
  id=$(fq-submit -q debug true)
  ended "$id"
  expect "submit validate depend priority alloc start finish epilog-start epilog-finish release free clean" "$(events "$id")"
  check 0 "$WORK/epilog debug" "" sh -c "fq-job eventlog $id | sed -n 's/.* epilog-start description=\"\(.*\)\"/\1/p'"
}

@test "a signal to a job in its prolog reaches the tasks" {
  # When they are there.
  local id
  configure
  echo "$HELD" >PROLOG
  id=$(fq-submit sh -c 'exec sleep 1000')
  up
  fq-job kill -s USR1 "$id"
  go
  ended "$id"
  check 0 "F 138" "" fq-jobs -n -o '{status_abbrev} {returncode}' "$id"
}
