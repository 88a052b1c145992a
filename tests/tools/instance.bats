#!/usr/bin/env bats
# The instance that a batch job has of its own: commands in its script work there, on the job's resources.

load helper

setup() { make_store 2:4:1; }

# in_batch SCRIPT [OPTION...]: what a batch job of the script prints, with ids as ID.
in_batch() {
  local script=$1 id
  shift
  id=$(fq-batch --output=out.txt "$@" --wrap <<<"exec 2>&1; $script")
  timeout "$LIMIT" fq-job status "$id" 2>/dev/null || [ $? != 124 ]
  sed -E 's/ƒ[1-9A-Za-z]+/ID/g' out.txt
}

@test "R20.20 a batch job's instance has the job's resources, re-ranked" {
  # The second node becomes rank 0; cores and GPUs keep their ids.
  fq-submit -N1 --job-name=first sleep 1000 >/dev/null
  expect '{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-2","gpu":"0"}}],"nodelist":["node1"]}}' \
    "$(in_batch 'fq-resource R | jq -c "del(.execution.starttime, .execution.expiration)"' -n1 -c3 -g1)"
  expect "3 0" "$(in_batch 'fq-resource list -n -s free -o "{ncores} {ngpus}"' -n3)"
}

@test "fq run in a batch job runs within it" {
  # Whatever else the outer store has to do: the batch job has it all.
  expect "0 of 8
1 of 8
2 of 8
3 of 8
4 of 8
5 of 8
6 of 8
7 of 8" "$(in_batch 'fq-run -n8 sh -c "echo \$FLUX_TASK_RANK of \$FLUX_JOB_SIZE" | sort' -n8)"
  # One job for the outer store.
  expect "1" "$(fq-jobs -a -n -o '{id}' | wc -l)"
}

@test "whatever a batch job runs costs the enclosing store one job" {
  # It has as many events whether two hundred jobs ran inside or none, and the store logs none. (bench/run --only inside: ten
  # thousand.)
  local id none log
  id=$(fq-batch -n8 --wrap <<<'fq-jobs')
  ended "$id"
  none=$(fq-job eventlog "$id" | wc -l)
  log=$(fq-log | wc -l)
  id=$(fq-batch -n8 --output=out.txt --wrap <<<'fq-submit --quiet --cc=1-200 true; fq-queue drain; fq-jobs -a -n -c 0 -f completed -o "{id}" | wc -l')
  ended "$id"
  expect 200 "$(cat out.txt)"
  expect 2 "$(fq-jobs -a -n -c 0 -o '{id}' | wc -l)"
  expect "$none $log" "$(fq-job eventlog "$id" | wc -l) $(fq-log | wc -l)"
}

@test "who moves the end of a batch job moves that of its instance and of what runs there" {
  # Of what has no limit of its own, or one that was cut short; and to an end that is nearer, too.
  local id uri
  mkfifo up go
  id=$(fq-batch -n4 -t 10m --output=none --wrap <<<'fq-submit --quiet sleep 1000; fq-submit --quiet -t 2h sleep 1000; fq-submit --quiet -t 5m sleep 1000; echo >up; read line <go')
  timeout "$LIMIT" cat up
  uri=$(fq-job uri "$id")
  left() { fq-jobs --store "$uri" -n -o '{expiration}' | "$PYTHON" -c 'import sys; print(*sorted(round((float(line) - float(sys.argv[1])) / 60) for line in sys.stdin))' "$(fq-jobs -n -o '{t_run}' "$id")"; }
  expect "5 10 10" "$(left)"
  in_store fq-update "$id" duration=1h
  has() { [ "$(left)" = "$1" ]; }
  until_true has "5 60 60"
  echo >go
  ended "$id"
}

@test "what is submitted into an instance from outside ends with the batch job" {
  # It is no child of the batch job's shell.
  local id uri
  mkfifo up go
  id=$(fq-batch -n2 --output=none --wrap <<<'fq-jobs >/dev/null; echo >up; read line <go')
  timeout "$LIMIT" cat up
  uri=$(fq-job uri "$id")
  fq --store "$uri" submit --quiet sh -c 'echo $$ >pid; echo >up; sleep 1000'
  timeout "$LIMIT" cat up
  echo >go
  ended "$id"
  processes gone "$(cat pid)"
}

