#!/usr/bin/env bats
# fq-job taskmap, hostpids: where the tasks of a job run.

load helper

setup() { make_store 3:2; }

@test "the map of a job is printed once its tasks are started" {
  # Also after its end; a pending job is waited for.
  local id pid code=0
  id=$(submit_held job --urgency=hold -N2 -n4)
  fq-job taskmap "$id" >out &
  pid=$!
  waiting "$pid"
  fq-job urgency "$id" default
  wait "$pid" || code=$?
  expect "0 [[0,2,2,1]]" "$code $(cat out)"
  running job
  release job
  ended "$id"
  check 0 "[[0,2,2,1]]" "" fq-job taskmap "$id"
}

@test "R16.9 tasks, nodes and hosts of a job" {
  # Nodes count within the job; hosts are those of R.
  local id
  id=$(fq-submit -N2 -n3 --requires='not host:node0' true)
  ended "$id"
  check 0 "0-1" "" fq-job taskmap --taskids=0 "$id"
  check 0 "2" "" fq-job taskmap --taskids=1 "$id"
  check 0 "2" "" fq-job taskmap --ntasks=0 "$id"
  check 0 "1" "" fq-job taskmap --nodeid=2 "$id"
  check 0 "node1 node2" "" sh -c "echo \$(fq-job taskmap --hostname=1 $id) \$(fq-job taskmap --hostname=2 $id)"
  check 0 "node1: 0-1
node2: 2" "" fq-job taskmap --to=hosts "$id"
  refuses 1 "fq-job: there is no task 3, the job has 3" fq-job taskmap --hostname=3 "$id"
}

@test "other forms of a map" {
  # Of a job or of a map in any form; those need no store.
  export FQ_STORE=$WORK/nowhere
  check 0 "0-1;2-3" "" fq-job taskmap --to=raw '[[0,2,2,1]]'
  check 0 "(vector,(0,2,2))" "" fq-job taskmap --to=pmi '0-1;2-3'
  check 0 "0: 0
1: 0
2: 1
3: 1" "" fq-job taskmap --to=multiline '{"version":1,"map":[[0,2,2,1]]}'
  check 0 "[[0,2,2,1]]" "" fq-job taskmap '(vector,(0,2,2))'
  check 0 "2-3" "" fq-job taskmap --taskids=1 '0-1;2-3'
}

@test "jobs without a map" {
  # One that never ran, and one that does not exist.
  local id
  id=$(fq-submit --urgency=hold true)
  fq-cancel "$id"
  refuses 1 "fq-job: job $id has no guest.exec.eventlog" fq-job taskmap "$id"
  refuses 1 "fq-job: job 123 does not exist" fq-job taskmap 123
}

@test "wrong questions" {
  # One at a time, in the right form.
  refuses 2 "fq-job: ask for one thing only" fq-job taskmap --taskids=0 --ntasks=0 1
  refuses 2 "fq-job: a task map knows no hosts: give a job id" fq-job taskmap --hostname=0 '0-1;2-3'
  refuses 2 "fq-job: a task map knows no hosts: give a job id" fq-job taskmap --to=hosts '0-1;2-3'
  refuses 2 "fq-job: --nodeid: expected a number from 0, got '-1'" fq-job taskmap --nodeid=-1 1
  refuses 2 "fq-job: --to: expected raw, pmi, multiline or hosts, got 'json'" fq-job taskmap --to=json 1
  refuses 2 "fq-job: ID|TASKMAP is missing (usage: fq-job taskmap [OPTION...] ID|TASKMAP)" fq-job taskmap
  refuses 2 "fq-job: taskmap: invalid idset 'x': expected a number at character 1" fq-job taskmap 'x;y'
  refuses 2 "fq-job: invalid job id 'xyz': expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, emoji or a decimal number" \
    fq-job taskmap xyz
}

# bats test_tags=own-store
@test "hostpids names the processes of the tasks" {
  # HOST:PID in the order of the ranks; the processes are the tasks'.
  local id out rank
  id=$(submit_held job -N2 -n4 --requires='not host:node1')
  running job
  out=$(fq-job hostpids "$id")
  expect "node0 node0 node2 node2" "$(tr , '\n' <<<"$out" | cut -d: -f1 | xargs)"
  rank=$(tr , '\n' <<<"$out" | head -n 1 | cut -d: -f2)
  expect "FLUX_TASK_RANK=0" "$(tr '\0' '\n' <"/proc/$rank/environ" | grep ^FLUX_TASK_RANK)"
  expect "$(cut -d, -f2-3 <<<"$out")" "$(fq-job hostpids -r 1-2 "$id")"
  expect "$(tr , '\n' <<<"$out")" "$(fq-job hostpids --delimiter='\n' --ranks=all "$id")"
  expect "${out//,/ + }" "$(fq-job hostpids -d ' + ' "$id")"
  release job
}

@test "hostpids of jobs that do not run" {
  # Pending ones are waited for; ended ones have no processes.
  local id done
  id=$(fq-submit --urgency=hold true)
  refuses 124 "fq-job: job $id has not started within 0.1 s" fq-job hostpids -t 0.1s "$id"
  done=$(fq-submit true)
  ended "$done"
  refuses 1 "fq-job: job $done is not running" fq-job hostpids "$done"
  refuses 1 "fq-job: job 123 does not exist" fq-job hostpids 123
  refuses 2 "fq-job: --ranks: invalid idset 'x': expected a number at character 1" fq-job hostpids -r x 1
}
