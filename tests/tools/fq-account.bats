#!/usr/bin/env bats
# Banks, users in them, what they use and may use.

load helper

setup() {
  make_store 2:4
  MASK='s/ƒ[0-9A-Za-z]+/JOB/g'
  ME=$(id -un)
}

config() {
  printf '%s\n' "$@" >fq.toml
  fq-config load --quiet fq.toml 2>/dev/null || fq-config load fq.toml
}

# jq_of PATH: the value there in the JSON on stdin.
jq_of() {
  "$PYTHON" -c 'import json, sys
value = json.load(sys.stdin)
for name in sys.argv[1].split("."): value = value[name]
print(round(value))' "$1"
}

# Two banks and three users, of whom the last is nobody's number.
add_some() {
  check 0 "" "" fq-account add-bank physics 3
  check 0 "" "" fq-account add-bank optics --parent-bank=physics --shares=1
  check 0 "" "" fq-account add-bank biology
  check 0 "" "" fq-account add-user "$ME" optics
  check 0 "" "" fq-account add-user --username=ada --bank=biology --userid=50001
  check 0 "" "fq-account: no user 'nobody-here' is known here: added by name, until one submits a job" \
    fq-account add-user nobody-here biology --shares=0.5
}

@test "PRIO.22 the root owns everything, and each bank divides what it has" {
  add_some
  check 0 "BANK      USER        SHARES ALLOTTED        USAGE EFFECTIVE FAIRSHARE
root                       1   1.0000          0.0    0.0000    1.0000
 biology                   1   0.2500          0.0    0.0000    1.0000
  biology ada              1   0.1667          0.0    0.0000    1.0000
  biology nobody-here    0.5   0.0833          0.0    0.0000    1.0000
 physics                   3   0.7500          0.0    0.0000    1.0000
  optics                   1   0.7500          0.0    0.0000    1.0000
   optics $(printf '%-11s' "$ME")      1   0.7500          0.0    0.0000    1.0000" "" fq-account view-bank -t
  check 0 "BANK USER CORE-HOURS GPU-HOURS NODE-HOURS MONTH
root 0.00 0.00 0.00 0.00" "" sh -c 'fq-account view-bank -t -o hours | head -n 2 | sed -E "s/^ +//; s/ +$//; s/ +/ /g"'
}

