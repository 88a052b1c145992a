#!/usr/bin/env bats
# fq-job attach: a job's output as it comes.

load helper

setup() { make_store 2:2; }

@test "attach to a job that ended shows its output and returns its code" {
  # stdout and stderr apart.
  local id
  id=$(fq-submit sh -c 'echo out; echo err >&2; exit 3')
  ended "$id"
  check 3 "out" "err
fq-job: task(s) exited with exit code 3" fq-job attach "$id"
}

@test "attach shows what was written before, and what comes" {
  # The first line is there at once, the second after the release.
  mkfifo job.up job.go
  local id pid first
  id=$(fq-submit sh -c 'echo early; echo >job.up; read code <job.go; echo late; exit "$code"')
  running job
  mkfifo pipe
  fq-job attach "$id" >pipe 2>err &
  pid=$!
  exec 5<pipe
  read -r -t 30 -u 5 first
  expect early "$first"
  release job 4
  expect late "$(cat <&5)"
  exec 5<&-
  local code=0
  wait "$pid" || code=$?
  expect "4 fq-job: task(s) exited with exit code 4" "$code $(cat err)"
}

@test "attach to a pending job waits for its start" {
  # Output comes once it runs.
  local id
  fq-queue stop --quiet
  id=$(fq-submit -N2 -n2 sh -c 'echo task $FLUX_TASK_RANK')
  fq-job attach "$id" >out 2>err &
  local pid=$!
  fq-queue start --quiet
  wait "$pid"
  expect "task 0 task 1" "$(sort out | xargs)"
}

@test "attach to a job that never ran" {
  # Code 1, the reason alone.
  local id
  id=$(fq-submit --urgency=hold true)
  fq-cancel -m "no need" "$id"
  refuses 1 "fq-job: canceled: no need" fq-job attach "$id"
}

@test "-l labels each line with its task" {
  # Also of a job that ended; no label stands inside a line, though a task's last line has no end.
  local id
  id=$(fq-submit -n2 sh -c 'echo a; printf b')
  ended "$id"
  run fq-job attach -l "$id"
  expect "0: a|0: b|1: a|1: b" "$(sort <<<"$output" | paste -sd'|')"
}

@test "output that went to files is not shown, but where it is" {
  # The files have it. A line a stream, on stderr.
  local id
  id=$(fq-submit --output=o sh -c 'echo elsewhere')
  ended "$id"
  check 0 "" "0: stdout redirected to o
0: stderr redirected to o" fq-job attach "$id"
  expect elsewhere "$(cat o)"
}

@test "many attach to one job" {
  # Each sees all of the output.
  local id pids=() i
  mkfifo j.up j.go
  id=$(fq-submit sh -c 'seq 1000; echo >j.up; read code <j.go; seq 1001 2000')
  running j
  for i in 1 2 3 4; do
    fq-job attach "$id" >"out.$i" &
    pids+=($!)
  done
  release j
  for i in "${pids[@]}"; do wait "$i"; done
  for i in 1 2 3 4; do expect "$(seq 2000 | cksum)" "$(cksum <"out.$i")"; done
}

@test "an interrupted attach leaves the job alone" {
  # SIGINT ends the attach, without a word where there is no terminal, unlike fq run's.
  local id code=0
  id=$(submit_held job)
  running job
  "$PYTHON" -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp("fq-job", ["fq-job", "attach", sys.argv[1]])' "$id" &
  local pid=$!
  waiting "$pid"
  kill -INT "$pid"
  wait "$pid" || code=$?
  expect 130 "$code"
  check 0 "R" "" fq-jobs -n -o '{status_abbrev}' "$id"
  release job
}

@test "Ctrl-C on a terminal leaves the job, and says so" {
  # The line about what it waits for is gone; the job is as it was.
  local id
  id=$(fq-submit --urgency=hold true)
  expect "fq-job: left job $id, which goes on (fq cancel $id ends it)
exit 130" "$("$PYTHON" "$TESTS_DIR/terminal.py" 80 --until "$id" --press '\x03' fq-job attach "$id")"
  expect S "$(fq-jobs -n -o '{status_abbrev}' "$id")"
}

@test "output to a full disk ends the attach, not the job" {
  # One line, code 1.
  local id
  id=$(fq-submit sh -c 'echo text')
  ended "$id"
  check 1 "" "fq-job: standard output: No space left on device" sh -c "fq-job attach $id >/dev/full"
  check 0 "text" "" fq-job attach "$id"
}

# Times and what differs between machines.
ATTACH_MASK='s/^[0-9]+\.[0-9]{3}s: /T: /; s/"userid":[0-9]+/"userid":UID/; s/"pid":[0-9]+/"pid":PID/; s/"boot_id":"[-0-9a-f]+"/"boot_id":"BOOT"/; s/ƒ[1-9A-HJ-NP-Za-km-z]+/ID/'

