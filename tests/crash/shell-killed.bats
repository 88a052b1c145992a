#!/usr/bin/env bats
# A job's shell dies by SIGKILL: the next command of anybody finds it and puts everything right.

load helper

setup() { make_store 1:2; }

LOST='T exception type="exec" severity=0 note="the job shell was killed"
T finish status=9
T release ranks="all" final=true
T free
T clean'

@test "a shell killed while its task runs: the next listing repairs it" {
  # Without a waker fq jobs alone ends the job as FAILED, kills its task and starts the next job.
  local id next task
  mkfifo t.up
  id=$(fq-submit -c2 sh -c 'echo $$ >pid; echo >t.up; exec tail -f /dev/null')
  running t
  next=$(fq-submit -c2 true)
  kill_waker
  kill_shell "$id"
  check 0 "F" "" fq-jobs -n -o '{status_abbrev}' "$id"
  is_gone "$(cat pid)"
  MASK=$EVENT_MASK check 0 "$LOST" "" sh -c "fq-job eventlog $id | tail -n 5"
  check 137 "" "fq-job: $id: exec: the job shell was killed" fq-job wait "$id"
  check 0 "" "" fq-job wait "$next"
  all_free
}

@test "each command repairs a dead shell" {
  # Readers and writers alike see the job ended.
  local command id
  for command in "fq-jobs" "fq-job status ID" "fq-job wait ID" "fq-job attach ID" "fq-job eventlog ID" "fq-job why ID" \
    "fq-resource list" "fq-submit --urgency=hold true" "fq-queue start" "fq-cancel --all -S depend" "fq-tick"; do
    rm -f job.up job.go
    id=$(submit_held job)
    running job
    kill_waker
    kill_shell "$id"
    timeout "$LIMIT" ${command/ID/$id} >/dev/null 2>&1 || [ $? != 124 ]
    # The listing is read from the log, which repairs nothing.
    MASK=$EVENT_MASK check 0 "$LOST" "" sh -c "fq-job info $id eventlog >log; fq-job eventlog $id | tail -n 5" || { echo "$command"; false; }
    expect "clean $command" "$(tail -n 1 log | grep -o clean) $command"
  done
}

# bats test_tags=waker
@test "the waker repairs a dead shell when nobody comes" {
  # Nobody runs a command: the sign of life vanishes, the next job has run.
  local id next
  id=$(submit_held job -c2)
  running job
  mkfifo n.up
  next=$(fq-submit -c2 sh -c 'echo >n.up')
  kill_shell "$id"
  running n
  check 0 "" "" fq-job wait "$next"
  expect "F CD" "$(status_of "$id" "$next")"
}

@test "shell, tasks and waker killed at once" {
  # Nothing of fq runs any more; the next command ends the job and starts the next.
  local id next
  mkfifo t.up
  id=$(fq-submit -c2 sh -c 'echo $$ >pid; echo >t.up; exec tail -f /dev/null')
  running t
  next=$(fq-submit -c2 true)
  kill_waker
  kill_now "$(shell_of "$id")" "$(cat pid)"
  check 0 "" "" fq-job wait "$next"
  expect "F CD" "$(status_of "$id" "$next")"
  all_free
}

@test "a shell killed before its tasks begin is started again" {
  # The next attempt runs the job to its end, once; the log says so.
  hold_shells
  local id
  id=$(fq-submit sh -c 'echo ran >>ran; echo text')
  local pid
  pid=$(held_shell)
  rm shell.go
  kill_now "$pid"
  fq-tick
  check 0 "" "" fq-job wait "$id"
  check 0 "text" "" fq-job attach "$id"
  expect "ran" "$(cat ran)"
  expect "2" "$(fq-job eventlog -p guest.exec.eventlog "$id" | sed -n 's/.* starting attempt=//p' | xargs)"
  expect "submit validate depend priority alloc start shell-restart finish release free clean" \
    "$(fq-job eventlog "$id" | cut -d' ' -f2 | xargs)"
}

@test "a job whose shell dies again and again before its tasks ends as failed" {
  # Not for ever: after some attempts the job is given up, and the next one gets its turn.
  hold_shells
  local id pid n=0
  id=$(fq-submit -c2 sh -c 'echo ran >>ran')
  pid=$(held_shell)
  while kill_now "$pid"; do
    n=$((n + 1))
    [ "$n" -lt 12 ] || { fq-job eventlog "$id"; false; }
    fq-tick
    [ "$(status_of "$id")" != F ] || break
    pid=$(held_shell)
  done
  [ "$n" -ge 2 ]
  [ ! -e ran ]
  check 0 "F" "" fq-jobs -n -o '{status_abbrev}' "$id"
  rm shell.go
  all_free
}

@test "a job canceled before its shell began, whose shell then dies, is canceled" {
  # Nothing of it runs.
  hold_shells
  local id pid
  id=$(fq-submit sh -c 'echo ran >>ran')
  pid=$(held_shell)
  fq-cancel "$id"
  rm shell.go
  kill_now "$pid"
  ended "$id"
  expect "CA" "$(status_of "$id")"
  [ ! -e ran ]
  all_free
}

@test "a shell that cannot be executed" {
  # fq-shell is missing: the job ends as failed or waits for a repair, no command hangs or fails; with the program
  # back, jobs run.
  wrap_shells true
  mv bin/fq-shell bin/away
  local id
  run --separate-stderr timeout 60 fq-submit sh -c 'echo ran >>ran'
  expect 0 "$status"
  id=$output
  timeout 60 fq-tick
  timeout 60 fq-jobs >/dev/null
  mv bin/away bin/fq-shell
  fq-tick
  ended "$id"
  [[ $(status_of "$id") == CD || $(status_of "$id") == F ]]
  all_free
}

