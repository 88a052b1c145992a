#!/usr/bin/env bats
# fq-job info: a job's documents (RFC 16).

load helper

setup() { make_store 2:2:1; }

# json EXPRESSION: evaluates it with `d`, the JSON on stdin.
json() { "$PYTHON" -c "import json,sys; d=json.load(sys.stdin); print($1)"; }

@test "jobspec, J, R and eventlog are kept" {
  # All of them after the end too; R stays in place (R16.8).
  local id key
  id=$(fq-submit -t 10m true)
  ended "$id"
  for key in J jobspec R eventlog; do
    run fq-job info "$id" "$key"
    expect "0 $key" "$status $key"
  done
}

@test "jobspec as it is, as it was submitted, and without the environment" {
  # By default without the environment, --original with it, --base without.
  local id
  id=$(A_VARIABLE=here fq-submit --urgency=hold -n2 -c2 --job-name=named sleep 0)
  check 0 "False" "" sh -c "fq-job info $id jobspec | grep -q A_VARIABLE && echo True || echo False"
  expect "here" "$(fq-job info --original "$id" jobspec | json 'd["attributes"]["system"]["environment"]["A_VARIABLE"]')"
  expect "False" "$(fq-job info --base "$id" jobspec | json '"environment" in d["attributes"]["system"]')"
  expect "named ['sleep', '0'] 2 $WORK" "$(fq-job info "$id" jobspec | json 'd["attributes"]["system"]["job"]["name"], d["tasks"][0]["command"], d["resources"][0]["count"], d["attributes"]["system"]["cwd"]' | tr -d '()' | sed "s/^'named', \(\[.*\]\), 2, '\(.*\)'$/named \1 2 \2/")"
}

@test "R20.1-16 R of a job" {
  # Version, R_lite with cores and GPUs, nodelist, nslots, start and expiration; the whole as Flux writes it.
  local id
  id=$(fq-submit -t 10m -N1 -n2 -g0 --requires=host:node1 true)
  ended "$id"
  MASK='s/"(starttime|expiration)":[0-9.]+/"\1":T/g' check 0 \
    '{"version":1,"execution":{"R_lite":[{"rank":"1","children":{"core":"0-1"}}],"starttime":T,"expiration":T,"nslots":2,"nodelist":["node1"]}}' "" \
    fq-job info "$id" R
  id=$(fq-submit -N2 -n2 -g1 true)
  ended "$id"
  MASK='s/"starttime":[0-9.]+/"starttime":T/g' check 0 \
    '{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0","gpu":"0"}}],"starttime":T,"expiration":0.0,"nslots":2,"nodelist":["node[0-1]"]}}' "" \
    fq-job info "$id" R
}

@test "R16.8 R20.23 which jobs ran on a node, and when" {
  # R stays when its resources are free again: the hosts and times of jobs that have ended answer the question.
  local first second both time
  first=$(fq-submit --requires=host:node0 --job-name=first true)
  second=$(fq-submit --requires=host:node1 --job-name=second true)
  both=$(fq-submit -N2 --job-name=both true)
  ended "$first" "$second" "$both"
  on() { # HOST TIME: the names of the jobs that were on HOST then
    local name hosts from to
    fq-jobs -a -n -o '{name} {nodelist} {t_run} {t_cleanup}' | while read -r name hosts from to; do
      fq-hostlist -qi "$1" "$hosts" || continue
      [ "$2" = ever ] || awk "BEGIN { exit !($from <= $2 && $2 < $to) }" || continue
      echo "$name"
    done | sort | xargs
  }
  expect "both first" "$(on node0 ever)"
  expect "both second" "$(on node1 ever)"
  time=$(fq-jobs -a -n -o '{t_run}' "$both")
  expect "both" "$(on node1 "$time")"
  expect "" "$(on node0 1)"
  expect "rank0/core0 rank[0-1]/core[0-1],gpu0 allocated 0" "$(fq-job info "$first" R | fq-R decode -s) $(fq-job info "$both" R | fq-R decode -s) $(fq-resource list -n -o '{state} {ncores}' | grep ^alloc)"
}

