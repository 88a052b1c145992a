#!/bin/sh
# First come, first served, as an external scheduler: see fq-scheduler(7). Needs jq(1).
#
# It looks at one job at a time: with a window of one request all others wait behind the first that cannot start.

printf '{"topic":"%s","payload":%s}\n' resource.acquire '{}' job-manager.sched-hello '{}' \
  job-manager.sched-ready '{"mode":"limited","limit":1}'

# Numbers beyond 2^53 are not exact in jq: ids go through it as text. The state is {all, usable, hosts, jobs}; cores and GPUs are [rank, kind, number].
sed -u 's/"id":\([0-9]*\)/"id":"\1"/' | jq -cn --unbuffered '
def ids: split(",")[] | select(. != "") | split("-") | map(tonumber) | range(.[0]; .[-1] + 1);
def units: [.execution.R_lite[] | (.rank | ids) as $rank | .children | to_entries[] | .key as $kind
  | .value | ids | [$rank, $kind, .]];
def to_r($hosts): group_by(.[0]) | {version: 1, execution: {
  R_lite: map({rank: "\(.[0][0])",
    children: (group_by(.[1]) | map({key: .[0][1], value: (map("\(.[2])") | join(","))}) | from_entries)}),
  nodelist: map($hosts["\(.[0][0])"])}};

# What a jobspec gets of some cores and GPUs; null where they are not enough.
def choose($free; $all):
  .attributes.system.constraints.ranks as $ranks
  | .resources[0] as $top
  | ($top.type == "node") as $nodes
  | (if $nodes then $top.with[0] else $top end) as $slot
  | [$slot.with[] | select(.count > 0)] as $need
  | {left: ($slot.count * (if $nodes then $top.count else 1 end)), got: []}
  | reduce ($free | group_by(.[0])[]) as $here (.;
      ([$need[] as $n | [$here[] | select(.[1] == $n.type)] | length / $n.count | floor] | min) as $fits
      | (if $nodes | not then [$fits, .left] | min elif $fits < $slot.count then 0 else $slot.count end) as $take
      | ($ranks == null or ([$ranks[] | ids] | index($here[0][0]))) as $allowed
      | ($top.exclusive // false) as $whole
      | ($whole and ($here | length) < ([$all[] | select(.[0] == $here[0][0])] | length)) as $parted
      | if .left <= 0 or $take == 0 or ($allowed | not) or $parted then . else
          .left -= $take
          | .got += if $whole then $here else [$need[] as $n | [$here[] | select(.[1] == $n.type)][:$n.count * $take][]] end
        end)
  | if .left > 0 then null else .got end;

foreach inputs as $message ({};
  .answer = null
  | $message.payload as $job
  | $job.id as $id
  | if $message.topic == "resource.acquire" then
      ($job.resources | units) as $all
      | [$job.up | ids] as $up
      | {all: $all, usable: [$all[] | select(.[0] as $rank | $up | index($rank))], jobs: {},
         hosts: ([[$all[][0]] | unique, $job.resources.execution.nodelist] | transpose
           | map({key: "\(.[0])", value: .[1]}) | from_entries)}
    elif $message.topic == "job-manager.sched-hello" and $job then
      .jobs[$id] = ($job.R | units)
    elif $message.topic == "sched.alloc" then
      (.usable - [.jobs[][]]) as $free
      | .all as $all
      | ($job.jobspec | choose($free; $all)) as $got
      | if $got then
          .jobs[$id] = $got | .answer = {id: $job.id, type: 0, R: (.hosts as $hosts | $got | to_r($hosts))}
        elif $job.jobspec | choose($all; $all) then
          .waiting = $id | .answer = {id: $job.id, type: 1, annotations: {sched: {reason_pending: "not enough is free"}}}
        else
          .answer = {id: $job.id, type: 2, note: "there is never so much"}
        end
    elif $message.topic == "sched.cancel" then
      if .waiting == $id then .waiting = null | .answer = {id: $job.id, type: 3} else . end
    elif $message.topic == "sched.free" then
      del(.jobs[$id]) | .answer = {id: $job.id}
    elif $message.topic == "sched.expiration" then
      .answer = {}
    else . end;
  if .answer then {topic: ($message.topic | if . == "sched.cancel" then "sched.alloc" else . end), payload: .answer}
  else empty end)' | sed -u 's/"id":"\([0-9]*\)"/"id":\1/'
