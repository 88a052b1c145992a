#!/usr/bin/env bats
# fq-update: changing what jobs ask for.

load helper

setup() { make_store 2:2; }

# json EXPRESSION: evaluates it with `d`, the JSON on stdin.
json() { "$PYTHON" -c "import json,sys; d=json.load(sys.stdin); print($1)"; }

@test "a key that is none is refused" {
  # What has no path must be one of those that mean something; a path is the user's own affair.
  local id
  id=$(fq-submit --urgency=hold true)
  refuses 2 "fq-update: unknown key 'duratoin' (did you mean 'duration'?)" fq-update "$id" duratoin=5m
  refuses 1 "fq-update: QoS 'x' does not exist (one of expedite, normal, standby)" fq-update "$id" qos=x
  refuses 2 "fq-update: unknown key 'ntasks' (bank, constraints, cwd, duration, name, project, qos, queue, urgency, or a path: attributes.system.KEY)" \
    fq-update "$id" ntasks=2
  refuses 2 "fq-update: unknown key 'time-limit' (did you mean 'duration'?)" fq-update "$id" time-limit=5m
  refuses 2 "fq-update: dependencies cannot be changed (cancel the job, and submit it anew)" fq-update "$id" dependency=singleton
  check 0 "" "" fq-update "$id" attributes.user.note=5
}

@test "R33.11 a pending job's duration, name and attributes" {
  # The listing and the jobspec show them; the submitted jobspec and J do not change.
  local id original
  id=$(fq-submit --urgency=hold -t 10m --job-name=one true)
  original=$(fq-job info -o "$id" jobspec)
  check 0 "" "" fq-update "$id" duration=1h name=two bank=physics attributes.user.note='{"a":1}'
  check 0 "3600.0 two physics" "" fq-jobs -n -o '{duration} {name} {bank}' "$id"
  expect "3600.0 {'a': 1}" "$(fq-job info "$id" jobspec | json '"%s %s" % (d["attributes"]["system"]["duration"], d["attributes"]["user"]["note"])')"
  expect "$original" "$(fq-job info -o "$id" jobspec)"
  expect "$original" "$(fq-job info "$id" J | cut -d. -f2 | base64 -d 2>/dev/null)"
}

@test "the events are Flux's" {
  # jobspec-update with the paths, then a priority, for the job is placed anew.
  local id
  id=$(fq-submit --urgency=hold true)
  fq-update "$id" duration=90 name=night
  MASK=$EVENT_MASK check 0 'T jobspec-update attributes.system.duration=90.0 attributes.system.job.name="night"
T priority priority=0' "" sh -c "fq-job eventlog $id | tail -n 2"
}

@test "a duration with a sign is a change" {
  # Added or taken off; not where there is none, not below nothing.
  local id free
  id=$(fq-submit --urgency=hold -t 10m true)
  free=$(fq-submit --urgency=hold true)
  fq-update "$id" duration=+30m
  fq-update "$id" duration=-1m
  check 0 "2340.0" "" fq-jobs -n -o '{duration}' "$id"
  refuses 1 "fq-update: the time limit of job $id is 39m: it cannot be reduced by 39m" fq-update "$id" duration=-39m
  refuses 1 "fq-update: job $free has no time limit that could be changed by so much" fq-update "$free" duration=+1m
  check 0 "" "" fq-update "$id" duration=inf
  check 0 "0.0" "" fq-jobs -n -o '{duration}' "$id"
}

# bats test_tags=own-store
@test "R20.24 a running job obeys its new time limit at once" {
  # It expires by the new limit; R and the listing tell it, R as it was given does not.
  local id given
  id=$(submit_held job -t 1h)
  running job
  given=$(fq-job info -o "$id" R)
  fq-update "$id" duration=+1h
  expect "7200" "$(fq-job info "$id" R | json 'round(d["execution"]["expiration"] - d["execution"]["starttime"])')"
  expect "$given" "$(fq-job info -o "$id" R)"
  check 0 "7200.0" "" fq-jobs -n -o '{duration}' "$id"
  expect "$(fq-job info "$id" R | json 'd["execution"]["expiration"]')" "$(fq-jobs -n -o '{expiration}' "$id")"
  # On a busy machine it has run for longer already.
  local seconds=2
  until fq-update "$id" duration=${seconds}s 2>refused; do
    grep -q "has run for" refused
    seconds=$((seconds * 2))
  done
  check 142 "" "fq-job: $id: timelimit: resource allocation expired" fq-job wait "$id"
}