@test "R16.10 the guest's documents" {
  # While it runs and after its end the same keys work.
  local id
  id=$(submit_held job)
  running job
  expect "init" "$(fq-job info "$id" guest.exec.eventlog | head -n 1 | json 'd["name"]')"
  release job
  ended "$id"
  expect "done" "$(fq-job info "$id" guest.exec.eventlog | tail -n 1 | json 'd["name"]')"
  expect "header" "$(fq-job info "$id" guest.output | head -n 1 | json 'd["name"]')"
}

# bats test_tags=own-store
@test "J is the unsigned request of RFC 15" {
  # header.payload.none, the payload is the jobspec as submitted.
  local id
  id=$(fq-submit --urgency=hold true)
  expect "$(fq-job info -o "$id" jobspec)" "$(fq-job info "$id" J | cut -d. -f2 | base64 -d 2>/dev/null)"
  expect none "$(fq-job info "$id" J | cut -d. -f3)"
}

@test "what a job does not have" {
  # A pending job has no R and no guest files; other keys never are there; each with a clear line.
  local id
  id=$(fq-submit --urgency=hold true)
  refuses 1 "fq-job: job $id has no R" fq-job info "$id" R
  refuses 1 "fq-job: job $id has no guest.output" fq-job info "$id" guest.output
  refuses 1 "fq-job: job $id has no guest." fq-job info "$id" guest.
  refuses 1 "fq-job: job $id has no nosuch (J, jobspec, R, eventlog, guest.NAME, data.SERVICE)" fq-job info "$id" nosuch
  refuses 1 "fq-job: job 123 does not exist" fq-job info 123 jobspec
}

@test "guest names reach no file outside the job" {
  # Slashes and dots lead nowhere.
  local id
  id=$(submit_held job)
  running job
  refuses 1 "fq-job: job $id has no guest.../../lock" fq-job info "$id" guest.../../lock
  refuses 1 "fq-job: job $id has no guest./etc/passwd" fq-job info "$id" guest./etc/passwd
  refuses 1 "fq-job: job $id has no guest.launch" fq-job info "$id" guest.launch
  release job
}

@test "operands of info" {
  # An id is needed, and a key at most.
  refuses 2 "fq-job: ID is missing (usage: fq-job info [OPTION...] ID [KEY])" fq-job info
  refuses 2 "fq-job: unexpected operand 'R'" fq-job info 1 jobspec R
}

@test "without a key the keys of all documents are listed" {
  # Of a pending job, a running one and one that ended, with a large output.
  local id
  id=$(fq-submit --urgency=hold true)
  expect "J eventlog jobspec" "$(fq-job info "$id" | xargs)"
  id=$(submit_held job)
  running job
  expect "J R eventlog guest.exec.eventlog guest.output jobspec" "$(fq-job info "$id" | xargs)"
  release job
  id=$(fq-submit sh -c 'head -c 300000 /dev/zero')
  ended "$id"
  expect "J R data.fq.files eventlog guest.exec.eventlog guest.output jobspec" "$(fq-job info "$id" | xargs)"
  refuses 1 "fq-job: job 123 does not exist" fq-job info 123
}

# bats test_tags=own-store
@test "a large output is kept beside the database and read back whole" {
  # More than 256 KiB of guest output: the document comes whole, with its length.
  local id
  id=$(fq-submit sh -c 'head -c 3000000 /dev/zero | tr "\0" y')
  ended "$id"
  fq-job info "$id" guest.output >log
  expect 3000000 "$(fq-job attach "$id" | wc -c)"
  [ "$(wc -c <log)" -gt 3000000 ]
  [ -s "$STORE/data/$(ls "$STORE/data")/guest.output" ]
}
