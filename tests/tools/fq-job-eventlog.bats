#!/usr/bin/env bats
# fq-job eventlog: what happened to a job (RFC 18, RFC 21).

load helper

setup() { make_store 2:2; }

alloc() { echo 'T alloc annotations={"sched":{"resource_summary":"'"$1"'"}} boot_id="BOOT"'; }

@test "R16.5 R16.16 the life of a job that completed" {
  # Flux's events in Flux's order, with the annotations at the allocation.
  local id
  id=$(fq-submit -n2 -c2 true)
  ended "$id"
  MASK=$EVENT_MASK check 0 "T submit userid=$(id -u) urgency=16 flags=0 version=1
T validate
T depend
T priority priority=16
$(alloc 'rank[0-1]/core[0-1]')
T start
T finish status=0
T release ranks=\"all\" final=true
T free
T clean" "" fq-job eventlog "$id"
}

@test "R16.5 a log only grows" {
  # At every stage of a job its log begins with what it was before.
  local id before log=""
  id=$(fq-submit --dependency=begin-time:+1d true)
  for step in dependency cancel; do
    [ "$step" = dependency ] || fq-cancel "$id"
    before=$log
    log=$(fq-job eventlog -f json "$id")
    [ "${#log}" -gt "${#before}" ]
    expect "$before" "${log:0:${#before}}"
  done
  id=$(submit_held job)
  running job
  before=$(fq-job eventlog -f json "$id")
  release job
  ended "$id"
  log=$(fq-job eventlog -f json "$id")
  [ "${#log}" -gt "${#before}" ]
  expect "$before" "${log:0:${#before}}"
}

@test "the life of a job that failed" {
  # finish has the wait status: code 3 is 768.
  local id
  id=$(fq-submit sh -c 'exit 3')
  ended "$id"
  MASK=$EVENT_MASK check 0 "$(alloc rank0/core0)
T start
T finish status=768
T release ranks=\"all\" final=true
T free
T clean" "" sh -c "fq-job eventlog $id | tail -n 6"
}

@test "R27.46 the life of a job canceled while it ran" {
  # exception, finish by SIGTERM, release, free, clean.
  local id
  id=$(submit_held job)
  running job
  fq-cancel "$id"
  ended "$id"
  MASK=$EVENT_MASK check 0 "T start
T exception type=\"cancel\" severity=0 note=\"\" userid=$(id -u)
T finish status=36608
T release ranks=\"all\" final=true
T free
T clean" "" sh -c "fq-job eventlog $id | tail -n 6"
}

@test "the life of a job canceled while it waited" {
  # No alloc, so no free: exception and clean.
  local id
  id=$(fq-submit --urgency=0 true)
  fq-cancel -m "so be it" "$id"
  MASK=$EVENT_MASK check 0 "T submit userid=$(id -u) urgency=0 flags=0 version=1
T validate
T depend
T priority priority=0
T exception type=\"cancel\" severity=0 note=\"so be it\" userid=$(id -u)
T clean" "" fq-job eventlog "$id"
}

@test "the life of a job whose dependency cannot be satisfied" {
  # dependency-add, then an exception of type dependency, as in Flux.
  local first id
  first=$(submit_held first)
  id=$(fq-submit --dependency=afterok:"$first" true)
  running first
  release first 1
  ended "$id"
  MASK=$EVENT_MASK check 0 "T submit userid=$(id -u) urgency=16 flags=0 version=1
T dependency-add description=\"after-success=$first\"
T validate
T exception type=\"dependency\" severity=0 note=\"dependency after-success=$first can never be satisfied\"
T clean" "" fq-job eventlog "$id"
}

@test "the life of a job whose dependency is satisfied" {
  # dependency-remove, then depend.
  local first id
  first=$(submit_held first)
  id=$(fq-submit --dependency=afterany:"$first" true)
  running first
  release first 1
  ended "$id"
  MASK=$EVENT_MASK check 0 "T submit userid=$(id -u) urgency=16 flags=0 version=1
T dependency-add description=\"after-finish=$first\"
T validate
T dependency-remove description=\"after-finish=$first\"
T depend
T priority priority=16" "" sh -c "fq-job eventlog $id | head -n 6"
}

@test "times never go backwards" {
  # In the main log and in the guest's.
  local id path
  id=$(fq-submit -n2 sh -c 'echo a; echo b >&2')
  ended "$id"
  for path in eventlog guest.exec.eventlog guest.output; do
    fq-job eventlog -p "$path" "$id" | cut -d' ' -f1 >times
    expect "$path $(sort -n times | xargs)" "$path $(xargs <times)"
  done
}