# bats test_tags=own-store
@test "a running job without a limit gets one, and loses it" {
  # The events are jobspec-update and resource-update, with the time of expiration.
  local id
  id=$(submit_held job)
  running job
  fq-update "$id" duration=1h
  fq-update "$id" duration=0
  MASK="$EVENT_MASK; s/expiration=[1-9][0-9.]+/expiration=T/" check 0 'T jobspec-update attributes.system.duration=3600.0
T resource-update expiration=T
T jobspec-update attributes.system.duration=0.0
T resource-update expiration=0.0' "" sh -c "fq-job eventlog $id | tail -n 4"
  check 0 "0.0" "" fq-jobs -n -o '{expiration}' "$id"
  release job
  ended "$id"
}

# bats test_tags=own-store
@test "a limit that has passed is refused" {
  # The job goes on as before.
  local id
  id=$(submit_held job -t 1h)
  running job
  MASK='s/run for [0-9.]+m?s/run for T/' check 1 "" "fq-update: job $id has run for T: a time limit of 0.001s has passed" \
    fq-update "$id" duration=1ms
  check 0 "3600.0" "" fq-jobs -n -o '{duration}' "$id"
  release job
}

@test "what a running job keeps" {
  # Its name may change, its attributes may not.
  local id
  id=$(submit_held job)
  running job
  check 0 "" "" fq-update "$id" name=other attributes.user.x=1
  refuses 1 "fq-update: job $id has its resources: only its duration, its name and attributes.user can be changed" fq-update "$id" bank=b
  refuses 1 "fq-update: job $id has its resources: its urgency can no longer be changed" fq-update "$id" name=third urgency=3
  check 0 "other" "" fq-jobs -n -o '{name}' "$id"
  release job
}

# bats test_tags=own-store
@test "the changed jobspec is what runs" {
  # The environment, the directory and the shell's options are the new ones.
  local id
  mkdir there
  id=$(fq-submit --urgency=hold sh -c 'echo "$A_WORD in $PWD"')
  fq-update "$id" attributes.system.environment.A_WORD=hello cwd="$WORK/there" shell.options.output.stdout.type=file shell.options.output.stdout.path=out
  fq-job urgency "$id" default
  ended "$id"
  expect "hello in $WORK/there" "$(cat there/out)"
}

@test "a change with which the job could never run is refused" {
  # As at its submission, and all of the update with it.
  local id
  id=$(fq-submit --urgency=hold true)
  refuses 1 "fq-update: unsatisfiable request: no node matches the constraint 'host:node7'" \
    fq-update "$id" name=new 'constraints={"hostlist":["node7"]}'
  check 0 "true" "" fq-jobs -n -o '{name}' "$id"
  check 0 "" "" fq-update "$id" 'constraints={"hostlist":["node1"]}'
  fq-job urgency "$id" default
  ended "$id"
  check 0 "node1" "" fq-jobs -n -o '{nodelist}' "$id"
}

@test "urgency goes with the others" {
  # All or nothing, with the same words as fq-job urgency.
  local id
  id=$(fq-submit --urgency=hold true)
  check 0 "" "" fq-update "$id" name=new urgency=7
  ended "$id"
  check 0 "" "" fq-update "$(fq-submit --urgency=hold true)" urgency=default
  check 0 "new 7 CD" "" fq-jobs -n -o '{name} {urgency} {status_abbrev}' "$id"
  refuses 2 "fq-update: urgency: expected 0 to 31, hold, default or expedite, got 'high'" fq-update "$id" urgency=high
}

