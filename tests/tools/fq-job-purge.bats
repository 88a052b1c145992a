#!/usr/bin/env bats
# fq-job purge: removing jobs that have ended.

load helper

setup() { make_store 1:4; }

# end_jobs N: so many jobs that have ended, one after the other; their ids.
end_jobs() {
  local i id
  for ((i = 0; i < $1; i++)); do
    id=$(fq-submit true)
    ended "$id"
    echo "$id"
  done
}

@test "R16.19 a purged job is gone" {
  # No listing, no document, no latest id; without -f nothing happens.
  local ids
  ids=($(end_jobs 2))
  check 0 "would purge 1 job, 1 inactive left (-f does)" "" fq-job purge "${ids[0]}"
  check 0 "2" "" sh -c "fq-jobs -a -n | wc -l"
  check 0 "purged 1 job, 1 inactive left" "" fq-job purge -f "${ids[0]}"
  check 0 "${ids[1]}" "" fq-jobs -a -n -o '{id}'
  check 0 "${ids[1]}" "" fq-job last 5
  refuses 1 "fq-job: job ${ids[0]} was purged" fq-job info "${ids[0]}" jobspec
  refuses 1 "fq-job: job ${ids[0]} was purged" fq-job wait "${ids[0]}"
}

@test "a purged job is told from one that never was" {
  # By every command that takes an id.
  local id command
  id=$(fq-submit true)
  ended "$id"
  fq-job purge -f "$id"
  for command in info eventlog attach wait status why kill urgency taskmap timeleft purge; do
    case $command in
      urgency) refuses 1 "fq-job: job $id was purged" fq-job urgency "$id" 5 ;;
      purge) refuses 1 "fq-job: job $id was purged" fq-job purge -f "$id" ;;
      *) refuses 1 "fq-job: job $id was purged" fq-job "$command" "$id" ;;
    esac
  done
  refuses 1 "fq-cancel: job $id was purged" fq-cancel "$id"
  refuses 1 "fq-update: job $id was purged" fq-update "$id" name=x
  refuses 1 "fq-job: job 123 does not exist" fq-job info 123
}

@test "--num-limit keeps the latest" {
  # The oldest go, in any batch size; active jobs do not count.
  local ids held
  ids=($(end_jobs 4))
  held=$(fq-submit --urgency=hold true)
  check 0 "would purge 3 jobs, 1 inactive left (-f does)" "" fq-job purge --num-limit=1
  check 0 "purged 2 jobs, 2 inactive left" "" fq-job purge --num-limit=2 --force --batch=1
  check 0 "${ids[3]} ${ids[2]}" "" sh -c "fq-jobs -n -f inactive -o '{id}' | xargs"
  check 0 "purged 2 jobs, 0 inactive left" "" fq-job purge --num-limit=0 -f
  check 0 "$held" "" fq-jobs -a -n -o '{id}'
}

@test "--age-limit keeps those that ended later" {
  # An hour ago nothing had ended; now all has.
  local ids
  ids=($(end_jobs 2))
  check 0 "purged 0 jobs, 2 inactive left" "" fq-job purge --age-limit=1h -f
  check 0 "purged 0 jobs, 2 inactive left" "" fq-job purge --age-limit=inf -f
  check 0 "purged 2 jobs, 0 inactive left" "" fq-job purge --age-limit=0 -f
  check 0 "purged 0 jobs, 0 inactive left" "" fq-job purge --age-limit=0 -f
}

@test "a large output goes with its job" {
  # The file beside the database, too.
  local id
  id=$(fq-submit sh -c 'head -c 400000 /dev/zero | tr "\0" y')
  ended "$id"
  [ -n "$(ls "$STORE/data")" ]
  check 0 "purged 1 job, 0 inactive left" "" fq-job purge -f "$id"
  expect "" "$(ls "$STORE/data")"
}

@test "a dependency on a purged job is settled by how it ended" {
  # With success it is satisfied, without it never will be.
  local good bad
  good=$(fq-submit true)
  bad=$(fq-submit false)
  ended "$good" "$bad" || true
  fq-job purge -f "$good" "$bad" >purged
  check 0 "" "" fq-run --dependency=afterok:"$good" true
  refuses 1 "fq-submit: dependency 'afterok:$bad' can never be satisfied: job $bad ended as FAILED" \
    fq-submit --dependency=afterok:"$bad" true
}

