#!/usr/bin/env bats
# What nests, repeats or spans without measure: each reader of it answers, with one line where it refuses; none crashes,
# takes all memory or goes on for ever.

# The sanitizers need more memory than the limits here leave.
# bats file_tags=footprint

load helper

setup() {
  make_store 1:2
  fq-queue stop --quiet
  # Under a megabyte of stack and a gigabyte of memory.
  ulimit -s 1024 -v 1048576
}

# times N TEXT
times() { "$PYTHON" -c 'import sys; print(sys.argv[2] * int(sys.argv[1]), end="")' "$1" "$2"; }

# answers COMMAND...: it succeeds, or refuses with one line.
answers() {
  run --separate-stderr timeout "$LIMIT" "$@"
  [ "$status" -le 2 ] || { echo "exit $status: ${*:0:200}" | cut -c1-300; return 1; }
  [ "$status" = 0 ] || [ "${#stderr_lines[@]}" = 1 ] || { echo "${stderr_lines[@]}" | cut -c1-300; return 1; }
}

@test "expressions" {
  # For names of variables, and of jobs.
  local open close
  open=$(times 60000 "(")
  close=$(times 60000 ")")
  check 0 "" "" fq-submit --quiet --urgency=hold --env="-/${open}A$close/" true
  refuses 2 "fq-submit: --env: 'a{1000}{1000}{1000}' is not a regular expression: bad repetition operator at '{1000}{1000}'" \
    fq-submit --env='-/a{1000}{1000}{1000}/' true
  check 0 "$(fq-jobs -n -o '{id}')" "" fq-pgrep "${open}true$close"
  refuses 2 "fq-pgrep: '${open:0:80}'... is not a regular expression: missing )" fq-pgrep "$open"
  refuses 2 "fq-pkill: 'a{1000}{1000}{1000}' is not a regular expression: bad repetition operator at '{1000}{1000}'" \
    fq-pkill 'a{1000}{1000}{1000}'
  answers fq-pgrep "$(times 20000 '(a*)*')\$"
  answers fq-submit --dry-run --env="-$(times 30000 '*a')b" true
}

@test "brackets and paths on the command line" {
  local b
  for b in "(" "[" "{" "-(" "not "; do
    b=$(times 30000 "$b")
    answers fq-submit --dry-run --requires="$b" true
    answers fq-submit --dry-run --setattr=x="$b" true
    answers fq-submit --dry-run --dependency="afterok:$b" true
    answers fq-submit --dry-run --taskmap="manual:$b" true
    answers fq-bulksubmit --dry-run echo "{$b}" ::: 1
    answers fq-jobs -o "$b"
    answers fq-hostlist "a$b"
    answers fq-job taskmap "$b"
  done
  b=$(times 50000 "a.")
  answers fq-submit --dry-run --setattr="${b}a=1" true
  answers fq-jobs -o "{annotations.${b}a}"
  answers fq-job memo 1 "${b}a=1"
}

@test "brackets in documents" {
  local b
  for b in '[' '{"a":' '{"and":[' '- ' 'a: {' '[[a.'; do
    times 100000 "$b" >deep
    answers fq-job submit deep
    answers fq-config check deep
    answers sh -c 'fq-R decode <deep'
  done
  { printf 'a = '; times 100000 '['; } >deep
  answers fq-config check deep
  { printf 'a: &a [x]\n'; for b in 1 2 3 4 5 6 7 8 9; do echo "a$b: &a [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]"; done; } >deep
  answers fq-job submit deep
  { printf '#!/bin/sh\n#flux: '; times 100000 '('; } >deep
  answers fq-batch --dry-run -n1 deep
}

@test "ranges" {
  local ids
  for ids in 0-4294967295 0-99999999999 0-18446744073709551616 "$(seq -s, 0 2 30000)"; do
    answers fq-submit --dry-run --urgency=hold --bcc="$ids" --output='{{id}}' -q nosuch true
    answers fq-submit --dry-run --requires="rank:$ids" true
    answers fq-submit --dry-run -o cpu-affinity=map:"$ids" true
    answers fq-hostlist --count "a[$ids]"
    answers fq-R encode --ranks="$ids"
    answers fq-R encode --cores="$ids"
    answers fq-jobs -i "$ids"
    answers fq-resource drain "$ids"
    answers fq-job taskmap "[[0,$ids,1,1]]"
  done
  refuses 2 "fq-submit: --cc: more than 10000000 ids" fq-submit --cc=0-4294967295 true
  answers fq-hostlist --count 'a[0-999999999999]'
  answers fq-hostlist --expand 'a[0-99999999]b'
  answers fq-job taskmap '[[0,4294967295,4294967295,4294967295]]'
}