@test "-E shows the job's events, -X its shell's, with the output" {
  # On stderr, as flux does; of a job that ended, too. -vv and -vvv ask for the same, after the id.
  local id job exec
  id=$(fq-submit sh -c 'echo text')
  ended "$id"
  job='T: job.submit {"flags":0,"urgency":16,"userid":UID,"version":1}
T: job.validate
T: job.depend
T: job.priority {"priority":16}
T: job.alloc {"annotations":{"sched":{"resource_summary":"rank0/core0"}},"boot_id":"BOOT"}
T: job.start
T: job.finish {"status":0}
T: job.release {"final":true,"ranks":"all"}
T: job.free
T: job.clean'
  exec=$(MASK=$ATTACH_MASK; fq-job attach -X "$id" 2>&1 >/dev/null | sed -E "$MASK")
  MASK=$ATTACH_MASK check 0 "text" "$job" fq-job attach -E "$id"
  expect "T: exec.init" "$(head -n 1 <<<"$exec")"
  # The seconds are those since the submission, which -X alone does not show.
  fq-job attach -X "$id" 2>&1 >/dev/null | grep -Eq '^[0-9]{1,2}\.[0-9]{3}s: exec\.shell\.start '
  expect "1" "$(grep -c '^T: exec.shell.start ' <<<"$exec")"
  MASK=$ATTACH_MASK check 0 "text" "jobid: ID" fq-job attach -v "$id"
  MASK=$ATTACH_MASK check 0 "text" "jobid: ID
$job" fq-job attach -vv "$id"
  expect "$(printf '%s\n' "jobid: ID" "$job" "$exec" | sort)" "$(fq-job attach -vvv "$id" 2>&1 >/dev/null | sed -E "$ATTACH_MASK" | sort)"
  expect "11" "$(fq-run -vv true 2>&1 | sed -E "$ATTACH_MASK" | grep -cE '^T: job|^jobid: ID$')"
}

@test "events of a job that has ended stand in order of time" {
  # The job's and its shell's, whichever log they are from; what the tasks wrote between start and finish.
  local id
  id=$(fq-submit echo text)
  ended "$id"
  fq-job attach -E -X "$id" 2>err
  expect "$(cut -d: -f1 err)" "$(cut -d: -f1 err | sort -n)"
  [ "$(grep -n exec.shell.init err | cut -d: -f1)" -lt "$(grep -n job.clean err | cut -d: -f1)" ]
  expect "job.alloc job.start text job.finish" \
    "$(fq-job attach -E "$id" 2>&1 | grep -oE 'text|job\.(alloc|start|finish)' | xargs)"
}

@test "-w leaves when the event has come" {
  # The job goes on; an event that never came is an error, with a near match.
  local id done
  id=$(submit_held job)
  running job
  check 0 "" "" timeout "$LIMIT" fq-job attach -w start "$id"
  check 0 "" "" timeout "$LIMIT" fq-job attach --wait-event=exec.shell.start "$id"
  expect R "$(fq-jobs -n -o '{status_abbrev}' "$id")"
  release job 3
  ended "$id"
  check 3 "" "fq-job: task(s) exited with exit code 3" fq-job attach -w start "$id"
  refuses 1 "fq-job: job $id ended without event 'strt' (did you mean 'start'?)" fq-job attach -w strt "$id"
}

@test "standard input goes to a job that takes it" {
  # To all tasks, or to some; then the others read an end at once. A job that takes none leaves stdin alone.
  local id
  id=$(fq-submit -n2 -o input.stdin.type=service sh -c 'sed "s/^/$FLUX_TASK_RANK /"')
  expect "0 one|0 two|1 one|1 two" "$(printf 'one\ntwo\n' | timeout "$LIMIT" fq-job attach "$id" | sort | paste -sd'|')"
  id=$(fq-submit -n2 -o input.stdin.type=service sh -c 'sed "s/^/$FLUX_TASK_RANK /"')
  expect "1 one" "$(echo one | timeout "$LIMIT" fq-job attach -i 1 "$id")"
  id=$(fq-submit cat)
  expect "left" "$(echo left | { timeout "$LIMIT" fq-job attach "$id"; cat; })"
  id=$(fq-submit -o input.stdin.type=service sh -c 'read line; echo "<$line>"')
  expect "left" "$(echo left | { timeout "$LIMIT" fq-job attach --read-only -w start "$id"; cat; })"
  expect "<now>" "$(echo now | timeout "$LIMIT" fq-job attach "$id")"
}

