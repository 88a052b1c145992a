#!/usr/bin/env bats
# What tells that a job lives, where pids come again, machines start again and clocks are set: nothing is killed that is
# not the job's, nothing lives on that is.

load helper

setup() {
  [ "$(id -u)" = 0 ] || { echo "needs root"; return 1; }
  make_store 1:2
}

# after_restart COMMAND...: runs it as after a restart of the machine: under another boot id.
after_restart() {
  printf '11111111-2222-3333-4444-555555555555\n' >"$WORK/boot-id"
  unshare --mount sh -c 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"' "$WORK/boot-id" "$@"
}

@test "after a restart a job is lost, and nothing is killed for it" {
  # Its processes are of another boot: what now looks like one of them lives on. Its temporary directory goes.
  # (A child of the task: that ends with its shell. tail ends when nobody reads what it writes.)
  local id innocent
  mkfifo t.up
  id=$(fq-submit sh -c 'tail -f /dev/null >/dev/null 2>&1 & echo $! >pid; echo "$FLUX_JOB_TMPDIR" >tmp; echo >t.up; wait')
  running t
  innocent=$(cat pid)
  kill_waker
  kill_shell "$id"
  check 0 "F" "" after_restart fq-jobs -n -o '{status_abbrev}' "$id"
  MASK=$EVENT_MASK check 0 'T exception type="exec" severity=0 note="the machine was restarted"
T finish status=9' "" sh -c "fq-job eventlog $id | grep -E 'exception|finish'"
  grep -q '^State:.[^ZX]' "/proc/$innocent/status"
  kill_now "$innocent"
  [ ! -e "$(cat tmp)" ]
  all_free
}

@test "after a restart what had ended before keeps its status" {
  # The shell had recorded it, and the power failed before the store had it.
  local id log shell
  id=$(submit_held job)
  running job
  log=$(guest "$id" exec.eventlog)
  shell=$(shell_of "$id")
  hold_lock
  release job 5
  until_true has "$log" '"done"'
  kill_waker
  kill_now "$shell"
  release_lock
  check 0 "F 5" "" after_restart fq-jobs -n -o '{status_abbrev} {returncode}' "$id"
}

@test "after a restart pending jobs run" {
  # In the place of the one that was lost.
  local id next
  id=$(submit_held job -c2)
  running job
  next=$(fq-submit -c2 true)
  kill_waker
  local task
  task=$(pgrep -P "$(shell_of "$id")")
  kill_shell "$id"
  kill_now "$task"
  after_restart fq-tick
  ended "$next"
  expect "F CD" "$(status_of "$id" "$next")"
}

@test "a process that got the pid of a task is not killed" {
  # The pid comes again while the job's shell is dead: in a pid namespace the next pid can be chosen. Later than the
  # tick of the kernel's clock (10 ms) in which the task began, which is all that /proc tells of the time.
  cat >reuse <<'S'
set -e
began() { cut -d ' ' -f 22 "/proc/$1/stat"; }
mkfifo t.up
id=$(fq-submit sh -c 'echo $$ >pid; echo >t.up; exec tail -f /dev/null >/dev/null 2>&1')
read line <t.up
task=$(cat pid)
shell=$(ps -o ppid= -p "$task" | tr -d ' ')
task_began=$(began "$task")
# The first process takes in who has lost its parent.
kill -KILL $(pgrep -x fq-waker) $shell $task
until ! kill -0 "$task" 2>/dev/null && ! kill -0 "$shell" 2>/dev/null; do :; done
innocent=
while [ "$innocent" != "$task" ] || [ "$(began "$innocent")" = "$task_began" ]; do
  [ -z "$innocent" ] || { disown "$innocent"; kill "$innocent"; }
  echo $((task - 1)) >/proc/sys/kernel/ns_last_pid
  tail -f /dev/null &
  innocent=$!
done
fq-tick
fq-jobs -a -n -o '{status_abbrev}' "$id"
kill -0 "$innocent" && echo "lives"
disown "$innocent"
kill -KILL "$innocent"
S
  check 0 "F
lives" "" timeout "$LIMIT" unshare --pid --fork --kill-child --mount-proc bash -c '(exec bash reuse); exit $?'
}

@test "a clock that is set while a job runs" {
  # Commands under a clock of yesterday, then of next year: the job runs on and ends as it would; ids increase; a job
  # that starts once the clock is right again has the limit it asked for.
  local id step
  id=$(submit_held job -t 1h)
  running job
  fq-job id --to=dec "$id" >ids
  for step in -86400 31536000 0; do
    clock_step "$step" fq-tick
    clock_step "$step" fq-submit --urgency=hold true | xargs fq-job id --to=dec >>ids
    check 0 "R" "" clock_step "$step" fq-jobs -n -o '{status_abbrev}' "$id"
  done
  expect "$(sort -n ids | uniq)" "$(cat ids)"
  release job 4
  check 4 "" "fq-job: $id: task(s) exited with exit code 4" fq-job wait "$id"
  expect "F" "$(status_of "$id")"
  id=$(fq-submit -t 1s sh -c 'exec tail -f /dev/null')
  ended "$id"
  expect "TO" "$(status_of "$id")"
}

@test "after the clock was set back, what is left and what is to come are told by the store's time" {
  # An hour back for every command; then forward and right again, which leaves the store an hour ahead.
  local id late left
  id=$(submit_held job -t 1h)
  running job
  left=$(clock_step -3600 fq-job timeleft "$id")
  [ "$left" -gt 3000 ] && [ "$left" -le 3600 ] || { echo "$left s are left"; false; }
  late=$(clock_step -3600 fq-submit --begin-time=+1s true)
  ended "$late"
  begun_after_a_second "$late"
  clock_step 3600 fq-tick
  late=$(fq-submit --begin-time=+1s true)
  ended "$late"
  begun_after_a_second "$late"
  release job
  ended "$id"
}

# begun_after_a_second ID: it ran a second after it was submitted, and not an hour.
begun_after_a_second() {
  fq-jobs -n -o '{t_submit} {t_run}' "$1" | "$PYTHON" -c '
submit, run = map(float, input().split())
assert 0.9 <= run - submit < 1800, run - submit'
}

# clock_step SECONDS COMMAND...: under a clock that is so much ahead.
clock_step() {
  local by=$1
  shift
  LD_PRELOAD=${CLOCK_STEP_LIBRARY:?} FQ_CLOCK_STEP=$by "$@"
}
