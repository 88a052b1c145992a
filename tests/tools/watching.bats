#!/usr/bin/env bats
# What fq-submit and fq-bulksubmit do after the submission: waiting, output, logs, progress.

load helper

setup() { make_store 1:8; }

# Ids and the time since the submission.
WATCH_MASK='s/ƒ[1-9A-HJ-NP-Za-km-z]+/ID/g; s/ [0-9]+\.[0-9]{3}s:/ T:/'

# on_terminal COLUMNS [--until TEXT --press KEYS] COMMAND...: what a terminal of that width shows of the command, and
# its exit code.
on_terminal() { "$PYTHON" "$TESTS_DIR/terminal.py" "$@"; }

@test "--watch shows the output of all jobs and returns the largest code" {
  # Ids first, then stdout and stderr each on its own stream.
  run --separate-stderr fq-submit --watch --cc=1-3 sh -c 'echo out {cc}; echo err {cc} >&2; exit {cc}'
  expect 3 "$status"
  expect "ID
ID
ID
out 1
out 2
out 3" "$(sed -E "$WATCH_MASK" <<<"$output" | sort)"
  expect "err 1
err 2
err 3" "$(sort <<<"$stderr")"
}

@test "--watch shows output as it comes" {
  # A job that waits for its reader to have read: nobody waits for its end.
  mkfifo go
  timeout "$LIMIT" fq-submit --quiet --watch sh -c 'echo first; read line <go; echo "$line"' |
    { read -r line; expect first "$line"; echo second >go; read -r line; expect second "$line"; }
}

@test "--watch of a job whose output is lost did not succeed" {
  # As of fq run: 1, and a line that says so; a code of its own stands. The job completed, so --wait gives 0.
  MASK='s/ƒ[^ :]+/ID/'
  local lost="fq-shell: cannot write '/dev/full': No space left on device: output is lost"
  check 1 "ID" "$lost
fq-submit: ID: output is incomplete: it could not be written" fq-submit --watch --output=/dev/full echo text
  check 1 "" "$lost
fq-bulksubmit: ID: output is incomplete: it could not be written" \
    fq-bulksubmit --quiet --watch --output=/dev/full echo ::: text
  check 3 "ID" "$lost" fq-submit --watch --output=/dev/full sh -c 'echo text; exit 3'
  check 0 "ID" "" fq-submit --wait --output=/dev/full echo text
  check 0 "" "" fq-job wait "$(fq-job last)"
}

@test "--watch with labels tells jobs and tasks apart" {
  # The id, then the rank.
  local id
  run --separate-stderr fq-submit --watch -l -n2 sh -c 'echo task $FLUX_TASK_RANK'
  id=${lines[0]}
  expect "$id: 0: task 0
$id: 1: task 1" "$(tail -n +2 <<<"$output" | sort)"
}

@test "--watch shows the output of jobs that ended before" {
  # Whatever of it was in the store already.
  local ids
  run --separate-stderr fq-bulksubmit --quiet --watch --dependency=after:"$(fq-submit true)" echo '{}' ::: a b c
  expect "0 a b c" "$status $(sort <<<"$output" | xargs)"
}

@test "--wait tells of jobs that an exception ended" {
  # The id and the reason; the code is the job's.
  MASK=$WATCH_MASK check 142 "ID" "fq-submit: ID: timelimit: resource allocation expired" \
    fq-submit --wait -t 0.1s tail -f /dev/null
  MASK=$WATCH_MASK check 127 "ID" "fq-submit: ID: exec: task 0 on node0: cannot run 'nosuch': No such file or directory" \
    fq-submit --wait nosuch
  MASK=$WATCH_MASK check 127 "ID" "fq-shell: task 0 on node0: cannot run 'nosuch': No such file or directory" \
    fq-submit --watch nosuch
  # A cancellation without a note is told as well.
  timeout "$LIMIT" sh -c 'until [ -n "$(fq-jobs -n -f sched)" ]; do sleep 0.02; done; fq-cancel --quiet "$(fq-job last)"' &
  MASK=$WATCH_MASK check 1 "ID" "fq-submit: ID: canceled" fq-submit --watch --urgency=hold true
  wait $!
  # The other job ends once this one waits for it.
  local other
  other=$(submit_held other)
  running other
  timeout "$LIMIT" sh -c 'until [ -n "$(fq-jobs -n -f depend)" ]; do sleep 0.02; done; echo 1 >"$0"' "$WORK/other.go" &
  MASK=$WATCH_MASK check 1 "ID" "fq-submit: ID: dependency: dependency after-success=ID can never be satisfied" \
    fq-submit --wait --dependency=afterok:"$other" true
  wait $!
}

@test "--wait-event waits for one event" {
  # Of the job's log, or of the shell's; jobs that still run count as 0.
  mkfifo one two
  MASK=$WATCH_MASK check 0 "ID" "" fq-submit --wait-event=start sh -c 'read line <one'
  MASK=$WATCH_MASK check 0 "ID" "" fq-submit --wait-event=exec.shell.start sh -c 'read line <two'
  timeout "$LIMIT" sh -c 'echo >one; echo >two'
  MASK=$WATCH_MASK check 0 "ID" "" fq-submit --wait-event=depend --urgency=hold true
  MASK=$WATCH_MASK check 7 "ID" "" fq-submit --wait-event=finish sh -c 'exit 7'
  MASK=$WATCH_MASK check 0 "ID
ID" "" fq-bulksubmit --wait-event='{}' true ::: exec.shell.task-exit clean
}