@test "jobs that have not ended stay" {
  # Each refusal has a line; the others go.
  local held done
  held=$(fq-submit --urgency=hold true)
  done=$(end_jobs 1)
  check 1 "purged 1 job, 0 inactive left" "fq-job: job $held has not ended
fq-job: job 123 does not exist" fq-job purge -f "$held" "$done" 123
  check 0 "$held" "" fq-jobs -a -n -o '{id}'
}

@test "wrong limits" {
  # Ids or limits, not both and not none.
  refuses 2 "fq-job: which jobs? give their ids, --age-limit or --num-limit (the configuration has no limits)" fq-job purge
  refuses 2 "fq-job: which jobs? give their ids, --age-limit or --num-limit (the configuration has no limits)" fq-job purge --force
  refuses 2 "fq-job: give either job ids or limits, not both" fq-job purge --num-limit=3 1
  refuses 2 "fq-job: --num-limit: expected a number of jobs, got '-1'" fq-job purge --num-limit=-1
  refuses 2 "fq-job: --batch: expected 1 or more, got '0'" fq-job purge --batch=0 1
  refuses 2 "fq-job: --age-limit: invalid duration 'old': expected a number with one of the units ms, s, m, h or d, or inf" fq-job purge --age-limit=old
}

@test "R16.19 purged jobs are archived before" {
  # All of their documents, of files beside the database too; what is not UTF-8 as base64.
  local text bytes
  text=$(fq-submit sh -c 'yes "a line ƒ" | head -c 400000')
  bytes=$(fq-submit sh -c 'head -c 300000 /dev/zero | tr "\0" "\377"')
  ended "$text" "$bytes"
  fq-job info "$text" jobspec --original >jobspec
  fq-job eventlog --format=json "$text" >eventlog
  fq-job eventlog --format=json -p output "$text" >output
  check 0 "would purge 2 jobs, 0 inactive left (-f does)" "" fq-job purge --num-limit=0 --archive=old
  [ ! -e old ]
  check 0 "purged 2 jobs, 0 inactive left" "" fq-job purge --num-limit=0 -f --archive=old
  "$PYTHON" - "$(fq-job id --to=dec "$text")" "$(fq-job id --to=dec "$bytes")" <<'CHECK'
import json, sys
# In the order in which they ended, which is either.
jobs = [json.loads(line) for line in open("old", encoding="utf-8")]
text, data = map(int, sys.argv[1:])
assert sorted(job["id"] for job in jobs) == sorted([text, data]), jobs
documents = {job["id"]: job["documents"] for job in jobs}[text]
assert set(documents) == {"jobspec", "R", "eventlog", "guest.exec.eventlog", "guest.output", "data.fq.files"}, set(documents)
assert json.loads(documents["jobspec"]) == json.load(open("jobspec"))
assert documents["guest.output"].count("\n") > 1 and "ƒ" in documents["guest.output"]
assert [json.loads(l) for l in documents["eventlog"].splitlines()] == [json.loads(l) for l in open("eventlog")]
assert [json.loads(l) for l in documents["guest.output"].splitlines()] == [json.loads(l) for l in open("output")]
CHECK
}

@test "what cannot be archived is not purged" {
  # A file that is there is never overwritten; nor is a full device, or a damaged output, taken for success.
  local id file
  id=$(fq-submit sh -c 'head -c 400000 /dev/zero | tr "\0" y')
  ended "$id"
  echo mine >mine
  refuses 1 "fq-job: the file 'mine' exists (an archive is never overwritten: name a new one)" fq-job purge -f --archive=mine "$id"
  expect mine "$(cat mine)"
  refuses 1 "fq-job: cannot open 'no/such': No such file or directory" fq-job purge -f --archive=no/such "$id"
  file=$(find "$STORE/data" -name guest.output)
  truncate -s 5 "$file"
  MASK='s/not [0-9]+/not N/' refuses 1 "fq-job: job $id: the file of its guest.output has 5 bytes, not N (fq fsck --repair gives it up)" fq-job purge -f --archive=damaged "$id"
  [ ! -e damaged ]
  check 0 "$id" "" fq-jobs -a -n -o '{id}'
  rm "$file"
}