@test "a shell killed after its tasks ended, before it could tell the store" {
  # The lock is held; the status stands in the guest's log; the next command posts that, not a failure.
  local id log
  id=$(submit_held job)
  running job
  log=$(guest "$id" exec.eventlog)
  local shell
  shell=$(shell_of "$id")
  hold_lock
  release job 5
  until_true has "$log" '"done"'
  kill_waker
  kill_now "$shell"
  release_lock
  check 5 "" "fq-job: $id: task(s) exited with exit code 5" fq-job wait "$id"
  MASK=$EVENT_MASK check 0 'T start
T finish status=1280
T release ranks="all" final=true
T free
T clean' "" sh -c "fq-job eventlog $id | tail -n 5"
  check 0 "Exit 5" "" fq-jobs -n -o '{inactive_reason}' "$id"
}

@test "output written before the shell was killed is kept" {
  # What the guest log had is there after the repair.
  local id
  mkfifo t.up
  id=$(fq-submit -u sh -c 'echo precious; echo >t.up; exec tail -f /dev/null')
  running t
  until_true has "$(guest "$id" output)" precious
  kill_waker
  kill_shell "$id"
  run --separate-stderr fq-job attach "$id"
  expect "137 precious" "$status $output"
}

@test "a task that ignores signals and hides in a session of its own dies with its shell" {
  # Double-forked, with SIGTERM ignored: found by its environment.
  local id
  mkfifo t.up
  id=$(fq-submit sh -c '(setsid sh -c "trap \"\" TERM HUP INT; echo \$\$ >deep; echo >t.up; while :; do tail -f /dev/null; done" &); exec tail -f /dev/null')
  running t
  kill_waker
  kill_shell "$id"
  fq-tick
  is_gone "$(cat deep)"
  expect "F" "$(status_of "$id")"
}

@test "several tasks die with their shell" {
  # All of four; the job's temporary directory goes too.
  local id
  mkfifo t.up
  fq-init --quiet --force --test-nodes 1:4
  id=$(fq-submit -n4 sh -c 'echo $$ >"pid.$FLUX_TASK_RANK"; echo "$FLUX_JOB_TMPDIR" >tmp; echo >t.up; exec tail -f /dev/null')
  until_true sh -c '[ "$(cat pid.* 2>/dev/null | wc -l)" = 4 ]' &
  local pid=$!
  timeout "$LIMIT" sh -c 'for i in 1 2 3 4; do read line; done <t.up' || true
  wait "$pid"
  kill_waker
  kill_shell "$id"
  fq-tick
  for pid in $(cat pid.*); do is_gone "$pid"; done
  [ ! -e "$(cat tmp)" ]
  expect "F" "$(status_of "$id")"
}

@test "a task that kills its own shell" {
  # The job fails; the task is ended.
  local id
  id=$(fq-submit sh -c 'echo $$ >pid; kill -KILL $PPID; exec tail -f /dev/null')
  ended "$id"
  expect "F" "$(status_of "$id")"
  is_gone "$(cat pid)"
  all_free
}

@test "a shell killed while it ends a canceled job" {
  # The task ignores SIGTERM; the shell dies in the grace; the job is canceled, its task dead.
  local id
  mkfifo t.up
  id=$(fq-submit sh -c 'trap "echo term >seen" TERM; echo $$ >pid; echo >t.up; while :; do read x </dev/null; done')
  running t
  fq-cancel "$id"
  until_true test -s seen
  kill_waker
  kill_shell "$id"
  fq-tick
  expect "CA" "$(status_of "$id")"
  is_gone "$(cat pid)"
  all_free
}

@test "many shells killed at once" {
  # Eight jobs lose their shells; one command ends them all and the eight that wait run.
  fq-init --quiet --force --test-nodes 1:8
  local ids next n
  mkfifo t.up
  ids=$(fq-submit --cc=1-8 sh -c 'echo $$ >pid.{cc}; exec tail -f /dev/null')
  until_true sh -c '[ "$(cat pid.* 2>/dev/null | wc -l)" = 8 ]'
  next=$(fq-submit --cc=1-8 true)
  kill_waker
  # shellcheck disable=SC2046
  kill_now $(processes find "$STORE" fq-shell)
  fq-tick
  # shellcheck disable=SC2086
  expect "F F F F F F F F" "$(status_of $ids)"
  # shellcheck disable=SC2086
  check 0 "" "" fq-job status $next
  for n in $(cat pid.*); do is_gone "$n"; done
}

@test "a job's dependants learn of its lost shell" {
  # afternotok and afterany start, afterok ends.
  local id ok notok any
  id=$(submit_held job)
  running job
  ok=$(fq-submit --dependency=afterok:"$id" true)
  notok=$(fq-submit --dependency=afternotok:"$id" true)
  any=$(fq-submit --dependency=afterany:"$id" true)
  kill_waker
  kill_shell "$id"
  ended "$ok" "$notok" "$any"
  expect "F F CD CD" "$(status_of "$id" "$ok" "$notok" "$any")"
}

@test "a stopped shell is not a dead one" {
  # SIGSTOP: its job stays RUN for every command; after SIGCONT it ends as usual.
  local id shell
  id=$(submit_held job)
  running job
  shell=$(shell_of "$id")
  kill -STOP "$shell"
  fq-tick
  expect "R" "$(status_of "$id")"
  kill -CONT "$shell"
  release job 4
  check 4 "" "fq-job: $id: task(s) exited with exit code 4" fq-job wait "$id"
}