@test "formats of time" {
  # raw, offset, iso and human, each in its form.
  local id
  id=$(fq-submit --urgency=hold true)
  forms() { fq-job eventlog "$@" "$id" | head -n 2 | sed -E 's/ (submit|validate).*//; s/[0-9]/9/g' | xargs; }
  expect "9999999999.999999 9999999999.999999" "$(forms)"
  expect "9999999999.999999 9999999999.999999" "$(forms -T raw)"
  expect "9.999999 9.999999" "$(forms -T offset)"
  expect "9999-99-99T99:99:99.999999Z 9999-99-99T99:99:99.999999Z" "$(forms --time-format=iso)"
  TZ=Europe/Berlin expect "9999-99-99T99:99:99.999999+99:99" "$(TZ=Europe/Berlin forms -T iso | cut -d' ' -f1)"
  local human='^\[[A-Z][a-z]{2}[0-9]{2} [0-9]{2}:[0-9]{2}\] submit .*
\[ +\+0\.[0-9]{6}\] validate$'
  [[ $(fq-job eventlog -H "$id" | head -n 2) =~ $human ]]
  [[ $(fq-job eventlog -T human "$id" | head -n 2) =~ $human ]]
}

@test "R16.5 -f json gives the stored lines" {
  # One JSON object a line with timestamp, name and context, as RFC 18 has it; the same as info eventlog.
  local id
  id=$(fq-submit true)
  ended "$id"
  check 0 "$(fq-job info "$id" eventlog)" "" fq-job eventlog -f json "$id"
  expect "submit validate depend priority alloc start finish release free clean" \
    "$(fq-job eventlog -f json "$id" | "$PYTHON" -c 'import json,sys; print(*[json.loads(l)["name"] for l in sys.stdin])')"
}

@test "R16.10 the guest's log of execution" {
  # Flux's events in its order; pid masked.
  local id
  id=$(fq-submit -n1 sh -c 'exit 5')
  ended "$id"
  MASK=$EVENT_MASK check 0 'T init
T starting attempt=1
T shell.init leader-rank=0 size=1
T shell.start taskmap={"map":[[0,1,1,1]],"version":1}
T shell.task-exit localid=0 rank=0 state="Exited" pid=PID wait_status=1280 signaled=0 exitcode=5
T shell-exit rank=0 wait_status=1280
T complete attempt=1 status=1280
T done' "" fq-job eventlog -p guest.exec.eventlog "$id"
}

@test "the guest's output log" {
  # RFC 24: header, data and eof for each stream.
  local id
  id=$(fq-submit sh -c 'echo out; echo err >&2')
  ended "$id"
  MASK=$EVENT_MASK check 0 'T data stream="stderr" rank="0" data="err\n"
T data stream="stderr" rank="0" eof=true
T data stream="stdout" rank="0" data="out\n"
T data stream="stdout" rank="0" eof=true
T header version=1 encoding={"stderr":"UTF-8","stdout":"UTF-8"} count={"stderr":1,"stdout":1} options={}' "" \
    sh -c "fq-job eventlog -p guest.output $id | sed -E 's/^[0-9.]+ /T /' | sort"
}

@test "output that is not UTF-8 is stored in base64" {
  # And comes back as it was.
  local id
  id=$(fq-submit printf '\377\376')
  ended "$id"
  check 0 'data stream="stdout" rank="0" encoding="base64" data="//4="' "" \
    sh -c "fq-job eventlog -p guest.output $id | sed -n 's/^[0-9.]* //; /data=/p'"
}

@test "what cannot be shown" {
  # Unknown formats are usage errors; a log that the job does not have is told.
  local id
  id=$(fq-submit --urgency=hold true)
  refuses 2 "fq-job: --format: expected text or json, got 'xml'" fq-job eventlog -f xml "$id"
  refuses 2 "fq-job: --time-format: expected raw, iso, offset or human, got 'local'" fq-job eventlog -T local "$id"
  refuses 1 "fq-job: job $id has no guest.exec.eventlog" fq-job eventlog -p guest.exec.eventlog "$id"
  refuses 1 "fq-job: job 123 does not exist" fq-job eventlog 123
  refuses 2 "fq-job: ID is missing (usage: fq-job eventlog [OPTION...] ID)" fq-job eventlog
  refuses 2 "fq-job: unexpected operand '2'" fq-job eventlog 1 2
}

@test "a document that is no event log is refused" {
  # jobspec is JSON but no log: one clear line, no crash.
  local id
  id=$(fq-submit --urgency=hold true)
  run --separate-stderr fq-job eventlog -p jobspec "$id"
  expect 1 "$status"
  expect 1 "$(wc -l <<<"$stderr")"
  [[ $stderr == "fq-job: "* && $stderr != *internal* ]]
}

@test "--color and -L take no id for a word" {
  # Alone they mean always; a word may follow them.
  local id esc=$'\e'
  id=$(fq-submit --urgency=hold true)
  for words in "--color" "-L" "-Lalways" "-L always" "--color always" "--color=always"; do
    # shellcheck disable=SC2086
    run fq-job eventlog $words "$id"
    [[ $output == *"${esc}["* ]]
  done
  for words in "--color=never" "-L never" "-Lauto" "--color auto"; do
    # shellcheck disable=SC2086
    run fq-job eventlog $words "$id"
    [[ $output != *"${esc}["* && $output == *submit* ]]
  done
  run fq-job wait-event -L "$id" submit
  [[ $output == *"${esc}["* ]]
  refuses 2 "fq-job: --color: expected auto, always or never, got 'sometimes'" fq-job eventlog --color=sometimes "$id"
  run fq-jobs --color "$id"
  expect 0 "$status"
}
