#!/usr/bin/env bats
# fq-job submit: jobspecs that are there already (RFC 14, 25), in JSON and YAML.

load helper

setup() { make_store 2:4:1; }

yaml() {
  cat <<'END'
# A comment, as YAML has them.
version: 1
resources:
  - type: slot
    label: task
    count: 2
    with: [{type: core, count: 1}]
tasks:
  - command: [sh, -c, 'echo "$GREETING from $FLUX_TASK_RANK"']
    slot: task
    count: {per_slot: 1}
attributes:
  system:
    duration: 60
    environment: {GREETING: hello, PATH: /usr/bin:/bin}
    mine: {list: [1, 2.5, null, yes, 0x10], text: "1"}
END
}

@test "a jobspec in YAML runs" {
  # What it says is done; the exit code is the job's.
  yaml >job.yaml
  local id
  id=$(fq-job submit job.yaml)
  ended "$id"
  expect "0: hello from 0
1: hello from 1" "$(fq-job attach -l "$id" | sort)"
}

@test "--dry-run refuses what submission does" {
  # Constraints, dependencies and shell options that no store would take, in the same words.
  local attribute message
  fq-submit --dry-run true >job.json
  bad() { # ATTRIBUTE MESSAGE
    sed "s|\"duration\":0.0|\"duration\":0.0,$1|" job.json >bad.json
    refuses 1 "fq-job: $2" fq-job submit --dry-run bad.json
    refuses 1 "fq-job: $2" fq-job submit bad.json
  }
  bad '"constraints":{"propertys":["a"]}' "attributes.system.constraints: unknown operator 'propertys' (did you mean 'properties'?)"
  bad '"constraints":{"and":[{"frobnicate":[]}]}' "attributes.system.constraints.and[0]: unknown operator 'frobnicate'"
  bad '"dependencies":[{"scheme":"afterwards","value":"1"}]' \
    "attributes.system.dependencies[0].scheme: unknown scheme 'afterwards', expected one of after, afterany, afterok, afternotok, afterexcept, begin-time, singleton"
  refuses 1 "fq-submit: attributes.system.constraints: unknown operator 'propertys' (did you mean 'properties'?)" \
    fq-submit --dry-run -S 'constraints={"propertys":["a"]}' true
}

@test "what --dry-run of submit prints is submitted as it is" {
  # JSON from a file, from - and from standard input.
  fq-submit --dry-run --job-name=dry sh -c 'exit 3' >job.json
  local id
  for id in "$(fq-job submit job.json)" "$(fq-job submit - <job.json)" "$(fq-job submit <job.json)"; do
    expect 3 "$(fq-job status "$id" || echo $?)"
    expect "$(cat job.json)" "$(fq-job info -o "$id" jobspec)"
  done
}

@test "--dry-run prints the canonical jobspec" {
  # Compact JSON with keys in order, the same for YAML and JSON; attributes are kept as given; no store is needed.
  yaml >job.yaml
  local wanted='{"attributes":{"system":{"duration":60,"environment":{"GREETING":"hello","PATH":"/usr/bin:/bin"},"mine":{"list":[1,2.5,null,"yes",16],"text":"1"}}},"resources":[{"count":2,"label":"task","type":"slot","with":[{"count":1,"type":"core"}]}],"tasks":[{"command":["sh","-c","echo \"$GREETING from $FLUX_TASK_RANK\""],"count":{"per_slot":1},"slot":"task"}],"version":1}'
  FQ_STORE=/nonexistent check 0 "$wanted" "" fq-job submit --dry-run job.yaml
  "$PYTHON" -c 'import json,sys; json.dump(json.loads(sys.argv[1]), open("job.json", "w"), indent=3)' "$wanted"
  check 0 "$wanted" "" fq-job submit --dry-run job.json
  check 0 "" "" fq-jobs -a -n
}