@test "--wait-event tells of jobs that ended without the event" {
  # With a near match where fq has such an event; the code is 1.
  MASK=$WATCH_MASK check 1 "ID" "fq-submit: ID: it ended without event 'strt' (did you mean 'start'?)" \
    fq-submit --wait-event=strt true
  MASK=$WATCH_MASK check 1 "ID" "fq-submit: ID: it ended without event 'exec.nonsense'" \
    fq-submit --wait-event=exec.nonsense true
}

@test "-v tells how jobs ended, -vv all their events" {
  # On stderr, with the time since the submission.
  MASK=$WATCH_MASK check 3 "ID" "fq-submit: submit --wait-event=clean sh -c 'exit 3'
ID: T: failed: status=768" fq-submit -v --wait sh -c 'exit 3'
  MASK="$WATCH_MASK; s/boot_id=.*/BOOT/" check 0 "ID" "fq-submit: submit --wait-event=clean true
ID: T: submit userid=$(id -u) urgency=16 flags=0 version=1
ID: T: validate
ID: T: depend
ID: T: priority priority=16
ID: T: alloc annotations={\"sched\":{\"resource_summary\":\"rank0/core0\"}} BOOT
ID: T: start
ID: T: finish status=0
ID: T: release ranks=\"all\" final=true
ID: T: free
ID: T: clean
ID: T: complete: status=0" fq-submit -vv --wait true
  MASK=$WATCH_MASK check 0 "ID
ID" "fq-bulksubmit: submit -n1 true
fq-bulksubmit: submit -n2 true" fq-bulksubmit -v -n '{}' true ::: 1 2
}

@test "--log takes ids and output, --log-stderr what is left" {
  # A file for each copy or job; files are emptied first.
  local id
  echo old >log.1
  check 0 "" "" fq-submit --log='log.{cc}' --cc=1-2 --watch sh -c 'echo out {cc}; echo err {cc} >&2'
  expect "ID
err 1
out 1" "$(sed -E "$WATCH_MASK" log.1 | sort)"
  check 0 "" "" fq-submit --log=out --log-stderr=err --watch sh -c 'echo out; echo err >&2'
  expect "out err" "$(sed 1d out) $(cat err)"
  check 0 "" "" fq-submit --log='job-{{id.dec}}.log' true
  id=$(cat job-*.log)
  expect "job-$(fq-job id --to=dec "$id").log" "$(echo job-*.log)"
  check 0 "" "" fq-bulksubmit --quiet --log='{}.txt' --watch echo '<{}>' ::: a b
  expect "<a> <b>" "$(cat a.txt b.txt | xargs)"
}

@test "logs that cannot be written refuse the submission" {
  # Nothing is stored.
  refuses 1 "fq-submit: cannot open 'no/such': No such file or directory" fq-submit --log=no/such true
  refuses 2 "fq-submit: --log: {{name}}: only the job's {{id}} is known when it is submitted" fq-submit --log='{{name}}' true
  check 0 "" "" fq-jobs -a -n
}

# The seconds that it took are the machine's.
on_terminal_timed() { on_terminal "$@" | sed 's/ 0:00:[0-9][0-9]\( *\r*\)$/ 0:00:SS\1/'; }

@test "--progress shows a bar on a terminal" {
  # How many jobs are submitted; with --wait how many wait, run and have ended, well or not.
  expect "Submitting 3 jobs: [===========================================] 100.0% 0:00:SS
exit 0" "$(on_terminal_timed 80 fq-submit --quiet --progress --urgency=hold --cc=1-3 true)"
  expect "PD:0   R:0   CD:2   F:1   [====================================] 100.0% 0:00:SS
exit 2" "$(on_terminal_timed 80 fq-bulksubmit --quiet --progress --wait sh -c 'exit {}' ::: 0 2 0)"
  expect "a1
a2
exit 0" "$(on_terminal_timed 80 fq-submit --quiet --progress --jps --watch --cc=1-2 echo 'a{cc}' | grep -v '100.0% .* job/s$' | sort)"
  expect "PD:0   R:0   CD:1   F:0   [======] 100.0% 0:00:SS
exit 0" "$(on_terminal_timed 50 fq-submit --quiet --progress --wait true)"
}

@test "--progress is ignored where there is no terminal" {
  # With a word; --jps belongs to it.
  MASK=$WATCH_MASK check 0 "ID" "fq-submit: standard error is no terminal: --progress is ignored" fq-submit --progress --wait true
  refuses 2 "fq-submit: --jps needs --progress" fq-submit --jps --wait true
}

@test "Ctrl-C ends the waiting, not the jobs" {
  # The bar is gone, the code is 130, the job goes on.
  submit_held other >/dev/null
  running other
  mkfifo go
  expect "fq-submit: interrupted: 1 job goes on
exit 130" "$(on_terminal 80 --until 'R:1' --press '\x03' fq-submit --quiet --progress --wait --job-name=mine sh -c 'read line <go')"
  expect R "$(fq-jobs -n --name mine -o '{status_abbrev}')"
  echo >go
  release other
  check 0 "" "" fq-job status "$(fq-job last)"
}

@test "many jobs are waited for by what changes" {
  # Three hundred jobs on eight cores, more than are watched one by one; all output is there.
  run --separate-stderr fq-submit --quiet --watch --cc=1-300 echo '{cc}'
  expect 0 "$status"
  expect "$(seq 300)" "$(sort -n <<<"$output")"
}
