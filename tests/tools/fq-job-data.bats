#!/usr/bin/env bats
# fq job data: what services keep with a job.

load helper

setup() {
  make_store 2:2
  id=$(fq-submit --urgency=hold true)
}

@test "R16.13 a service keeps data with a job, as it is" {
  # Bytes of any kind, of a file or of standard input; what is kept later takes its place; each service has its own.
  printf 'a\0\377\nb' >trace
  check 0 "" "" fq-job data "$id" trace trace
  expect "61 00 ff 0a 62" "$(fq-job data "$id" trace | od -An -tx1 | xargs)"
  expect "61 00 ff 0a 62" "$(fq-job info "$id" data.trace | od -An -tx1 | xargs)"
  echo first | fq-job data "$id" trace -
  printf other >file
  check 0 "" "" fq-job data "$id" trace.step-1 file
  check 0 "first" "" fq-job data "$id" trace
  check 0 "other" "" fq-job data "$id" trace.step-1
  check 0 "J
data.trace
data.trace.step-1
eventlog
jobspec" "" fq-job info "$id"
  check 0 "" "" fq-job data "$id" trace /dev/null
  check 0 "" "" fq-job data "$id" trace
  check 0 "$(fq-job eventlog "$id")" "" fq-job eventlog "$id"
}

# bats test_tags=own-store
@test "data of services stays with a job that has ended, and goes when it is purged" {
  # It may come after the end; an archive has it; the store is sound.
  local before
  fq-job data "$id" trace - <<<"before"
  fq-job urgency "$id" default
  ended "$id"
  before=$(fq-job eventlog "$id")
  printf 'a\377' >file
  check 0 "" "" fq-job data "$id" late file
  check 0 "before" "" fq-job data "$id" trace
  expect "$before" "$(fq-job eventlog "$id")"
  fq-fsck >/dev/null
  fq-job purge -f --archive=archive "$id"
  expect '"before\n" {"base64":"Yf8="}' "$("$PYTHON" -c 'import json
kept = json.loads(open("archive").read())["documents"]
print(*(json.dumps(kept[name], separators=(",", ":")) for name in ("data.trace", "data.late")))')"
  refuses 1 "fq-job: job $id was purged" fq-job data "$id" trace
  refuses 1 "fq-job: job $id was purged" fq-job data "$id" trace file
}

@test "names that no service has, and data that is not there" {
  # fq's own is read with the other documents alone; nothing is changed.
  local name hint="(letters, digits and _ - + @ : , =, with dots between words, 128 bytes at most)"
  echo x >file
  for name in "a b" "" .a a. a..b a/b "$(printf '%0129d' 0)"; do
    refuses 2 "fq-job: '$name' is no name of a service $hint" fq-job data "$id" "$name" file
  done
  for name in fq fq.files fq.other; do
    refuses 2 "fq-job: data.$name is fq's own (take another name)" fq-job data "$id" "$name" file
  done
  check 0 "" "" fq-job data "$id" fqx file
  refuses 1 "fq-job: job $id has no data.trace" fq-job data "$id" trace
  refuses 1 "fq-job: job $id has no data.a b" fq-job data "$id" "a b"
  refuses 1 "fq-job: cannot open 'missing': No such file or directory" fq-job data "$id" trace missing
  refuses 1 "fq-job: cannot read '.': Is a directory" fq-job data "$id" trace .
  refuses 1 "fq-job: job ƒ111111 does not exist" fq-job data ƒ111111 trace file
  refuses 2 "fq-job: SERVICE is missing (usage: fq-job data [OPTION...] ID SERVICE [FILE])" fq-job data "$id"
  expect "data.fqx" "$(fq-job info "$id" | grep data)"
}

@test "services keep no more than 1 MiB with a job" {
  # Names count; what is replaced does not.
  head -c 1048576 /dev/zero >large
  refuses 1 "fq-job: the data of job $id would be 1048581 bytes: at most 1048576" fq-job data "$id" trace large
  head -c 1048571 /dev/zero >fits
  check 0 "" "" fq-job data "$id" trace fits
  check 0 "" "" fq-job data "$id" trace fits
  printf x >file
  refuses 1 "fq-job: the data of job $id would be 1048578 bytes: at most 1048576" fq-job data "$id" b file
  check 0 "" "" fq-job data "$id" trace /dev/null
  check 0 "" "" fq-job data "$id" b file
  expect 0 "$(fq-job data "$id" trace | wc -c)"
  echo more >>large
  refuses 1 "fq-job: 'large' has more than 1048576 bytes" fq-job data "$id" trace large
}