@test "PRIO.23 users are added to banks, with limits, and jobs name theirs" {
  add_some
  check 0 "" "" fq-account edit-user "$ME" --max-running-jobs=1 --max-active-jobs=3
  a=$(fq-submit sleep 600) b=$(fq-submit -B optics sleep 600)
  expect "optics optics" "$(fq-jobs -n -o '{bank}' | xargs)"
  fq-job wait-event "$a" start >/dev/null
  check 0 "JOB: user '$ME' in bank 'optics' has 1 running job, at most 1 may run
JOB: it is the next job in the queue" "" fq-job why "$b"
  # Listings say so, too.
  expect "user '$ME' in bank 'optics' has 1 running job, at most 1 may run" "$(fq-jobs -n -o '{contextual_info}' "$b")"
  refuses 1 "fq-submit: user '$ME' in bank 'optics' has 2 active jobs and 2 more would come, at most 3 may be active" \
    fq-submit --cc=1-2 true
  refuses 1 "fq-submit: bank 'optic' does not exist (did you mean 'optics'?)" fq-submit -B optic true
  refuses 1 "fq-submit: user '$ME' is not in bank 'biology' (but in optics)" fq-submit -B biology true
  check 0 "$(printf '%-*s' "${#ME}" USER) BANK   DEFAULT SHARES        USAGE FAIRSHARE RUNNING ACTIVE MAXRUN MAXACTIVE" "" \
    sh -c "fq-account view-user $ME | head -1"
  fq-cancel --all >/dev/null
}

@test "PRIO.24 usage is charged by hand for what was used elsewhere, and credited" {
  add_some
  check 0 "" "" fq-account charge ada biology --core-seconds=7200 --gpu-seconds=3600 --reason="old cluster"
  check 0 "USER BANK      CORE-HOURS    GPU-HOURS   NODE-HOURS        MONTH
ada  biology         2.00         1.00         0.00         2.00" "" fq-account view-user ada -o hours
  check 0 "" "" fq-account charge ada biology --core-seconds=-3600
  check 0 "ada  biology         1.00         1.00         0.00         1.00" "" fq-account view-user ada -n -o hours
  check 0 "" "" fq-account charge ada biology --core-seconds=-999999
  check 0 "root         0.00         1.00         0.00         0.00" "" fq-account view-bank -n -o hours
  # What sums leave of nothing is nothing, in reports too.
  fq-submit --quiet --wait -n3 true
  fq-account charge "$ME" optics --core-seconds=-999999
  expect "$ME,1,0.00 TOTAL,1,0.00" "$(fq-account view-usage-report --by=user -u "$ME" -t sec --csv | sed 1d | cut -d, -f1-3 | xargs)"
  check 0 "" "" fq-account edit-user ada biology --usage=500
  expect "ada 500" "$(fq-account view-user ada -n -o '{username} {usage:.0f}')"
  expect "root 500" "$(fq-account view-bank root -n -o '{bank} {usage:.0f}')"
  refuses 1 "fq-account: user 'ada' is not in bank 'physics'" fq-account charge ada physics --core-seconds=1
  refuses 1 "fq-account: user 'aba' is in no bank (did you mean 'ada'?)" fq-account charge aba biology --core-seconds=1
  refuses 2 "fq-account: how much? give --core-seconds=N" fq-account charge ada biology
  refuses 2 "fq-account: --core-seconds: expected a number, got 'x'" fq-account charge ada biology --core-seconds=x
  refuses 1 "fq-account: time 'tomorrow': lies in the future" \
    sh -c 'fq-account charge ada biology --core-seconds=1 --at=tomorrow 2>&1 | sed "s/tomorrow.: .*/tomorrow'"'"': lies in the future/" >&2; exit 1'
}

@test "a half-life of nothing is none, and says so by what it does" {
  add_some
  config 'accounting.half-life = "0"'
  fq-account charge ada biology --core-seconds=100 --at="2 weeks ago"
  expect "100" "$(fq-account view-user ada -n -o '{usage:.0f}')"
  config 'accounting.half-life = "7d"'
  fq-account charge ada biology --core-seconds=100 --at="1 weeks ago"
  expect "150" "$(fq-account view-user ada -n -o '{usage:.0f}')"
}

@test "what is used by a job shows while it runs, and afterwards" {
  add_some
  config '[accounting]' 'half-life = "0"' 'usage-weights = { core = 1, node = 100 }'
  id=$(fq-submit -n2 sleep 600)
  fq-job wait-event "$id" start >/dev/null
  [[ $(fq-account view-bank -n -o '{usage}') != 0.0 ]]
  expect "1 1" "$(fq-account view-bank -n -o '{running} {active}')"
  fq-cancel "$id" >/dev/null
  fq-job wait-event "$id" clean >/dev/null
  expect "0 0" "$(fq-account view-bank -n -o '{running} {active}')"
  check 0 "checked 1 job: sound" "" fq-fsck
}

@test "what is not there, or cannot be, is refused with one line" {
  refuses 1 "fq-account: bank 'root' does not exist (there are no accounts: fq account add-bank)" fq-account view-bank
  add_some
  refuses 1 "fq-account: bank 'physics' exists already" fq-account add-bank physics
  refuses 1 "fq-account: bank 'root' exists already" fq-account add-bank root 1
  refuses 1 "fq-account: user '$ME' is in bank 'optics' already" fq-account add-user "$ME" optics
  refuses 1 "fq-account: bank 'phisics' does not exist (did you mean 'physics'?)" fq-account view-bank phisics
  refuses 1 "fq-account: bank 'phisics' does not exist (did you mean 'physics'?)" fq-account edit-bank phisics --shares=1
  refuses 1 "fq-account: bank 'x' does not exist" fq-account add-bank y --parent-bank=x
  refuses 1 "fq-account: bank 'root' owns everything and stays" fq-account delete-bank root
  refuses 1 "fq-account: bank 'physics' cannot be part of 'optics', which is part of it" fq-account edit-bank physics --parent-bank=optics
  refuses 1 "fq-account: there is a user or bank in bank 'physics' (--force closes them, too)" fq-account delete-bank physics
  refuses 1 "fq-account: the number 50001 is that of user 'ada'" fq-account add-user eve physics --userid=50001
  refuses 1 "fq-account: 'a b': the name of a bank has no blanks, no quotes and none of , | : = /" fq-account add-bank "a b"
  refuses 2 "fq-account: --shares: expected a number that is not negative, got '-1'" fq-account add-bank z --shares=-1
  refuses 2 "fq-account: --max-nodes: expected a whole number or 'unlimited', got 'x'" fq-account edit-bank physics --max-nodes=x
  refuses 2 "fq-account: what is to be changed? give at least one option" fq-account edit-user ada
  refuses 2 "fq-account: to which bank? give BANK" fq-account add-user eve
  refuses 2 "fq-account: give USER or --username, not both" fq-account add-user --username=a b c
  check 0 "" "" fq-account delete-bank optics --force
  check 0 "root
biology
physics" "" fq-account list-banks -n -o '{bank}'
}

@test "PRIO.27 reports tell what was used, by whatever is told apart, and purging changes nothing" {
  add_some
  fq-submit -n2 --quiet --wait true
  fq-account charge ada biology --core-seconds=7200 --gpu-seconds=3600 --at="3 days ago"
  fq-account charge ada biology --core-seconds=-3600 --at="1 days ago"
  expect "jobs 1" "jobs $(fq-account view-usage-report --json | jq_of total.jobs)"
  fq-job purge --num-limit=0 -f >/dev/null
  check 0 "user jobs core-hours gpu-hours node-hours
ada 0 1.00 1.00 0.00
$ME 1 0.00 0.00 0.00
TOTAL 1 1.00 1.00 0.00" "" sh -c 'fq-account view-usage-report --by=user | tr -s " "'
  expect "ada,0,60.00,60.00,0.00" "$(fq-account view-usage-report -r byuser -u ada -t min --csv | sed -n 2p)"
  expect "ada,0,2.00,1.00,0.00" "$(fq-account view-usage-report -r byuser -u ada -e '2 days ago' --csv | sed -n 2p)"
  expect "TOTAL,0,0.00,0.00,0.00" "$(fq-account view-usage-report -b physics -e '2 days ago' --csv | sed -n 2p)"
  expect "optics:$ME 2-3" "$(fq-account view-usage-report -b physics --by=association,size --csv | sed -n 's/,1,.*//; s/,/ /; 2p')"
  refuses 2 "fq-account: --by: there is no report by 'moth': expected one of user, bank, association, queue, project, qos, size, hour, day, month (did you mean 'month'?)" \
    fq-account view-usage-report --by=moth
  refuses 1 "fq-account: user 'eve' is in no bank" fq-account view-usage-report -u eve
  refuses 2 "fq-account: --by: 'hour' stands there twice" fq-account view-usage-report --by=hour,user,byhour
  refuses 2 "fq-account: --start '1 days ago' is after --end '2 days ago'" fq-account view-usage-report -s "1 days ago" -e "2 days ago"
  expect "normal" "$(fq-account view-usage-report --by=qos --csv | sed -n 's/,.*//; 2p')"
  refuses 1 "fq-account: bank 'x' does not exist" fq-account view-usage-report -b x
}

@test "what is exported is imported again" {
  add_some
  fq-account edit-user ada --max-cores=8 --max-core-hours=100 --queues=a,b --qos=expedite
  fq-account edit-bank physics --max-gpus=2
  fq-account charge ada biology --core-seconds=1000000
  check 0 "" "" fq-account export
  check 0 "bank,active,parent_bank,shares,job_usage,max_gpus" "" head -1 bank_table.csv
  check 0 "active,username,userid,bank,default_bank,shares,job_usage,max_running_jobs,max_active_jobs,max_nodes,max_cores,max_core_hours,queues,qos" \
    "" head -1 association_table.csv
  refuses 1 "fq-account: 'bank_table.csv' exists already (--force replaces it)" fq-account export
  before=$(fq-account view-bank -t -o '{tree} {username} {shares} {max_cores} {max_gpus} {max_core_hours} {queues} {qos}')
  export FQ_STORE=$PWD/other
  fq-init --test-nodes 2:4 >/dev/null
  check 0 "4 banks added and 0 changed, 3 users added and 0 changed" "fq-account: there is no queue 'a'
fq-account: there is no queue 'b'" \
    fq-account import --banks bank_table.csv --users association_table.csv
  expect "$before" "$(fq-account view-bank -t -o '{tree} {username} {shares} {max_cores} {max_gpus} {max_core_hours} {queues} {qos}')"
  expect "10000" "$(fq-account view-user ada -n -o '{usage:.0f}' | cut -c1-5 | sed 's/99999/10000/')"
  check 0 "0 banks added and 4 changed, 3 users added and 0 changed" "fq-account: there is no queue 'a'
fq-account: there is no queue 'b'" sh -c "fq-account delete-user ada; fq-account delete-user $ME; fq-account delete-user nobody-here; fq-account import --banks bank_table.csv --users association_table.csv"
}

@test "tables of other systems are read, all or nothing" {
  printf '%s\n' "# comment" "Cluster - 'linux':Fairshare=1" "Parent - 'root'" \
    "User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1" \
    "Account - 'science':Description='a: b':Organization='x':Fairshare=50" "Parent - 'science'" \
    "Account - 'bio':Fairshare=parent:GrpTRES=cpu=64,gres/gpu=2:GrpJobs=9" "Parent - 'bio'" \
    "User - 'ada':DefaultAccount='bio':Fairshare=3:MaxJobs=10:MaxSubmitJobs=20" >cluster.cfg
  check 0 "2 banks added and 0 changed, 2 users added and 0 changed" "fq-account: cluster.cfg:4: 'AdminLevel' is not taken" \
    fq-account import --sacctmgr cluster.cfg
  expect "bio science 1 64 2 9" "$(fq-account view-bank bio -n -o '{bank} {parent} {shares} {max_cores} {max_gpus} {max_running_jobs}')"
  expect "ada bio 3 10 20" "$(fq-account view-user ada -n -o '{username} {bank} {shares} {max_running_jobs} {max_active_jobs}')"
  printf 'phy,root,2\nopt,phy,1\n' >banks.csv
  printf 'eve,50007,opt,2,5,9,1,"a,b"\n' >users.csv
  check 0 "2 banks added and 0 changed, 1 user added and 0 changed" "fq-account: there is no queue 'a'
fq-account: there is no queue 'b'" fq-account import --banks banks.csv --users users.csv
  expect "eve opt 2 5 9 1 a,b" "$(fq-account view-user eve -n -o '{username} {bank} {shares} {max_running_jobs} {max_active_jobs} {max_nodes} {queues}')"
  local text message
  while IFS='@' read -r text message; do
    printf "$text" >x.csv
    refuses 1 "fq-account: x.csv$message" fq-account import --banks x.csv
  done <<'TABLE'
bank,parent_bnk\n@:1: unknown column 'parent_bnk' (did you mean 'parent_bank'?)
a,b,1\nb,a,1\n@:1: bank 'a' is part of itself
a,,1\nb,,1\na,,2\n@:3: bank 'a' stands here twice
ok,root,1\nbad,root,-1\n@:2: shares: expected a number that is not negative, got '-1'
ok,root,1\n"bad,root@: line 2: the quoted field does not end
ok,root,1\nbad,nowhere,1\n@:2: bank 'nowhere' does not exist
bank,parent_bank,shares\nok,root,1,2\n@:2: 4 fields of at most 3 (one that has commas stands in double quotes)
TABLE
  printf "Acount - 'x':Fairshare=1\n" >x.cfg
  refuses 1 "fq-account: x.cfg:1: 'Acount': expected Cluster, Parent, Account or User" fq-account import --sacctmgr x.cfg
  printf 'username,userid,bank\neve,x,opt\n' >x.csv
  refuses 1 "fq-account: x.csv:2: userid: expected the number of a user, got 'x'" fq-account import --users x.csv
  printf 'username,bank\neve,opt\neve,opt\n' >x.csv
  refuses 1 "fq-account: x.csv:3: user 'eve' stands here twice in bank 'opt'" fq-account import --users x.csv
  refuses 2 "fq-account: from what? give --banks, --users or --sacctmgr" fq-account import
  # Nothing of a table that was refused is there.
  expect "root phy opt science bio" "$(fq-account list-banks -n -o '{bank}' | xargs)"
}

@test "projects are free until there are some" {
  add_some
  check 0 "" "" fq-account add-project laser
  refuses 1 "fq-account: project 'laser' exists already" fq-account add-project laser
  refuses 1 "fq-submit: project 'lasr' does not exist (did you mean 'laser'?)" fq-submit --setattr=system.project=lasr true
  check 0 "" "" fq-account edit-project laser --description="tunable lasers"
  fq-account edit-user ada biology --projects=laser --default-project=laser
  check 0 "PROJECT     JOBS   CORE-HOURS    GPU-HOURS   NODE-HOURS USERS       DESCRIPTION   
laser          0         0.00         0.00         0.00 ada:biology tunable lasers" "" fq-account view-project laser
  refuses 1 "fq-account: project 'lasr' does not exist (did you mean 'laser'?)" fq-account view-project lasr
  refuses 1 "fq-account: project 'lasr' does not exist (did you mean 'laser'?)" fq-account edit-project lasr --description=x
  refuses 2 "fq-account: what is to be changed? give --description=TEXT" fq-account edit-project laser
  refuses 1 "fq-account: project 'laser' is among those of user 'ada' in bank 'biology' (--force takes it from all who have it)" \
    fq-account delete-project laser
  check 0 "" "" fq-account delete-project --force laser
  refuses 1 "fq-account: project 'laser' does not exist" fq-account delete-project laser
  check 0 '{"projects":[]}' "" fq-account list-projects --json
}

@test "queues of accounts are those of the configuration" {
  config '[queues.batch]' 'policy.limits.duration = "2h"'
  check 0 "" "" fq-account add-queue debug --max-nodes-per-job=1 --max-time-per-job=30m --max-running-jobs=2
  check 0 "" "" fq-account edit-queue batch --priority=0.75 --min-nodes-per-job=0 --max-nodes-per-assoc=1 --max-time-per-job=unlimited
  check 0 "QUEUE  MINNODES MAXNODES   TLIMIT PRIORITY MAXRUN MAXUSERNODES
batch*        0               inf     0.75                   1
debug                  1      30m     0.50      2             " "" fq-account list-queues
  check 0 "debug 30m" "" fq-account view-queue debug -n -o '{queue} {limits.timelimit}'
  refuses 1 "fq-submit: queue 'debug': 2 nodes requested, at most 1 allowed" fq-submit -q debug -t 1m -N2 true
  refuses 1 "fq-account: queue 'debug' exists already" fq-account add-queue debug
  refuses 1 "fq-account: queue 'debgu' does not exist (did you mean 'debug'?)" fq-account edit-queue debgu --priority=1
  refuses 1 "fq-account: queue 'debgu' does not exist (did you mean 'debug'?)" fq-account delete-queue debgu
  refuses 1 "fq-account: queue 'debgu' does not exist (did you mean 'debug'?)" fq-account view-queue debgu
  refuses 2 "fq-account: what is to be changed? give at least one option" fq-account edit-queue debug
  refuses 2 "fq-account: --priority: expected a factor from 0 to 1, got '2'" fq-account edit-queue debug --priority=2
  refuses 1 "fq-account: configuration: queues.a b: the name of a queue has no blanks and none of , @ * + ^ / =" fq-account add-queue "a b"
  refuses 1 "fq-account: configuration: queues.debug: jobs need at least 3 nodes and may have at most 1" \
    fq-account edit-queue debug --min-nodes-per-job=3
  refuses 1 "fq-account: queue 'batch' is the default one (another first: fq account edit-queue --default debug)" \
    fq-account delete-queue batch
  check 0 "" "" fq-account edit-queue debug --default
  fq-submit --quiet --urgency=hold -q batch true
  refuses 1 "fq-account: queue 'batch' would be gone, and 1 job waits in it (--force lets them wait until it is back or they are moved: fq update ID queue=NAME)" \
    fq-account delete-queue batch
  check 0 "" "fq-account: queue 'batch' is gone: 1 job in it, 0 running" fq-account delete-queue --force batch
  expect '{"debug":{"policy":{"limits":{"duration":"30m","job-size":{"max":{"nnodes":1}},"per-association":{"max-running-jobs":2}}}}}' \
    "$(fq-config get queues)"
}

@test "users are found by what they may, and what they may that is not there is told" {
  config '[queues.batch]' '[qos.urgent]'
  add_some
  check 0 "" "fq-account: there is no queue 'bacth' (did you mean 'batch'?)
fq-account: there is no QoS 'urgnt' (did you mean 'urgent'?)
fq-account: there is no project 'laser'" fq-account edit-user ada --queues=batch,bacth --qos=urgnt --projects=laser
  check 0 "" "" fq-account add-user ada physics --fairshare=4 --qos=urgent
  check 0 "" "" fq-account edit-user ada --default-bank=physics
  refuses 1 "fq-account: user 'ada' is not in bank 'optics'" fq-account edit-user ada --default-bank=optics
  expect "physics" "$(fq-account list-users --default-bank=physics -n -o '{bank}')"
  expect "ada nobody-here" "$(fq-account list-users -B biology -n -o '{username}' | xargs)"
  expect "physics" "$(fq-account list-users --qos=urgent -n -o '{bank}')"
  expect "physics" "$(fq-account list-users --shares=4 -n -o '{bank}')"
  expect "optics ada:biology nobody-here:biology ada:physics" \
    "optics $(fq-account list-users --queues=batch -n -o '{username}:{bank}' | grep -v ":optics" | xargs)"
  expect "ada:biology" "$(fq-account list-users --queues=bacth --bank=biology --projects=laser --qos=urgnt -n -o '{username}:{bank}')"
  expect "" "$(fq-account list-users --fairshare=1.1 -n -o '{username}')"
  # What is not there is no choice.
  refuses 1 "fq-account: bank 'biologie' does not exist (did you mean 'biology'?)" fq-account list-users -B biologie
  refuses 1 "fq-account: bank 'nosuch' does not exist" fq-account list-users --default-bank=nosuch
  refuses 1 "fq-account: queue 'batsh' does not exist (did you mean 'batch'?)" fq-account list-users --queues batsh
  refuses 1 "fq-account: QoS 'urgen' does not exist (did you mean 'urgent'?)" fq-account list-users --qos=urgen
  refuses 1 "fq-account: project 'lazer' does not exist (did you mean 'laser'?)" fq-account list-users --projects=lazer
  check 0 "" "" fq-account list-users --qos=standby -n
  printf 'username,bank,queues\nada,physics,bath\n' >users.csv
  check 0 "0 banks added and 0 changed, 0 users added and 1 changed" "fq-account: there is no queue 'bath' (did you mean 'batch'?)" \
    fq-account pop -u users.csv
  # And energy, which is charged from outside.
  config '[accounting]' 'half-life = "0"' 'usage-weights = { energy = 0.5 }' '[queues.batch]'
  check 0 "" "" fq-account charge ada physics --energy=7200
  expect "3600" "$(fq-account bank-info -P -n -u ada | grep physics | cut -d'|' -f5 | cut -d. -f1)"
  expect "7200" "$(fq-account view-usage-report --json | jq_of total.energy_joules)"
  check 0 "checked 0 jobs: sound" "" fq-fsck
}

@test "a store without accounts asks nobody for a bank" {
  fq-submit -B anything --urgency=hold --quiet true
  expect "anything" "$(fq-jobs -n -o '{bank}')"
  check 0 "BANK PARENT SHARES        USAGE FAIRSHARE RUNNING ACTIVE" "" fq-account list-banks
  check 0 '{"users":[]}' "" fq-account list-users --json
}

@test "a budget is of a month: jobs beyond it wait, or are refused where the configuration says so" {
  add_some
  check 0 "" "" fq-account edit-bank physics --max-core-hours=4
  a=$(fq-submit -t 1h -n 2 sleep 600) b=$(fq-submit -t 3h sleep 600)
  fq-job wait-event "$a" start >/dev/null
  check 0 "JOB: bank 'physics' has used 0.0 of 4 core-hours this month, running jobs may use 2.0 more, and it asks for 3.0
JOB: it is the next job in the queue" "" fq-job why "$b"
  refuses 1 "fq-submit: bank 'physics' may use 4 core-hours a month at most, and it asks for 5.0" fq-submit -t 5h true
  # With so many digits that it is more.
  refuses 1 "fq-submit: bank 'physics' may use 4 core-hours a month at most, and it asks for 4.003" fq-submit -t 14410s true
  config '[accounting]' 'time-zone = "Europe/Berlin"' 'over-budget = "refuse"'
  refuses 1 "fq-submit: bank 'physics' has used 0.0 of 4 core-hours this month, running jobs may use 2.0 more, and it asks for 3.0" \
    fq-submit -t 3h true
  fq-cancel "$a" >/dev/null
  fq-job wait-event "$b" start >/dev/null
  check 0 "BANK    MAXCOREH
physics        4" "" fq-account view-bank physics -o '{bank:<7} {max_core_hours:>8}'
  fq-cancel --all >/dev/null
  printf '[accounting]\ntime-zone = "Mars"\n' >fq.toml
  refuses 1 "fq-config: fq.toml:2: accounting: time-zone: there is no time zone 'Mars' here" fq-config load fq.toml
  printf '[accounting]\nover-budget = "pay"\n' >fq.toml
  refuses 1 "fq-config: fq.toml:2: accounting: over-budget: expected \"wait\" or \"refuse\", got 'pay'" fq-config load fq.toml
  refuses 2 "fq-account: --max-core-hours: expected a whole number or 'unlimited', got '0.5'" fq-account edit-bank physics --max-core-hours=0.5
}

@test "a job without a time limit that a budget does not hold is told of, and keeps nobody waiting" {
  # On a terminal when it is submitted, in the listing, and by why; others under the same budget start.
  local endless told
  add_some
  check 0 "" "" fq-account edit-bank physics --max-core-hours=0
  MASK='s/asks for [0-9.]+/asks for N/; s/ƒ[1-9A-Za-z]+/JOB/g'
  told="bank 'physics' has used 0.0 of 0 core-hours this month, and it asks for N, for it has no time limit, and counts until the month ends"
  check 0 "JOB
fq-submit: job JOB waits: $told
exit 0" "" "$PYTHON" "$TESTS_DIR/terminal.py" 120 fq-submit true
  endless=$(fq-job last)
  check 0 "JOB: $told
JOB: it is the next job in the queue" "" fq-job why "$endless"
  check 0 "$told" "" fq-jobs -n -o '{contextual_info}' "$endless"
  check 0 "" "" fq-account edit-bank physics --max-core-hours=1
  check 0 "" "" timeout "$LIMIT" fq-run -t 1m true
}

@test "limits of a quality of service, and of users in a queue" {
  config '[qos.long]' 'limits.max-running-jobs = 1' 'per-association.max-active-jobs = 2' \
    '[queues.batch]' 'policy.limits.per-association = { max-cores = 3 }' '[queues.debug]' \
    '[policy]' 'jobspec.defaults.system.queue = "debug"'
  a=$(fq-submit --qos=long sleep 600) b=$(fq-submit --qos=long sleep 600)
  fq-job wait-event "$a" start >/dev/null
  check 0 "JOB: QoS 'long' has 1 running job, at most 1 may run
JOB: it is the next job in the queue" "" fq-job why "$b"
  refuses 1 "fq-submit: user '$ME' in QoS 'long' has 2 active jobs already, at most 2 may be active" fq-submit --qos=long true
  refuses 1 "fq-submit: its user in queue 'batch' may have 3 cores in use at most, and it asks for 4" fq-submit -q batch -n 4 true
  check 0 "batch 0-3" "" fq-queue list -n -q batch -o '{queue} {limits.range.ncores}'
  # Whole nodes count with all that they have.
  refuses 1 "fq-submit: its user in queue 'batch' may have 3 cores in use at most, and it asks for 4" fq-submit -q batch -N 1 -x true
  fq-cancel --all >/dev/null
  printf '[qos.long]\nlimits.max-runing-jobs = 1\n' >fq.toml
  refuses 1 "fq-config: fq.toml:2: qos.long.limits: there is no limit 'max-runing-jobs': expected one of max-running-jobs, max-active-jobs, max-nodes, max-cores, max-gpus, max-core-hours (did you mean 'max-running-jobs'?)" fq-config load fq.toml
}

@test "a job that waits and asks for more than a lowered limit allows keeps nobody waiting" {
  local large
  add_some
  fq-queue stop --quiet
  large=$(fq-submit -B optics -n3 true)
  check 0 "" "" fq-account edit-bank optics --max-cores=2
  fq-queue start --quiet
  check 0 "" "" timeout "$LIMIT" fq-run -B optics -n2 true
  check 0 "JOB: bank 'optics' has 0 cores in use, at most 2 may be, and it asks for 3
JOB: it is the next job in the queue" "" fq-job why "$large"
  fq-cancel "$large"
}

@test "shares are exported as they are" {
  add_some
  fq-account edit-bank optics --shares=1e-7
  fq-account export --banks - | grep -q '^optics,1,[a-z]*,1e-07,'
  refuses 2 "fq-account: --at: '1960-01-01' is before 1970" fq-account charge ada biology --core-seconds=1 --at 1960-01-01
}

@test "show-usage draws who has used the most, clear-usage begins anew" {
  add_some
  config '[accounting]' 'half-life = "0"'
  fq-account charge ada biology --core-seconds=1000
  fq-account charge "$ME" optics --core-seconds=500 --gpu-seconds=10
  check 0 "ada / biology | $(printf '█%.0s' {1..50})        1000.00" "" \
    fq-account show-usage associations --limit=1
  fq-account show-usage banks >bars
  expect "root biology physics optics" "$(cut -d' ' -f1 bars | xargs)"
  refuses 2 "fq-account: usage of 'bank'? expected associations or banks (did you mean 'banks'?)" \
    fq-account show-usage bank
  refuses 1 "fq-account: bank 'physic' does not exist (did you mean 'physics'?)" fq-account clear-usage biology physic
  expect 1500 "$(fq-account view-bank -t --json | jq_of usage)"
  check 0 "" "" fq-account clear-usage physics
  expect 1000 "$(fq-account view-bank -t --json | jq_of usage)"
  expect 0 "$(fq-account bank-info -T physics -P -n | cut -d'|' -f5 | sort -u | xargs printf '%.0f')"
  # What was used in all stays.
  expect 500 "$(fq-account view-bank physics --json | "$PYTHON" -c 'import json, sys; print(round(json.load(sys.stdin)["banks"][0]["total_seconds"]["core"]))')"
  check 0 "checked 0 jobs: sound" "" fq-fsck
}

@test "bank-info shows one's banks, trees of banks, and the way to the root" {
  add_some
  config '[accounting]' 'half-life = "0"'
  check 0 "optics|$ME|1|0.750000|0.0|0.000000|1.000000" "" "$FQ_BIN_DIR/fq-account" bank-info -P -n
  check 0 "biology|ada|1|0.166667|0.0|0.000000|1.000000" "" fq-account bank-info -P -n -u ada
  check 0 "root||1|1.000000|0.0|0.000000|1.000000
 biology||1|0.250000|0.0|0.000000|1.000000
 physics||3|0.750000|0.0|0.000000|1.000000
  optics||1|0.750000|0.0|0.000000|1.000000" "" fq-account bank-info -T root -P -n
  check 0 "physics||3|0.750000|0.0|0.000000|1.000000
 optics||1|0.750000|0.0|0.000000|1.000000
 optics|$ME|1|0.750000|0.0|0.000000|1.000000" "" sh -c 'fq-account bank-info -t physics -P -n | sed "s/^  optics/ optics/"'
  check 0 "root||1|1.000000|0.0|0.000000|1.000000
physics||3|0.750000|0.0|0.000000|1.000000
optics||1|0.750000|0.0|0.000000|1.000000" "" fq-account bank-info -r optics -P -n
  check 0 "root||1|1.000000|0.0|0.000000|1.000000
 biology||1|0.250000|0.0|0.000000|1.000000" "" fq-account bank-info -T root -P -n -x physics
  refuses 2 "fq-account: of --tree, --tree-no-users, --to-root and --user one can be given" \
    fq-account bank-info -t root -u ada
  refuses 1 "fq-account: user 'eve' is in no bank" fq-account bank-info -u eve
}
