#!/usr/bin/env bats
# The gate's processes, stopped and killed at each of their system calls, and so at each step that can be told apart from outside
# (points.py). In the suite the first two calls, then every fourth to seventh; EVERY_FAULT=1: each.

load helper
load ../crash/next_fault

setup_file() {
  make_world
  install_gate
  nsenter -t "$(cat "$BATS_FILE_TMPDIR/world")" -m -- install -m 755 "$BATS_TEST_DIRNAME/points.py" /usr/libexec
}

# Two jobs that wait, of which what is asked changes both.
make_jobs() {
  as root fq-queue stop --quiet
  # shellcheck disable=SC2016
  IDS=$(as fqtest-a sh -c 'cd /mnt && for i in 1 2; do fq-job id --to=dec "$(fq-submit --urgency=1 true)"; done' | paste -sd,)
}
# question URGENCY: greets, and asks for it, in the file /mnt/question.
question() {
  /usr/bin/python3 -c 'import struct, sys
for letter, text in ((b"H", b"{\"protocol\":1,\"command\":\"fq-test\",\"damaged\":false}"), (b"Q", b"urgency\n" + sys.argv[1].encode())):
    sys.stdout.buffer.write(letter + struct.pack(">I", len(text)) + text)' "{\"ids\":[$IDS],\"urgency\":$1}" >"$(where question)"
}
urgencies() { as fq fq-jobs -n -u fqtest-a -o '{urgency}' | xargs; }
# at PROCESS SIGNAL N: asks, with the signal at that call; PID is who got it. False where there are no so many calls.
at() {
  until_so nobody_stays
  world timeout "$LIMIT" /usr/libexec/points.py fqtest-a "$1" "$2" "$3" /mnt/report /usr/libexec/fq/fq-gate \
    <"$(where question)" >"$(where answer)" 3>&-
  read -r PID _ <"$(where report)"
  [ "$PID" != over ]
}
nothing_of_a() { ! pgrep -r R,S,D,T,t -f '^(/usr/libexec/fq/)?fq-(gate|engine .*--user 64101( .*)?)$' >/dev/null; }
# until_so looks from a shell of its own.
export -f nothing_of_a
# Another user changes something, too.
others_are_served() { as fqtest-b fq-job urgency "$OTHER" "$((1 + N % 16))"; }
# at_each PROCESS SIGNAL: all of it.
at_each() {
  local before after
  OTHER=$(as fqtest-b sh -c 'cd /mnt && fq-submit --urgency=1 true')
  N=1
  while
    before=$(urgencies)
    after="$((1 + N % 15)) $((1 + N % 15))"
    question "${after% *}"
    at "$1" "$2" "$N"
  do
    others_are_served
    # One that is stopped is the caller's to end, unless it is the caller's no more.
    [ "$2" = KILL ] || as fqtest-a kill -KILL "$PID" 2>/dev/null || kill -KILL "$PID" 2>/dev/null || :
    until_so nothing_of_a
    [[ $(urgencies) == @("$before"|"$after") ]] || { echo "call $N: $before, $after: $(urgencies)"; false; }
    N=$(next_fault "$N")
  done
  expect "$after" "$(urgencies)"
  echo "calls: $N"
  [ "$N" -gt 20 ]
  as fq fq-fsck | grep -q ': sound$'
  expect "" "$(world find /var/lib/fq/inbox /var/lib/fq/wake -type f)"
}

@test "the half of the gate that asks, killed at each of its calls" {
  make_jobs
  at_each asks KILL
}

@test "the half of the gate that asks, stopped at each of its calls" {
  make_jobs
  at_each asks STOP
}

@test "the half of the gate that starts the engine, killed at each of its calls" {
  make_jobs
  at_each starts KILL
}

@test "the half of the gate that starts the engine, stopped at each of its calls" {
  make_jobs
  at_each starts STOP
}

@test "an engine killed at each of its calls" {
  # No user can, but the kernel may, where memory ends.
  make_jobs
  at_each answers KILL
}

@test "who calls can signal the gate before it has begun anything, and never an engine" {
  make_jobs
  question 7
  local process
  for process in asks starts answers; do
    at "$process" none 0 || :
    cp "$(where report)" "$BATS_TEST_TMPDIR/$process"
    expect "$process 7 7" "$process $(urgencies)"
    grep -qa '"done":.*"before"' "$(where answer)"
    # shellcheck disable=SC2086
    as fqtest-a fq-job urgency ${IDS/,/ } 3
    until_so nothing_of_a
  done
  # The child is root's from the call on that makes it so, and then in a session of its own; before it has only made that call.
  expect "" "$(grep yes "$BATS_TEST_TMPDIR/answers")"
  expect "yes no" "$(cut -d' ' -f3 "$BATS_TEST_TMPDIR/starts" | uniq | xargs)"
  [ "$(grep -c yes "$BATS_TEST_TMPDIR/starts")" -le 5 ]
  [ "$(grep -c no "$BATS_TEST_TMPDIR/starts")" -gt 20 ]
  [ "$(wc -l <"$BATS_TEST_TMPDIR/answers")" -gt 100 ]
}
