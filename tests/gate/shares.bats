#!/usr/bin/env bats
# What each user may have of a store that users share (access.shares), of those who ask through the gate.

load helper

shares() { as fq fq-config load - <<<"access.shares = { $1 }${2:+$'\n'$2}"; }

@test "pending jobs of a user are bounded, of the owner and of operators not" {
  shares 'pending-jobs = 5'
  as root fq-queue stop --quiet
  as fqtest-a sh -c 'cd /mnt && fq-submit --quiet --cc=1-3 true'
  refuses 1 "fq-submit: user 64101 has 3 pending jobs of at most 5: 3 more would be too many (2 can be submitted now)" \
    as fqtest-a sh -c 'cd /mnt && fq-submit --quiet --cc=1-3 true'
  as fqtest-a sh -c 'cd /mnt && fq-submit --quiet --cc=1-2 true'
  refuses 1 "fq-submit: user 64101 has 5 pending jobs of at most 5: 1 more would be too many (wait until some have started)" \
    as fqtest-a sh -c 'cd /mnt && fq-submit true'
  expect 5 "$(as fqtest-a fq-jobs -A -n | wc -l)"
  # Others have their own; who is held to none has as many as wanted.
  as fqtest-b sh -c 'cd /mnt && fq-submit --quiet --cc=1-5 true'
  as fq sh -c 'cd / && fq-submit --quiet --cc=1-6 true'
  shares 'pending-jobs = 5' 'access.operators = ["fqtest-a"]'
  as fqtest-a sh -c 'cd /mnt && fq-submit --quiet true'
  # Those that were canceled are over.
  as fqtest-b fq-cancel --all --quiet
  as fqtest-b sh -c 'cd /mnt && fq-submit --quiet --cc=1-5 true'
  expect "" "$(as fq fq-fsck 2>&1 | grep -v 'no damage\|sound\|jobs')"
}

@test "bytes of a user's jobs are bounded, and never keep one from ending" {
  local id other
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit sh -c "head -c 20000 /dev/zero | tr \\\\0 x"')
  ended_as fqtest-a "$id"
  other=$(as fqtest-a sh -c 'cd /mnt && fq-submit sleep 1000')
  shares 'bytes = 10000'
  run --separate-stderr as fqtest-a sh -c 'cd /mnt && fq-submit true'
  # shellcheck disable=SC2154
  [[ "$status|$stderr" == "1|fq-submit: jobs of user 64101 have "*" bytes of at most 10000 in the store (those that have ended must be purged first; --output=FILE keeps output elsewhere)" ]]
  run --separate-stderr as fqtest-a fq-job memo "$other" a=b
  [[ "$status|$stderr" == "1|fq-job: jobs of user 64101 have "* ]]
  run --separate-stderr as fqtest-a fq-job raise --severity=7 "$other" note
  [[ "$status|$stderr" == "1|fq-job: jobs of user 64101 have "* ]]
  as fqtest-b sh -c 'cd /mnt && fq-run true'
  as fqtest-a fq-cancel --quiet "$other"
  ended_as fqtest-a "$other"
  # What is purged is stored no more.
  as root fq-job purge -f --num-limit=0 >/dev/null
  as fqtest-a sh -c 'cd /mnt && fq-run true'
  as fq fq-fsck
}

@test "output is cut where the user's share ends" {
  shares 'bytes = 10000'
  local id
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit sh -c "head -c 50000 /dev/zero | tr \\\\0 x"')
  ended_as fqtest-a "$id"
  [ "$(as fqtest-a fq-job attach "$id" 2>/dev/null | wc -c)" -le 10000 ]
  expect CD "$(as fqtest-a fq-jobs -a -n -o '{status_abbrev}' "$id")"
}

@test "a disk with little left is kept for the ends of jobs" {
  local id
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit sleep 1000')
  shares 'disk-reserve = 9000000000000000'
  run --separate-stderr as fqtest-a sh -c 'cd /mnt && fq-submit true'
  [[ "$status|$stderr" == "1|fq-submit: the disk of the store '/var/lib/fq' has "*" bytes left, and 9000000000000000 are kept for the ends of jobs" ]]
  as fqtest-a fq-cancel --quiet "$id"
  ended_as fqtest-a "$id"
}

