#!/usr/bin/env bats
# A key that a JSON object has twice is refused by its name, wherever a user gives JSON.

load helper

setup() { make_store 1:2; }

# bats test_tags=own-store
@test "a key that is there twice is refused in options" {
  # Values that are no JSON stay text.
  refuses 2 "fq-submit: --setattr: the key 'a' is there twice" fq-submit -S 'x={"a":1,"a":2}' true
  refuses 2 "fq-submit: --setattr: the key 'b' is there twice" fq-submit -S 'user.x=[{"b":{},"c":1,"b":2}]' true
  refuses 2 "fq-submit: --setopt: the key 'a' is there twice" fq-submit -o 'x={"a":1,"a":2}' true
  echo '{"a": 1, "a": 2}' >x.json
  refuses 2 "fq-submit: --setattr: x.json: line 1, column 10: the key 'a' is there twice" fq-submit -S ^x=x.json true
  local id
  id=$(fq-submit --urgency=hold -S 'user.x={"a":1,"b":' true)
  check 0 '"x":"{\"a\":1,\"b\":"' "" sh -c "fq-job info $id jobspec | grep -o '\"x\":\"{[^}]*'"
  refuses 2 "fq-job: the key 'a' is there twice" fq-job memo "$id" 'x={"a":1,"a":2}'
  refuses 2 "fq-update: the key 'a' is there twice" fq-update "$id" 'attributes.user.x={"a":1,"a":2}'
  check 0 "" "" fq-update "$id" 'attributes.system.environment.X={"a":1,"a":2}'
}

@test "a key that is there twice is refused in documents" {
  # Jobspecs in JSON and YAML, R, what a scheduler wants to know; written otherwise it is the same key.
  fq-submit --dry-run true >job.json
  sed 's/"version":1/"version":1,"versio\\u006e":1/' job.json >twice.json
  MASK='s/column [0-9]+/column N/' refuses 1 "fq-job: jobspec: line 1, column N: the key 'version' is there twice" fq-job submit twice.json
  printf 'version: 1\nversion: 1\n' >twice.yaml
  refuses 1 "fq-job: jobspec: line 2, column 1: the key 'version' is there twice" fq-job submit twice.yaml
  echo '{"version":1,"execution":{"R_lite":[{"rank":"0","rank":"1","children":{"core":"0"}}],"nodelist":["a"]}}' >R
  refuses 1 "fq-R: R: line 1, column 49: the key 'rank' is there twice" sh -c 'fq-R decode <R'
  refuses 1 "fq-init: R: line 1, column 49: the key 'rank' is there twice" fq-init --store "$WORK/new" --R R
  refuses 1 "fq-resource: R: line 1, column 49: the key 'rank' is there twice" fq-resource reload R
  fq-R encode >R
  echo '{"writer":"a","writer":"b"}' >jgf.json
  printf '[resource]\npath = "R"\nscheduling = "jgf.json"\n' >fq.toml
  refuses 1 "fq-config: fq.toml:3: resource.scheduling: scheduling: line 1, column 15: the key 'writer' is there twice" fq-config load fq.toml
  refuses 2 "fq-job: taskmap: line 1, column 23: the key 'map' is there twice" fq-job taskmap '{"version":1,"map":[],"map":[]}'
  check 0 "" "" fq-jobs -a -n
}