@test "every use case of RFC 25 is accepted" {
  # As JSON and as YAML they are the same jobspec.
  local file
  for file in "$TESTS_DIR"/../data/rfc25/*.yaml; do
    fq-job submit --dry-run "$file" >as-json
    check 0 "$(cat as-json)" "" fq-job submit --dry-run as-json
  done
}

@test "what only RFC 14 can express is refused by its version, and as version 1 with its place" {
  # One line each; one of the use cases needs no more than version 1.
  local file refused=0
  for file in "$TESTS_DIR"/../data/rfc14/use_case_*.yaml; do
    refuses 1 "fq-job: jobspec: version: expected 1, got 999" fq-job submit --dry-run "$file"
    run --separate-stderr sh -c 'sed "s/^version: 999/version: 1/" "$0" | fq-job submit --dry-run' "$file"
    [ "$status" != 0 ] || continue
    expect 1 "$status"
    [[ $stderr == "fq-job: jobspec: resources"* ]]
    expect 1 "$(wc -l <<<"$stderr")"
    refused=$((refused + 1))
  done
  expect 16 "$refused"
}

# bats test_tags=own-store
@test "-u and -f" {
  # Urgency and flags of the submit event.
  fq-submit --dry-run true >job.json
  local id
  id=$(fq-job submit --urgency=hold -f debug job.json)
  expect "urgency=0 flags=1" "$(fq-job eventlog "$id" | sed -n 's/.* submit .*\(urgency=[0-9]* flags=[0-9]*\).*/\1/p')"
  fq-cancel "$id"
  id=$(fq-job submit -u 20 job.json)
  expect "urgency=20 flags=0" "$(fq-job eventlog "$id" | sed -n 's/.* submit .*\(urgency=[0-9]* flags=[0-9]*\).*/\1/p')"
  refuses 2 "fq-job: --urgency: expected 0 to 31, hold, default or expedite, got '32'" fq-job submit -u 32 job.json
  refuses 2 "fq-job: --flags: unknown flag 'debgg' (did you mean 'debug'?)" fq-job submit -f debgg job.json
}

@test "what is no jobspec is refused with its place" {
  # JSON, YAML, form, use of resources; nothing is stored.
  bad() {
    printf '%s' "$2" >bad
    refuses 1 "fq-job: $1" fq-job submit bad
  }
  bad "jobspec: line 1, column 12: not valid JSON" '{"version":'
  bad "jobspec: expected an object, got null" ''
  bad "jobspec: expected an object, got a string" 'nothing'
  bad "jobspec: missing key 'version'" '{}'
  yaml | sed 's/count: 2/count: 0/' >bad.yaml
  refuses 1 "fq-job: jobspec: resources[0].count: expected an integer from 1 to 4294967295, got 0" fq-job submit bad.yaml
  yaml | sed 's/type: core, count: 1/type: cpu, count: 1/' >bad.yaml
  run --separate-stderr fq-job submit bad.yaml
  [[ $stderr == "fq-job: jobspec: resources[0].with[0].type: "* ]]
  yaml | sed 's/duration: 60/duration: 60\n    duration: 61/' >bad.yaml
  refuses 1 "fq-job: jobspec: line 15, column 5: the key 'duration' is there twice" fq-job submit bad.yaml
  refuses 1 "fq-job: cannot open 'missing.json': No such file or directory" fq-job submit missing.json
  refuses 1 "fq-job: '/dev/zero' has more than 4194304 bytes" fq-job submit /dev/zero
  refuses 2 "fq-job: unexpected operand 'two'" fq-job submit one two
  check 0 "" "" fq-jobs -a -n
}

@test "a jobspec that can never run is refused" {
  # As from fq-submit.
  fq-submit --dry-run -n9 true >job.json
  refuses 1 "fq-job: unsatisfiable request: 9 cores requested, the inventory has 8" fq-job submit job.json
}

# bats test_tags=own-store
@test "the default store is made when there is none" {
  # As fq-submit makes it, and says so; a store that was named must be there.
  unset FQ_STORE
  export XDG_STATE_HOME=$WORK/state
  fq-submit --dry-run true >job.json
  run --separate-stderr fq-job submit job.json
  expect 0 "$status"
  [[ $stderr == *"$WORK/state/fq/"* ]]
  timeout "$LIMIT" fq-job status "$output"
  refuses 1 "fq-job: there is no store in '/nonexistent' (fq init makes one, and fq submit does where none is named)" fq-job submit --store /nonexistent job.json
}
