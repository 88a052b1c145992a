#!/usr/bin/env bats
# When resources may be used: starttime and expiration of an inventory, and of the R of jobs (RFC 20).

load helper

setup() { prepare; }

now() { "$PYTHON" -c 'import sys, time; print(round(time.time() + float(sys.argv[1]), 3))' "$1"; }
# when R START END [HOSTS]: a file R with an inventory that holds from START to END.
when() {
  fq-R encode -H "${4:-n[0-1]}" -c 0-3 | sed "s/\"starttime\":0.0,\"expiration\":0.0/\"starttime\":$2,\"expiration\":$3/" >"$1"
}
make_store_of() {
  fq-init --quiet --store "$STORE" --R "$1"
  export FQ_STORE=$STORE
}
# of ID EXPRESSION: of R as it is now, with `start` and `end`.
of() {
  fq-job info "$1" R | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)["execution"]
start, end = r["starttime"], r["expiration"]
print(eval(sys.argv[1]))' "$2"
}
moment() { date -d "@$1" '+%F %T'; }

@test "R20.13 nothing starts before the starttime, and why says so" {
  # The inventory keeps its times; a listing says the same as why.
  local start id
  start=$(now 3600.5)
  when R "$start" 0
  make_store_of R
  expect "\"starttime\":$start,\"expiration\":0.0" "$(fq-resource R | grep -o '"starttime.*ation":[^,]*')"
  id=$(fq-submit true)
  check 0 "$id: the nodes may not be used before $(moment "$start")" "" fq-job why "$id"
  check 0 "S the nodes may not be used before $(moment "$start")" "" fq-jobs -n -o '{status_abbrev} {contextual_info}' "$id"
  # Another inventory, which holds now, starts it.
  when R2 0 0
  fq-resource reload R2
  check 0 "" "" fq-job wait "$id"
}

@test "R20.13 the store wakes at the starttime" {
  # Jobs that came before start then, with nobody to call for it; times have microseconds.
  local start id
  start=$(now 3.0001)
  when R "$start" 0
  make_store_of R
  id=$(fq-submit true)
  check 0 "" "" fq-job wait "$id"
  expect True "$(of "$id" "start >= $start")"
  check 0 "" "" fq-job wait "$(fq-submit true)"
}

@test "R20.15 without a starttime nodes may be used at any time until the expiration" {
  # At once, but not after it; what waits then starts with another inventory.
  local end id
  end=$(now 3600)
  when R 0 "$end"
  make_store_of R
  check 0 "" "" fq-job wait "$(fq-submit true)"
  end=$(now -60)
  when R2 0 "$end"
  fq-resource reload R2
  id=$(fq-submit true)
  check 0 "$id: the nodes may not be used since $(moment "$end"): the inventory has expired" "" fq-job why "$id"
  check 0 S "" fq-jobs -n -o '{status_abbrev}' "$id"
  when R3 0 "$(now 3600)"
  fq-resource reload R3
  check 0 "" "" fq-job wait "$id"
}

@test "R20.14 a job's R ends no later than the inventory" {
  # With a longer limit or none at the inventory's expiration; a shorter one is kept.
  local end long short none
  end=$(now 3600)
  when R "$(now -60)" "$end"
  make_store_of R
  long=$(submit_held long -t 2h)
  short=$(submit_held short -t 30m)
  none=$(submit_held none)
  running long
  running short
  running none
  expect "True True True" "$(of "$long" "end == $end") $(of "$none" "end == $end") $(of "$short" "round(end - start, 3) == 1800")"
  for id in long short none; do release "$id"; done
}

@test "R20.16 without an expiration there is no end" {
  # Of the inventory, nor of a job without a time limit.
  local id
  when R "$(now -60)" 0
  make_store_of R
  id=$(submit_held job)
  running job
  expect True "$(of "$id" 'end == 0')"
  release job
}

# bats test_tags=own-store
@test "R27.39 a running job cannot be given time beyond the inventory" {
  # Up to it, it can; no limit is one at its end.
  local end id
  end=$(now 3600)
  when R 0 "$end"
  make_store_of R
  id=$(submit_held job -t 10m)
  running job
  MASK='s/limit of [0-9.]+m/limit of TIME/' refuses 1 \
    "fq-update: job $id would outlast the inventory: a time limit of TIME at most is possible" fq-update "$id" duration=2h
  MASK='s/limit of [0-9.]+m/limit of TIME/' refuses 1 \
    "fq-update: job $id would outlast the inventory: a time limit of TIME at most is possible" fq-update "$id" duration=+59m
  expect True "$(of "$id" 'round(end - start, 3) == 600')"
  check 0 "" "" fq-update "$id" duration=30m
  expect True "$(of "$id" 'round(end - start, 3) == 1800')"
  check 0 "" "" fq-update "$id" duration=0
  expect True "$(of "$id" "end == $end")"
  refuses 1 "fq-update: job ƒ1 does not exist" fq-update ƒ1 duration=1m
  release job
}

@test "an inventory of the configuration holds as long as its file says" {
  # resource.path; R that ends before it begins is refused with its place.
  local start id
  start=$(now 3600)
  when R.json "$start" "$(now 7200)"
  echo 'resource.path = "R.json"' >fq.toml
  fq-init --quiet --store "$STORE" --config fq.toml
  export FQ_STORE=$STORE
  id=$(fq-submit true)
  check 0 "$id: the nodes may not be used before $(moment "$start")" "" fq-job why "$id"
  when R.json 20 10
  refuses 1 "fq-config: fq.toml:1: resource.path: R: execution: expiration 10 is not after starttime 20" fq-config load fq.toml
  when R.json 0 1e12
  refuses 1 "fq-config: fq.toml:1: resource.path: R: expiration 1000000000000 is beyond the year 9999" fq-config load fq.toml
  when R.json 0 0
  fq-config load fq.toml
  check 0 "" "" fq-job wait "$id"
}

@test "R20.18 R20.19 R20.26 scheduling rides along into a job's R" {
  # From --R, from a reload and from a configuration, untouched; the job's nodes are its own.
  local key='"scheduling":{"graph":[1,2.5,null],"writer":"fluxion:v1"}'
  fq-R encode -H 'n[0-1]' -c 0-3 | sed "s/}\$/,$key}/" >R
  make_store_of R
  local id
  id=$(fq-submit -N1 true)
  check 0 "" "" fq-job wait "$id"
  check 0 "$key}" "" sh -c "fq-job info $id R | grep -o '\"scheduling.*'"
  expect "rank0/core[0-3]" "$(fq-job info "$id" R | fq-R decode --short)"
  fq-job info "$id" R >inherited
  fq-init --quiet --store "$WORK/inner" --R inherited
  check 0 "$key}" "" sh -c "fq-resource R --store '$WORK/inner' | grep -o '\"scheduling.*'"
  sed -i s/2.5/7/ R
  fq-resource reload R
  id=$(fq-submit true)
  check 0 "" "" fq-job wait "$id"
  check 0 "${key/2.5/7}}" "" sh -c "fq-job info $id R | grep -o '\"scheduling.*'"
  echo '{"writer": "file:site"}' >jgf.json
  printf '[resource]\npath = "R"\nscheduling = "jgf.json"\n' >fq.toml
  fq-config load fq.toml
  id=$(fq-submit true)
  check 0 "" "" fq-job wait "$id"
  check 0 '"scheduling":{"writer":"file:site"}}' "" sh -c "fq-job info $id R | grep -o '\"scheduling.*'"
}
