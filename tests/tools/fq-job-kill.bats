#!/usr/bin/env bats
# fq-job kill, killall: signals to running jobs.

load helper

setup() { make_store 1:4; }

# submit_trap NAME: a job that says `running NAME` when its trap stands and then waits; USR1 ends it with code 7.
submit_trap() {
  mkfifo "$WORK/$1.up"
  fq-submit --job-name="$1" sh -c 'trap "exit 7" USR1; echo >"$0.up"; tail -f /dev/null & wait' "$WORK/$1"
}

@test "kill sends SIGTERM" {
  # The job has failed by it; it was not canceled.
  local id
  id=$(submit_held job)
  running job
  check 0 "" "" fq-job kill "$id"
  check 143 "" "fq-job: $id: task(s) Terminated" fq-job wait "$id"
  check 0 "F" "" fq-jobs -n -o '{status_abbrev}' "$id"
}

@test "-s names the signal" {
  # With and without SIG, or by number; every task gets it.
  local name id
  for name in USR1 SIGUSR1 10; do
    id=$(submit_trap "job-$name")
    running "job-$name"
    check 0 "" "" fq-job kill --signal="$name" "$id"
    check 7 "" "fq-job: $id: task(s) exited with exit code 7" fq-job wait "$id"
  done
}

@test "-r names the tasks" {
  # Only these get it, and the status of each is kept; ranks that there are not are refused.
  local id
  mkfifo up
  id=$(fq-submit -n3 sh -c 'echo >up; exec sleep 1000')
  timeout "$LIMIT" sh -c 'exec 3<>up; for i in 1 2 3; do read -r line <&3; done'
  refuses 1 "fq-job: job $id has tasks 0-2, not 3" fq-job kill -r 2-3 "$id"
  check 0 "" "" fq-job kill -s USR1 -r 1 "$id"
  check 0 "" "" sh -c "fq-job wait-event -p exec --quiet $id shell.task-exit"
  check 0 "R" "" fq-jobs -n -o '{status_abbrev}' "$id"
  check 0 "" "" fq-job kill -s KILL -r 0,2 "$id"
  check 138 "" "fq-job: $id: task(s) User defined signal 1" fq-job wait "$id"
  check 0 "rank=0 wait_status=9 signaled=9
rank=1 wait_status=10 signaled=10
rank=2 wait_status=9 signaled=9" "" sh -c "fq-job eventlog -p exec $id | sed -n 's/.*task-exit.* \(rank=[0-9]*\) .*\(wait_status=[0-9]* signaled=[0-9]*\).*/\1 \2/p' | sort"
}

@test "a task that dumps core is told of as that" {
  # In its status as wait(2) gives it (RFC 21), and in words; the job's own status is that of a shell.
  [ "$(cat /proc/sys/kernel/core_pattern)" = core ] || skip "core dumps go elsewhere"
  local id
  ulimit -c unlimited || skip "no core dumps here"
  id=$(fq-submit -n2 sh -c '[ $FLUX_TASK_RANK = 0 ] || kill -SEGV $$')
  check 139 "" "fq-job: $id: task(s) Segmentation fault" fq-job wait "$id"
  check 0 "rank=0 wait_status=0 signaled=0
rank=1 wait_status=139 signaled=11" "" sh -c "fq-job eventlog -p exec $id | sed -n 's/.*task-exit.* \(rank=[0-9]*\) .*\(wait_status=[0-9]* signaled=[0-9]*\).*/\1 \2/p' | sort"
  check 0 "$((139 << 8))" "" sh -c "fq-job eventlog $id | sed -n 's/.* finish status=//p'"
}

@test "a job gets the signal that came before its tasks were there" {
  # However early it was sent, it ends the job.
  local i id
  for i in 1 2 3 4 5 6 7 8; do
    id=$(fq-submit sh -c 'tail -f /dev/null')
    check 0 "" "" fq-job kill -s KILL "$id"
    check 137 "" "fq-job: $id: task(s) Killed" fq-job wait "$id"
  done
}

@test "several jobs, some of them not running" {
  # Each refusal has its line; the running ones get the signal.
  local a b held done
  done=$(fq-submit true)
  ended "$done"
  a=$(submit_held a)
  b=$(submit_held b)
  running a
  running b
  held=$(fq-submit --urgency=hold true)
  check 1 "" "fq-job: job $held is not running
fq-job: job $done is inactive
fq-job: job 123 does not exist" fq-job kill -s KILL "$a" "$held" "$done" 123 "$b"
  check 137 "" "" fq-job status "$a" "$b"
}

@test "a canceled job in its grace can be killed at once" {
  # SIGTERM is ignored; the kill need not wait for the grace to pass.
  local id
  mkfifo t.up
  id=$(fq-submit sh -c 'trap "" TERM; echo >t.up; while :; do read x </dev/null; done')
  running t
  fq-cancel "$id"
  check 0 "" "" fq-job kill -s KILL "$id"
  ended "$id"
  check 0 "CA" "" fq-jobs -n -o '{status_abbrev}' "$id"
}

@test "killall signals all running jobs" {
  # Without -f it only counts; pending jobs are left alone.
  local a b held
  a=$(submit_held a)
  b=$(submit_held b)
  running a
  running b
  held=$(fq-submit --urgency=hold true)
  check 0 "would signal 2 jobs (-f does)" "" fq-job killall
  check 0 "R R S" "" sh -c "fq-jobs -n -o '{status_abbrev}' $a $b $held | xargs"
  check 0 "would signal 0 jobs (-f does)" "" fq-job killall -u 65534
  check 0 "signaled 2 jobs" "" fq-job killall --force --signal=KILL
  check 137 "" "" fq-job status "$a" "$b"
  check 0 "S" "" fq-jobs -n -o '{status_abbrev}' "$held"
  check 0 "signaled 0 jobs" "" fq-job killall -f
}

@test "wrong signals and operands" {
  # A near match is suggested.
  refuses 2 "fq-job: --signal: 'TERN' is not a signal (did you mean 'TERM'?)" fq-job kill -s TERN 1
  refuses 2 "fq-job: --signal: '0' is not a signal: expected 1 to 64" fq-job kill -s 0 1
  refuses 2 "fq-job: --signal: '65' is not a signal: expected 1 to 64" fq-job killall -s 65
  refuses 2 "fq-job: ID... is missing (usage: fq-job kill [OPTION...] ID...)" fq-job kill
  refuses 2 "fq-job: unexpected operand '1'" fq-job killall 1
  refuses 1 "fq-job: user 'nosuch' does not exist" fq-job killall -u nosuch
}