@test "-n checks and changes nothing, -v says what was changed" {
  # JSON, a line for each job, with the durations that come of it.
  local a b log
  a=$(fq-submit --urgency=hold -t 1m true)
  b=$(fq-submit --urgency=hold -t 2m true)
  log=$(fq-job eventlog "$a")
  check 0 '{"attributes.system.duration":120.0,"attributes.system.job.name":"x"}
{"attributes.system.duration":180.0,"attributes.system.job.name":"x"}' "" fq-update -n "$a" "$b" duration=+1m name=x
  expect "$log" "$(fq-job eventlog "$a")"
  check 0 "" "fq-update: $a: updated attributes.system.duration to 120.0
fq-update: $a: updated attributes.system.job.name to \"x\"" fq-update -v "$a" duration=+1m name=x
  refuses 1 "fq-update: the time limit of job $b is 2m: it cannot be reduced by 1h" fq-update -n "$b" duration=-1h
}

@test "several jobs, some of them not to be changed" {
  # Each refusal has a line; the others are changed.
  local a done
  a=$(fq-submit --urgency=hold true)
  done=$(fq-submit true)
  ended "$done"
  check 1 "" "fq-update: job $done is inactive
fq-update: job 123 does not exist" fq-update "$done" 123 "$a" name=new
  check 0 "new" "" fq-jobs -n -o '{name}' "$a"
}

