#!/usr/bin/env bats
# fq-cancel: ending jobs.

load helper

setup() { make_store 1:2; }

@test "R27.50 a pending job is canceled" {
  # At once, silently, without an allocation; listed as CA.
  submit_held job -c2 >id
  running job
  local id
  id=$(fq-submit true)
  check 0 "" "" fq-cancel "$id"
  check 0 "CA CANCELED Canceled" "" fq-jobs -n -o '{status_abbrev} {result} {inactive_reason}' "$id"
  release job
}

@test "R16.18 R27.46 a running job is ended and its resources are free" {
  # SIGTERM, code 143; the next job starts.
  local id next
  id=$(submit_held job -c2)
  running job
  next=$(fq-submit -c2 true)
  check 0 "" "" fq-cancel "$id"
  check 143 "" "fq-job: $id: canceled" fq-job wait "$id"
  check 0 "" "" fq-job wait "$next"
}

@test "a canceled job that catches SIGTERM has the exit code of its tasks" {
  # It is canceled all the same; one that exits with 0 did not succeed.
  local code id
  for code in 5 0; do
    mkfifo up
    id=$(fq-submit sh -c 'trap "exit $0" TERM; echo >up; while :; do sleep 1; done' "$code")
    timeout "$LIMIT" cat up >/dev/null
    rm up
    fq-cancel "$id"
    check $((code ? code : 1)) "" "fq-job: $id: canceled" fq-job wait "$id"
    check 0 "CA $code" "" fq-jobs -n -o '{status_abbrev} {returncode}' "$id"
  done
}

@test "a job that waits for its input's writer can be canceled" {
  # Opening a FIFO that nobody writes to holds up neither a cancel nor the time limit; a writer gets through.
  local id
  mkfifo fifo
  id=$(fq-submit --input=fifo cat)
  check 0 "" "" fq-cancel "$id"
  ended "$id"
  expect "CA" "$(fq-jobs -n -o '{status_abbrev}' "$id")"
  id=$(fq-submit --input=fifo -t 0.05s cat)
  ended "$id"
  expect "TO" "$(fq-jobs -n -o '{status_abbrev}' "$id")"
  id=$(fq-submit --input=fifo cat)
  timeout "$LIMIT" sh -c 'echo through >fifo'
  check 0 "through" "" fq-job attach "$id"
}

@test "a task that ignores SIGTERM is killed after the grace" {
  # The job ends with SIGKILL's 137 and is still canceled, not failed.
  local id
  mkfifo t.up
  id=$(fq-submit sh -c 'trap "" TERM; echo >t.up; while :; do read x </dev/null; done')
  running t
  fq-cancel "$id"
  check 137 "" "fq-job: $id: canceled" fq-job wait "$id"
  check 0 "CA" "" fq-jobs -n -o '{status_abbrev}' "$id"
}

@test "-m gives the reason" {
  # It stands in the exception's note, in the listing and in wait's words.
  local id
  id=$(fq-submit --urgency=hold true)
  check 0 "" "" fq-cancel -m "wrong input" "$id"
  check 0 "Canceled: wrong input cancel wrong input 0" "" \
    fq-jobs -n -o '{inactive_reason} {exception.type} {exception.note} {exception.severity}' "$id"
  check 1 "" "fq-job: $id: canceled: wrong input" fq-job wait "$id"
}

@test "several jobs, some of them not to be canceled" {
  # Each refusal has a line, the others are canceled, the code is 1.
  local a b done
  done=$(fq-submit true)
  ended "$done"
  a=$(fq-submit --urgency=hold true)
  b=$(fq-submit --urgency=hold true)
  check 1 "" "fq-cancel: job 123 does not exist
fq-cancel: job $done is inactive" fq-cancel "$a" 123 "$done" "$b"
  check 0 "CA CA CD" "" sh -c "fq-jobs -n -o '{status_abbrev}' $a $b $done | xargs"
}

@test "the same id twice is canceled once" {
  # The second is no refusal of what this command did itself.
  local id
  id=$(fq-submit --urgency=hold true)
  check 0 "" "" fq-cancel "$id" "$(fq-job id --to=dec "$id")"
}

@test "--all cancels all that is active" {
  # The count is printed; what is inactive stays as it is.
  ended "$(fq-submit true)"
  submit_held job >id
  running job
  fq-submit --quiet --urgency=hold --cc=1-3 true
  check 0 "canceled 4 jobs" "" fq-cancel --all
  ended "$(cat id)"
  check 0 "CA CA CA CA CD" "" sh -c "fq-jobs -a -n -o '{status_abbrev}' | sort | xargs"
  check 0 "canceled 0 jobs" "" fq-cancel --all
  check 0 "" "" fq-cancel --all --quiet
}

@test "--all with dependants cancels the whole chain" {
  # A dependant that ends with its job is no refusal.
  local a
  a=$(fq-submit --urgency=hold true)
  a=$(fq-submit --dependency=afterok:"$a" true)
  fq-submit --quiet --dependency=afterok:"$a" true
  run --separate-stderr fq-cancel --all
  expect "0 " "$status $stderr"
  check 0 "" "" fq-jobs -n
}