@test "what is submitted into an instance from outside ends with a batch job whose shell is killed" {
  # Also what waits there: it is not started any more.
  local id uri script
  mkfifo up go
  id=$(fq-batch -n2 --output=none --wrap <<<'fq-jobs >/dev/null; echo >up; read line <go')
  timeout "$LIMIT" cat up
  uri=$(fq-job uri "$id")
  fq --store "$uri" submit --quiet -n2 sh -c 'echo $$ >pid; echo >up; sleep 1000'
  timeout "$LIMIT" cat up
  fq --store "$uri" submit --quiet sh -c 'echo >started; sleep 1000'
  script=$(fq-job hostpids "$id")
  script=${script##*:}
  kill -KILL "$(awk '{print $4}' "/proc/$script/stat")"
  ended "$id"
  processes gone "$(cat pid)"
  [ ! -e started ]
}

@test "jobs of an instance queue behind each other, and its end is the script's" {
  # Three jobs of two cores on four: their ids and ends are the instance's own.
  expect "2 R
1 S
CD CD CD " "$(in_batch '
    mkfifo go1 go2 go3
    fq-submit --quiet --cc=1-3 -c2 sh -c "read line <go\$FLUX_JOB_CC"
    fq-jobs -n -o "{status_abbrev}" | sort | uniq -c | sed "s/^ *//"
    for i in 1 2 3; do echo >go$i; done
    fq-queue drain
    fq-jobs -a -n -o "{status_abbrev}" | tr "\n" " "' -n4)"
}

@test "--outer and FQ_PARENT are the enclosing store" {
  expect "$STORE
$STORE
outside
same" "$(in_batch '
    echo "$FQ_PARENT"
    fq-run sh -c "echo \$FQ_PARENT"
    fq-run --outer echo outside
    [ "$(fq-jobs --outer -n -o "{id}")" = "$(fq-jobs --store "$FQ_PARENT" -n -o "{id}")" ] && echo same' -n1)"
  refuses 2 "fq-jobs: --outer: this is not inside an instance that another one encloses" fq-jobs --outer
}

@test "what would wait for the job itself is refused in its instance, too" {
  local own="this runs inside job ID, for whose end it would wait"
  expect "fq-job: $own
1
fq-queue: $own
1
fq-job: $own
1
0" "$(in_batch '
    outer=$FLUX_JOB_ID; export outer
    fq-job wait --outer "$outer"; echo $?
    fq-queue drain --outer; echo $?
    fq-run sh -c "exec 2>&1; fq-job wait --outer \$outer; echo \$?"
    fq-queue drain; echo $?' -n2)"
}

@test "instances nest" {
  expect "inner $STORE-like yes" "$(in_batch '
    id=$(fq-batch -n1 --output=inner.txt --wrap "fq-run sh -c \"echo inner\"; fq-jobs --outer -n -o {name}; [ \"\$FQ_PARENT\" = \"$FQ_STORE\" ] && echo yes")
    fq-job status "$id" 2>/dev/null
    tr "\n" " " <inner.txt | sed "s|fq-run|'"$STORE"'-like|; s| $||"' -n2)"
}

# bats test_tags=own-store
@test "what runs in an instance ends with the job" {
  # Canceled, or its shell killed: no process and no directory is left (the end of every test looks for them).
  local id
  printf 'fq-submit --cc=1-2 sh -c "setsid sleep 1000 & sleep 1000"\nfq-batch -n1 --wrap "fq-submit sleep 1000; echo >%s; sleep 1000"\nsleep 1000\n' "$WORK/up" >deep.sh
  mkfifo up
  id=$(fq-batch -n4 --wrap <deep.sh)
  timeout "$LIMIT" sh -c 'read line <up'
  fq-cancel "$id"
  ended "$id"
  expect CA "$(fq-jobs -a -n -o '{status_abbrev}' "$id")"
  id=$(fq-batch -n4 --wrap <deep.sh)
  timeout "$LIMIT" sh -c 'read line <up'
  kill -KILL "$(shell_of "$id")"
  ended "$id"
  expect F "$(fq-jobs -a -n -o '{status_abbrev}' "$id")"
  timeout "$LIMIT" sh -c 'while ls -d /tmp/"$0"-* >/dev/null 2>&1; do sleep 0.02; done' "fq-$(FLUX_F58_FORCE_ASCII=1 fq-job id "$id")"
}

@test "fq job uri and fq jobs -R look into instances from outside" {
  local id uri plain
  mkfifo up go
  id=$(fq-batch -n2 --job-name=outer --wrap <<<"fq-submit --quiet --job-name=inner sleep 1000; echo >$WORK/up; read line <$WORK/go")
  timeout "$LIMIT" sh -c 'read line <up'
  uri=$(fq-job uri "$id")
  expect inner "$(fq-jobs --store "$uri" -n -o '{name}')"
  check 0 "outer

$id:
inner" "" fq-jobs -R -n -o '{name}'
  # {uri} is what fq job uri says; in JSON what is inside a job stands in its object.
  plain=$(fq-submit --job-name=plain --urgency=hold true)
  check 0 "outer $uri $uri
plain  " "" sh -c "fq-jobs -n -o '{name} {uri} {uri.local}' | sort"
  check 0 "$(jq -nc --arg uri "$uri" '[["outer", $uri, ["inner"]], ["plain", null, null]]')" "" sh -c \
    "fq-jobs -R --json | jq -c '[.jobs | sort_by(.name)[] | [.name, .uri, (.jobs // null | if . then map(.name) else . end)]]'"
  check 0 "outer inner" "" sh -c "fq-jobs -R --json $id | jq -r '\"\\(.name) \\(.jobs[].name)\"'"
  check 0 "1 running, 0 completed" "" sh -c "fq-jobs -R --json --stats $id | jq -r '.jobs[0].stats | \"\\(.running) running, \\(.completed) completed\"'"
  # Of one whose instance has nothing that is asked for, an empty array.
  check 0 '["outer",[]]' "" sh -c "fq-jobs -R --json --name=outer | jq -c '.jobs[] | [.name, .jobs]'"
  fq-cancel "$plain"
  timeout "$LIMIT" sh -c 'echo >go'
  ended "$id"
  refuses 1 "fq-job: job $id does not run" fq-job uri "$id"
}

@test "a job that is no batch job, or has not used its instance, has none to look into" {
  local id
  submit_held plain >id
  running plain
  id=$(cat id)
  refuses 1 "fq-job: job $id has no instance (batch jobs have one, from the first command of fq in their script)" \
    fq-job uri "$id"
  release plain
  ended "$id"
}

@test "--conf configures the instance" {
  printf '[queues.a]\n[queues.b]\n[policy]\njobspec.defaults.system.queue = "a"\n' >site.toml
  expect "a
b" "$(in_batch 'fq-queue list -n -o "{queue}"' -n1 --conf=site.toml)"
  printf '[queues.a\n' >bad.toml
  check 1 "" "$(fq-config check bad.toml 2>&1 | sed 's/^fq-config:/fq-batch:/')" fq-batch -n1 --conf=bad.toml --wrap true
  # What its nodes make of it shows there.
  printf '[queues.a]\nhosts = "elsewhere"\n' >wrong.toml
  in_batch 'fq-jobs; echo $?' -n1 --conf=wrong.toml | tail -n 1 >code
  expect 1 "$(cat code)"
}

@test "an instance that is deleted under its jobs is named" {
  expect "fq-jobs: STORE
1" "$(in_batch 'fq-jobs >/dev/null; rm -rf "$FQ_STORE"; mkdir "$FQ_STORE"; echo x >"$FQ_STORE/file"; fq-jobs 2>&1 | sed "s/fq-jobs: .*instance.*/fq-jobs: STORE/"; fq-jobs >/dev/null 2>&1; echo $?' -n1)"
}

# bats test_tags=own-store
@test "jobs whose instance is deleted end with the job around it" {
  # Whatever they run: nothing is left of them, the enclosing store is none the worse, and the next instance is whole.
  local id
  mkfifo up go
  id=$(fq-batch -n4 --output=out.txt --wrap <<SH
exec 2>&1
fq-submit --quiet --cc=1-2 sh -c 'setsid sleep 1000 & echo >"$WORK/up"; sleep 1000'
read line <"$WORK/go"
rm -rf "\$FQ_STORE"
fq-jobs -n -o '{name}' && echo "made anew"
fq-run echo "runs again"
SH
)
  timeout "$LIMIT" sh -c 'exec 3<>up; read line <&3; read line <&3'  # one opening: what the other has written stays in it
  timeout "$LIMIT" sh -c 'echo >go'
  ended "$id"
  check 0 "CD" "" fq-jobs -n -o '{status_abbrev}' "$id"
  expect "made anew
runs again" "$(cat out.txt)"
  fq-fsck >/dev/null
}

@test "a batch job asks what time it has left, and is told where it is itself" {
  # It is a job of the store around its instance.
  cat >script <<'SH'
#!/bin/sh
# fq: -n1 -t 1h
fq-job timeleft
fq-job timeleft --outer
fq-job why $FLUX_JOB_ID
SH
  id=$(fq-batch --output=out script)
  ended "$id"
  MASK='s/^35[0-9]{2}$|^3600$/SECONDS/' check 0 "SECONDS
SECONDS
fq-job: job $id does not exist (this runs in it, in an instance of its own: --outer finds it)" "" cat out
}

@test "--dump keeps the instance in an archive" {
  # What ran in it can be looked at like any store; what had not ended has failed there. Without a name it has the job's.
  local id inner
  mkdir kept
  id=$(fq-batch -n2 --dump=kept/run-{{id.dec}}.tgz --wrap <<<'fq-run sh -c "echo written"; fq-submit --quiet -n2 tail -f /dev/null; fq-submit --quiet --urgency=hold head')
  ended "$id"
  check 0 "CD" "" fq-jobs -n -o '{status_abbrev}' "$id"
  expect "run-$(fq-job id "$id").tgz" "$(ls -A kept)"
  tar -C kept -xf "kept/run-$(fq-job id "$id").tgz"
  inner=$PWD/kept/run-$(fq-job id "$id")
  check 0 "head CA -128
sh CD 0
tail F 143" "" sh -c "fq-jobs --store '$inner' -a -n -o '{name} {status_abbrev} {returncode}' 2>/dev/null | sort"
  check 0 "written" "" sh -c "fq-job attach --store '$inner' \$(fq-jobs --store '$inner' -f completed -n -o '{id}')"
  check 0 "2" "" fq-resource list --store "$inner" -n -s free -o '{ncores}'
  fq-fsck --store "$inner" >/dev/null
  id=$(fq-batch -n1 --dump --wrap <<<'fq-jobs')
  ended "$id"
  tar tf "fq-$id-dump.tgz" >/dev/null
}

@test "an instance that cannot be kept is told of" {
  # The job's result stays; a name that is no archive's is refused.
  local id
  id=$(fq-batch -n1 --dump=missing/run.tgz --wrap <<<'fq-jobs')
  check 0 "" "" fq-job wait "$id"
  check 0 "dump 1" "" fq-jobs -n -o '{exception.type} {exception.severity}' "$id"
  id=$(fq-batch -n1 --dump=run.tgz --wrap <<<'true')
  ended "$id"
  fq-job why "$id" | grep -q "dump: the job's instance is not kept in 'run.tgz': no command of the job has used its instance"
  [ ! -e run.tgz ]
  refuses 2 "fq-batch: --dump: expected the name of an archive, as 'run.tgz' or 'run.tar.zst', got 'run'" fq-batch -n1 --dump=run --wrap true
  refuses 2 "fq-batch: --dump: there is no tag '{{nme}}' (did you mean 'name'?)" fq-batch -n1 --dump={{nme}}.tgz --wrap true
}