# bats test_tags=own-store
@test "constraints are written as for --requires, variables as text" {
  # An RFC 31 object is taken too; a number is the text of one, null unsets.
  local id
  id=$(fq-submit --urgency=hold --env='-*' --env=GONE=1 true)
  fq-update "$id" constraints='host:node1 and not host:node0' environment.OMP_NUM_THREADS=4 environment.A='"b"' environment.GONE=null
  check 0 "node1 {'A': 'b', 'OMP_NUM_THREADS': '4'}" "" sh -c "fq-job eventlog -f json $id | '$PYTHON' -c '
import json, sys
c = [e for e in map(json.loads, sys.stdin) if e[\"name\"] == \"jobspec-update\"][0][\"context\"]
print(c[\"attributes.system.constraints\"][\"and\"][0][\"hostlist\"][0],
      {k[30:]: v for k, v in sorted(c.items()) if \"environment\" in k and v is not None})'"
  fq-update "$id" 'constraints={"hostlist":["node0"]}'
  refuses 2 "fq-update: constraint 'host:': column 1: 'host:' needs a value" fq-update "$id" constraints=host:
}

# bats test_tags=own-store
@test "an attribute that nothing reads is told of on a terminal" {
  # Where it is near one that is read; it may be somebody's own.
  local id
  id=$(fq-submit --urgency=hold true)
  expect "fq-update: nothing reads the attribute 'attributes.system.duratin' (did you mean 'duration'?)
exit 0" "$("$PYTHON" "$TESTS_DIR/terminal.py" 120 fq-update "$id" attributes.system.duratin=5)"
  expect "exit 0" "$("$PYTHON" "$TESTS_DIR/terminal.py" 120 fq-update "$id" attributes.system.colour=5)"
}

@test "a job cannot be moved to the queue that it is in" {
  # Nothing is changed then, not what else is asked for either; in another queue it can come back.
  local id
  printf 'policy.jobspec.defaults.system.queue = "q"\n[queues.q]\n[queues.r]\n' >two.toml
  fq-config load two.toml
  id=$(fq-submit --urgency=hold true)
  refuses 1 "fq-update: job $id is in queue 'q' already" fq-update "$id" queue=q
  refuses 1 "fq-update: job $id is in queue 'q' already" fq-update "$id" queue=q name=other
  check 0 "true" "" fq-jobs -n -o '{name}' "$id"
  check 0 "" "" fq-update "$id" queue=r
  check 0 "" "" fq-update "$id" queue=q
  refuses 1 "fq-update: job $id is in queue 'q' already" fq-update -n "$id" queue=q
}

@test "R33.26 each of several jobs is checked by its own queue" {
  # A refusal names its job, which keeps all that it was; the others are changed.
  local a b c
  printf 'policy.jobspec.defaults.system.queue = "q"\n[queues.q]\npolicy.limits.duration = "1h"\n[queues.r]\n' >two.toml
  fq-config load two.toml
  a=$(fq-submit --urgency=hold -t 10m true)
  b=$(fq-submit --urgency=hold -t 50m true)
  c=$(fq-submit --urgency=hold -t 50m -q r true)
  refuses 1 "fq-update: $b: queue 'q': duration 1.33333h requested, at most 1h allowed" fq-update "$a" "$b" "$c" duration=+30m name=n bank=b
  check 0 "q n 2400.0 b
q true 3000.0 
r n 4800.0 b" "" fq-jobs -q all -n --sort=id -o '{queue} {name} {duration} {bank}' "$a" "$b" "$c"
  refuses 1 "fq-update: job $a is in queue 'q' already
fq-update: $c: queue 'q': duration 1.33333h requested, at most 1h allowed" fq-update "$a" "$c" queue=q
}

@test "what cannot be changed" {
  # Resources, tasks, dependencies, queues that do not exist; values of a wrong type.
  local id
  id=$(fq-submit --urgency=hold true)
  refuses 1 "fq-update: 'resources' cannot be changed: only attributes can" fq-update "$id" resources=[]
  refuses 1 "fq-update: 'tasks' cannot be changed: only attributes can" fq-update "$id" tasks=[]
  refuses 1 "fq-update: 'attributes.system.dependencies' cannot be changed" \
    fq-update "$id" 'attributes.system.dependencies=[{"scheme":"afterany","value":"ƒ38"}]'
  refuses 1 "fq-update: queue 'debug' does not exist: no queues are configured" fq-update "$id" queue=debug
  refuses 1 "fq-update: jobspec-update: attributes.system.job: expected an object, got an integer" \
    fq-update "$id" attributes.system.job=5
  check 0 "1" "" sh -c "fq-job eventlog $id | grep -c priority"
}

@test "a job that waits for its time keeps waiting for it" {
  # No priority is due; its new limit counts when it starts.
  local id
  id=$(fq-submit --begin-time=+1h true)
  fq-update "$id" duration=30m
  check 0 "D 1800.0" "" fq-jobs -n -o '{status_abbrev} {duration}' "$id"
  MASK=$EVENT_MASK check 0 "T jobspec-update attributes.system.duration=1800.0" "" sh -c "fq-job eventlog $id | tail -n 1"
}

@test "wrong operands" {
  # Ids, then changes.
  local form="expected a number with one of the units ms, s, m, h or d, or inf"
  refuses 2 "fq-update: which jobs? give their ids before the changes" fq-update name=x
  refuses 2 "fq-update: which change? give KEY=VALUE after the ids (duration=+30m, name=NAME, queue=NAME)" fq-update 1
  refuses 2 "fq-update: expected KEY=VALUE, got 'x'" fq-update 1 name=y x
  refuses 2 "fq-update: duration: invalid duration 'soon': $form" fq-update 1 duration=soon
  refuses 2 "fq-update: duration: '+inf' is no change of a duration" fq-update 1 duration=+inf
  refuses 2 "fq-update: invalid job id 'xyz': expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, emoji or a decimal number" fq-update xyz name=y
  refuses 2 "fq-update: ID... is missing (usage: fq-update [OPTION...] ID... KEY=VALUE...)" fq-update
}

@test "a duration without a unit is seconds, which a terminal is told" {
  # -t takes minutes there.
  local id
  id=$(fq-submit --urgency=hold -t 5 true)
  expect "fq-update: duration=5 is 5 seconds (5m: minutes, as with -t)
exit 0" "$("$PYTHON" "$TESTS_DIR/terminal.py" 120 fq-update "$id" duration=5)"
  expect "fq-update: duration=+90 is 90 seconds (+90m: minutes, as with -t)
exit 0" "$("$PYTHON" "$TESTS_DIR/terminal.py" 120 fq-update "$id" duration=+90)"
  expect "exit 0" "$("$PYTHON" "$TESTS_DIR/terminal.py" 120 fq-update "$id" duration=90s)"
  expect "exit 0" "$("$PYTHON" "$TESTS_DIR/terminal.py" 120 fq-update "$id" duration=0)"
}

@test "--wait returns with the event in the log" {
  # As without it.
  local id
  id=$(fq-submit --urgency=hold true)
  check 0 "" "" fq-update --wait "$id" name=night
  check 0 "jobspec-update" "" sh -c "fq-job eventlog $id | awk '{print \$2}' | grep update"
}