@test "input comes in whole lines, with -u as it is" {
  # The task answers to what it has got before the line ends.
  local id pid
  for option in -u ''; do
    mkfifo in out
    id=$(fq-submit -o input.stdin.type=service sh -c 'dd bs=64 count=1 2>/dev/null; echo')
    # shellcheck disable=SC2086
    timeout "$LIMIT" fq-job attach $option "$id" <in >out &
    pid=$!
    exec 5>in 6<out
    printf 'par' >&5
    [ -z "$option" ] || { read -r -u 6 line; expect par "$line"; }
    if [ -z "$option" ]; then
      timeout "$LIMIT" fq-job wait-event -q -p input "$id" header
      expect 0 "$(fq-job eventlog -p input "$id" | grep -c par)"
      printf 't\n' >&5
      read -r -u 6 line
      expect part "$line"
    fi
    exec 5>&-
    cat <&6 >rest
    exec 6<&-
    wait "$pid"
    rm in out
  done
}

@test "wrong ranks for the input" {
  # Nothing is followed.
  local id
  id=$(fq-submit --urgency=hold -n2 -o input.stdin.type=service cat)
  refuses 1 "fq-job: job $id has tasks 0-1, not 2-3" fq-job attach -i 1-3 "$id"
  refuses 2 "fq-job: --stdin-ranks: invalid idset 'x': expected a number at character 1" fq-job attach -i x "$id"
  refuses 2 "fq-job: --stdin-ranks: invalid idset '$id': expected a number at character 1 (-i is for ranks of tasks; a job's terminal is attached to without it)" \
    fq-job attach -i "$id"
  refuses 2 "fq-job: --stdin-ranks cannot be used with --read-only" fq-job attach -i 0 --read-only "$id"
  id=$(fq-submit --urgency=hold cat)
  refuses 1 "fq-job: job $id takes no standard input from outside" fq-job attach -i 0 "$id"
}

@test "wrong operands" {
  # An unknown id, none, two.
  refuses 1 "fq-job: job 123 does not exist" fq-job attach 123
  refuses 2 "fq-job: ID is missing (usage: fq-job attach [OPTION...] ID)" fq-job attach
  refuses 2 "fq-job: unexpected operand '2'" fq-job attach 1 2
}

@test "attach says which output is in files" {
  # One line a stream, on stderr; fq-run, whose user has just named the file, does not.
  local id
  id=$(fq-submit -n2 --output=out.{{id}} echo there)
  MASK="s/$id/ID/" check 0 "" "0-1: stdout redirected to out.ID
0-1: stderr redirected to out.ID" fq-job attach "$id"
  check 0 "" "" fq-run --output=out echo there
}

@test "exceptions that do not end the job are shown" {
  # With the seconds since the submission, as they come and afterwards; fq run shows them, too. Those that end it are said once.
  local id
  submit_held job >id
  running job
  id=$(cat id)
  fq-job raise -s 3 -t note "$id" check its output
  release job 2
  ended "$id"
  MASK='s/^[0-9]+\.[0-9]{3}s/TIME/' check 2 "" "TIME: job.exception $id type=note severity=3 check its output
fq-job: task(s) exited with exit code 2" fq-job attach "$id"
  run --separate-stderr fq-job attach -E "$id"
  expect 1 "$(grep -c exception <<<"$stderr")"
}

@test "-q leaves out what is said beside the output" {
  # What its shell says, where its output goes and what it waits for; not how it ended.
  local id
  id=$(fq-submit --output=o --error=/dev/null sh -c 'echo elsewhere; exit 3')
  ended "$id"
  check 3 "" "fq-job: task(s) exited with exit code 3" fq-job attach --quiet "$id"
  id=$(fq-submit /nonexistent/program)
  ended "$id"
  run -127 --separate-stderr fq-job attach -q "$id"
  expect 1 "${#stderr_lines[@]}"
  [[ $stderr == fq-job:* ]]
}

@test "standard input of a file goes to a job that takes it" {
  # That was submitted for it; of others it is said that they take none.
  local id
  printf 'one\ntwo\n' >in
  id=$(fq-submit -o input.stdin.type=service cat)
  check 0 "one
two" "" sh -c "fq-job attach $id <in"
  id=$(fq-submit --urgency=hold cat)
  check 0 "" "fq-job: job $id takes no standard input from outside (fq submit -o input.stdin.type=service makes one that does)
fq-job: job $id waits: it is held: its urgency is 0" \
    sh -c "fq-job attach -w submit $id <in"
  id=$(fq-submit cat)
  fq-job wait "$id"
  check 0 "" "fq-job: job $id has ended and takes no standard input" sh -c "fq-job attach $id <in"
  id=$(fq-submit -o input.stdin.type=service cat)
  check 0 "" "" sh -c "fq-job attach -r $id <in & fq-job attach $id </dev/null; wait"
}