@test "-S selects by state" {
  # pending leaves the running job alone, running the pending ones.
  submit_held job >id
  running job
  fq-submit --quiet --urgency=hold --cc=1-2 true
  check 0 "would cancel 1 job" "" fq-cancel --all -n -S running
  refuses 2 "fq-cancel: --queue needs --all, --states or --user (it selects some of your jobs; --quiet has no letter)" fq-cancel -q all
  check 0 "would cancel 3 jobs" "" fq-cancel -n -u all
  check 0 "canceled 2 jobs" "" fq-cancel --states=pending
  check 0 "R" "" fq-jobs -n -o '{status_abbrev}'
  release job
}

@test "-u selects by user" {
  # Another user has no jobs here.
  fq-submit --quiet --urgency=hold true
  check 0 "canceled 0 jobs" "" fq-cancel --all -u 65534
  check 0 "canceled 1 job" "" fq-cancel --all -u "$(id -un)"
}

@test "-n says what would be canceled and changes nothing" {
  # The ids, or the count.
  local id
  id=$(fq-submit --urgency=hold true)
  check 0 "would cancel $id" "" fq-cancel -n "$id"
  check 0 "would cancel 1 job" "" fq-cancel -n --all
  check 0 "S" "" fq-jobs -n -o '{status_abbrev}'
}

@test "a job waiting for its time or for another is canceled" {
  # Dependencies go with the job.
  local a b
  a=$(fq-submit --begin-time=+1h true)
  b=$(fq-submit --dependency=afterany:"$a" true)
  check 0 "" "" fq-cancel "$b"
  check 0 "" "" fq-cancel "$a"
  check 0 "CA CA" "" sh -c "fq-jobs -n -o '{status_abbrev}' $a $b | xargs"
}

@test "wrong operands" {
  # Ids or a selection, not both and not none.
  refuses 2 "fq-cancel: which jobs? give their ids, or --all" fq-cancel
  refuses 2 "fq-cancel: give either job ids or a selection (--all, -S, -u), not both" fq-cancel --all 1
  refuses 2 "fq-cancel: 'all' is no job id (--all cancels your jobs)" fq-cancel all
  refuses 2 "fq-cancel: invalid job id 'xyz': expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, emoji or a decimal number" fq-cancel xyz
  refuses 2 "fq-cancel: unknown state 'foo' (depend or d, priority or p, sched or s, run or r, cleanup or c, inactive or i, pending, running, active, completed or cd, failed or f, canceled or ca, timeout or to)" fq-cancel --all -S foo
  refuses 1 "fq-cancel: user 'nosuch' does not exist" fq-cancel --all -u nosuch
  refuses 2 "fq-cancel: unknown option '--al' (did you mean '--all'?)" fq-cancel --al
}

@test "a job canceled between allocation and start ends without running" {
  # Cancel right after submission: whatever the shell did by then, the job is CA and nothing is left.
  local id i
  for i in 1 2 3 4 5 6 7 8; do
    id=$(fq-submit sh -c "tail -f /dev/null")
    fq-cancel "$id"
    ended "$id"
    check 0 "CA" "" fq-jobs -n -o '{status_abbrev}' "$id"
  done
}

@test "a stopped task is canceled" {
  # SIGCONT follows SIGTERM.
  local id
  mkfifo t.up
  id=$(fq-submit sh -c 'echo >t.up; kill -STOP $$; exec tail -f /dev/null')
  running t
  fq-cancel "$id"
  check 143 "" "fq-job: $id: canceled" fq-job wait "$id"
}

@test "options may stand behind the ids" {
  # As fingers have them; behind -- nothing is one.
  local id
  id=$(fq-submit --urgency=hold true)
  check 0 "would cancel $id" "" fq-cancel "$id" -n
  check 0 "" "" fq-cancel "$id" -m "no use"
  check 0 "Canceled: no use" "" fq-jobs "$id" -n -o '{inactive_reason}'
  refuses 2 "fq-cancel: invalid job id '-n': expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, emoji or a decimal number" \
    fq-cancel -- -n
}

# bats test_tags=waker,own-store
@test "the end of a job leaves alone what runs the jobs of another installation" {
  # Its shells and its waker are known by the locks that they hold, wherever their files lie.
  local id inner
  mkdir other
  cp -P "$FQ_BIN_DIR"/fq* other
  other/fq-init --quiet --store "$WORK/other-store" --test-nodes 1:1
  mkfifo t.up t.go
  id=$(fq-submit sh -c 'PATH=$PWD/other:$PATH fq-submit --store "$PWD/other-store" --job-name=inner sh -c "echo >t.up; read code <t.go; exit \$code" >inner; exec tail -f /dev/null')
  timeout "$LIMIT" sh -c 'read line <t.up'
  inner=$(cat inner)
  fq-cancel --quiet "$id"
  ended "$id"
  [ -n "$(processes find "$WORK/other-store" fq-waker)" ]
  check 0 "R" "" other/fq-jobs --store "$WORK/other-store" -n -o '{status_abbrev}' "$inner"
  timeout "$LIMIT" sh -c 'echo 3 >t.go'
  check 3 "" "fq-job: $inner: task(s) exited with exit code 3" other/fq-job wait --store "$WORK/other-store" "$inner"
  processes leftovers "$WORK/other-store"
}