@test "connections of a user are bounded: one more waits, and others are answered" {
  local id i pids=()
  shares 'connections = 8, patience = "4s"'
  id=$(as fqtest-b sh -c 'cd /mnt && fq-submit sleep 1000')
  for i in $(seq 8); do
    as fqtest-a fq-job wait "$id" &
    pids+=($!)
  done
  until_so engines_of 64101 8
  refuses 1 "fq-queue: user 64101 has 8 connections of at most 8 to the store: one more was not answered for 4 seconds" \
    as fqtest-a fq-queue status
  expect "Job submission is enabled" "$(as fqtest-b fq-queue status | head -n1)"
  as fqtest-b fq-cancel --quiet "$id"
  for i in "${pids[@]}"; do wait "$i" || :; done
  # They end with those who had them.
  expect "Job submission is enabled" "$(as fqtest-a fq-queue status | head -n1)"
}
engines_of() { [ "$(pgrep -cxf "fq-engine --store /var/lib/fq --user $1 --user-group $1( .*)?")" = "$2" ]; }
export -f engines_of


@test "of a user's commands a few read the store at once: others wait, and who else asks does not" {
  # As many as a quarter of the processors, and two at least.
  local places i id pids=()
  places=$(($(getconf _NPROCESSORS_ONLN) / 4))
  [ "$places" -ge 2 ] || places=2
  as fq sh -c 'cd / && fq-submit --quiet --urgency=hold --cc=1-10000 true'
  id=$(as fqtest-a sh -c 'cd /mnt && fq-submit --urgency=hold true')
  mkfifo "$BATS_TEST_TMPDIR/go"
  exec {GO}<>"$BATS_TEST_TMPDIR/go"
  for i in $(seq "$places"); do
    rm -f "$(where held)"
    speaks fqtest-a unread <"$BATS_TEST_TMPDIR/go" 3>&- {GO}>&- &
    pids+=($!)
    until_so test -e "$(where held)"
  done
  until_so nobody_stays
  refuses 124 "fq-queue: the store '/var/lib/fq' was being read for 1 s by $places other commands of user 64101" \
    as fqtest-a fq-queue status --lock-timeout=1
  expect "Job submission is enabled" "$(as fqtest-b fq-queue status | head -n1)"
  as fqtest-a fq-job urgency "$id" 3
  exec {GO}>&-
  for i in "${pids[@]}"; do wait "$i"; done
  expect "Job submission is enabled" "$(as fqtest-a fq-queue status | head -n1)"
}

@test "who begins a question and does not go on with it is dropped" {
  # Or never begins one; who has asked may take his time.
  shares 'patience = "1s"'
  expect "E a request was begun, and not gone on with for 1 seconds" "$(speaks fqtest-a half Q)"
  expect "E a request was begun, and not gone on with for 1 seconds" "$(speaks fqtest-a half $'Q\1\1\1submit')"
  mkfifo "$BATS_TEST_TMPDIR/silence"
  as fqtest-a fq-gate <>"$BATS_TEST_TMPDIR/silence" >"$(where answer)"
  grep -q 'a request was begun, and not gone on with for 1 seconds' "$(where answer)"
}

@test "of large requests each user has one at a time, be it slow" {
  # Another's is answered meanwhile, and so are small ones.
  shares 'patience = "4s"'
  mkfifo "$BATS_TEST_TMPDIR/go"
  speaks fqtest-a hold require-jobs '{' ' ' 2000000 '}' <"$BATS_TEST_TMPDIR/go" >"$(where held.said)" &
  local held=$! go
  exec {go}>"$BATS_TEST_TMPDIR/go"
  until_so test -e "$(where held)"
  export WORLD_PID
  until_so has_large 64101
  expect "E user 64101 has another request of more than 1048576 bytes at the store: one more was not answered for 4 seconds" \
    "$(speaks fqtest-a many require-jobs '{' ' ' 2000000 '}')"
  expect "Job submission is enabled" "$(as fqtest-a fq-queue status | head -n1)"
  expect "R {}" "$(speaks fqtest-b many require-jobs '{' ' ' 2000000 '}')"
  exec {go}>&-
  wait "$held"
  expect "R {}" "$(cat "$(where held.said)")"
  expect "R {}" "$(speaks fqtest-a many require-jobs '{' ' ' 2000000 '}')"
}

# has_large USER: a large request of the user has the one place.
has_large() { world sh -c 'grep -q ":$(stat -c %i "/var/lib/fq/door/$0.large") " /proc/locks' "$1" 2>/dev/null; }
export -f has_large world

@test "a request that takes more processor time than a user may have is ended, and says so" {
  # Root is held to none.
  shares 'processor-time = "1s"'
  local id
  id=$(as fqtest-a fq-job id --to=dec "$(as fqtest-a sh -c 'cd /mnt && fq-submit true')")
  expect "E a request of user 64101 may take 1 seconds of processor time, and this one took more: it was ended" \
    "$(speaks fqtest-a many list-jobs "{\"ids\":[$id" ",$id" 4000000 ']}')"
  expect "Job submission is enabled" "$(as fqtest-a fq-queue status | head -n1)"
  expect "checked 1 job: sound" "$(as fq fq-fsck)"
}
