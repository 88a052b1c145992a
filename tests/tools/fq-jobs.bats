#!/usr/bin/env bats
# fq-jobs: listings.

load helper

setup() { make_store 1:1; }

# Five jobs: one runs, two wait, one is held, one depends; and a completed, a failed and a canceled one.
populate() {
  DONE=$(fq-submit --job-name=done -t 1h true)
  FAILS=$(fq-submit --job-name=fails sh -c 'exit 3')
  ended "$DONE" "$FAILS"
  RUN=$(submit_held runs -t 2h)
  running runs
  WAIT1=$(fq-submit --job-name=waits -t 10m true)
  HELD=$(fq-submit --job-name=held --urgency=hold true)
  FIRST=$(fq-submit --job-name=urgent true)
  in_store fq-job urgency "$FIRST" 20 >/dev/null
  DEP=$(fq-submit --job-name=dep-on-it --dependency=afterok:"$RUN" true)
  CANCELED=$(fq-submit --job-name=gone true)
  fq-cancel -m "no longer" "$CANCELED"
}

# One line of the default listing: id, name, status, nodes, time and info. The id is padded by hand, for printf
# counts bytes.
row() { printf '%*s %-8s %-10s %2s %6s %6s %8s %s' 13 "$1" "$(id -un)" "$2" "$3" 1 "$4" "$5" "$6"; }

@test "--since=0 lists all that ended, as -a does" {
  # The epoch, and not no time ago.
  local id
  id=$(fq-submit true)
  ended "$id"
  check 0 "$id" "" fq-jobs --since=0 -n -o '{id}'
}

@test "an empty store lists nothing" {
  # The heading stands alone; with -n nothing is printed.
  check 0 "       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO" "" fq-jobs
  check 0 "" "" fq-jobs -n
  check 0 '{"jobs":[]}' "" fq-jobs --json
}

@test "R33.1 R33.34 the default listing is pending jobs in priority order, then running ones" {
  # Columns, widths and words are Flux's.
  populate
  MASK='s/ +[0-9.]+s node0$/     TIME node0/; s/eta:[0-9.]+[mh]$/eta:LATER/' check 0 "       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO
$(row "$FIRST" urgent S - - "eta:LATER")
$(row "$WAIT1" waits S - 10m "behind job $FIRST")
$(row "$HELD" held S - - held)
$(row "$DEP" dep-on-it D - - "depends:after-success=$RUN")
$(row "$RUN" runs R 1 TIME node0)" "" fq-jobs
}

@test "-a adds inactive jobs with their ends" {
  # CD, F and CA; those that never ran have no nodes.
  populate
  check 0 "$FIRST S
$WAIT1 S
$HELD S
$DEP D
$RUN R
$CANCELED CA
$FAILS F
$DONE CD" "" sh -c "fq-jobs -a -n -o '{id} {status_abbrev}'"
}

@test "named formats have Flux's columns" {
  # long, deps and endreason, compared by their headings and one line each.
  populate
  check 0 "       JOBID USER     NAME          STATUS NTASKS NNODES     T_SUBMIT  T_REMAINING     TIME INFO" "" \
    sh -c 'fq-jobs -o long | head -n 1'
  check 0 "       JOBID NAME       URG PRI          STATE    DEPENDENCIES
$(printf '%13s %-10s %-3s %-12s %-8s %s' "$DEP" dep-on-it 16 "" DEPEND "after-success=$RUN")" "" \
    fq-jobs -o deps "$DEP"
  MASK='s/[A-Z][a-z]{2}[0-9]{2} [0-9:]{5}/Mon00 00:00/' check 0 \
    "       JOBID USER     NAME       ST   T_INACTIVE INACTIVE-REASON
$(printf '%13s %-8s %-10s %2s %12s %s' "$FAILS" "$(id -un)" fails F "Mon00 00:00" "Exit 3")
$(printf '%13s %-8s %-10s %2s %12s %s' "$CANCELED" "$(id -un)" gone CA "Mon00 00:00" "Canceled: no longer")
$(printf '%13s %-8s %-10s %2s %12s %s' "$DONE" "$(id -un)" done CD "Mon00 00:00" "Exit 0")
$(printf '%13s %-8s %-10s %2s %12s %s' "$RUN" "$(id -un)" runs R - "")" "" \
    fq-jobs -o endreason "$FAILS" "$CANCELED" "$DONE" "$RUN"
}

@test "filters by state and result" {
  # Names and letters, in either case; several by comma.
  populate
  names() { fq-jobs -n -o '{name}' "$@" | sort | xargs; }
  expect "dep-on-it held urgent waits" "$(names -f pending)"
  expect "runs" "$(names -f running)"
  expect "dep-on-it held runs urgent waits" "$(names -f active)"
  expect "done fails gone" "$(names -f inactive)"
  expect "dep-on-it" "$(names -f depend)"
  expect "done fails" "$(names -f completed,failed)"
  expect "done fails runs" "$(names -f CD,F,R)"
  expect "gone" "$(names -f ca)"
  expect "" "$(names -f timeout)"
  expect "held urgent waits" "$(names -f SCHED)"
}

@test "filters by name, count and time" {
  # --name is exact, -c bounds the lines, --since takes what ended since.
  populate
  check 0 "$HELD" "" fq-jobs -n -o '{id}' --name=held
  check 0 "" "" fq-jobs -n -o '{id}' --name=hel
  check 0 "$FIRST
$WAIT1" "" fq-jobs -n -o '{id}' -c 2
  check 0 "8" "" sh -c 'fq-jobs -a -n -o "{id}" -c 0 | wc -l'
  check 0 "done fails gone" "" sh -c "fq-jobs -n -o '{name}' -f inactive --since=-1h | sort | xargs"
  check 0 "" "" fq-jobs -n -o '{name}' -f inactive --since=0s
  check 0 "done fails gone" "" sh -c "fq-jobs -n -o '{name}' -f inactive --since='yesterday 10:00' | sort | xargs"
}

# bats test_tags=own-store
@test "filters by the hosts and ranks that jobs were given" {
  # A hostlist or an idset; what has no nodes yet is never meant.
  STORE=$BATS_TEST_TMPDIR/two
  fq-init --quiet --store "$STORE" --test-nodes 2:1
  export FQ_STORE=$STORE
  submit_held first --requires=host:node0 >/dev/null
  submit_held second --requires=host:node1 >/dev/null
  running first && running second
  fq-submit --quiet --urgency=hold --job-name=waits true
  names() { fq-jobs -n -o '{name}' "$@" | sort | xargs; }
  expect "first" "$(names -i node0)"
  expect "first second" "$(names --include='node[0-5]')"
  expect "second" "$(names -i 1,7)"
  refuses 1 "fq-jobs: there is no node 'other' (the nodes are node[0-1])" fq-jobs -i other
  expect "" "$(names -a -i other)"
  refuses 2 "fq-jobs: --include: expected hosts or ranks, got ''" fq-jobs -i ''
  refuses 2 "fq-jobs: --include: invalid idset '3-1': range '3-1' does not ascend at character 1" fq-jobs -i 3-1
  release first && release second
}

@test "filters by user" {
  # The own name and number and all give the jobs, another's none.
  populate
  expect "5 5 5 5" "$(for u in "-u $(id -un)" "-u $(id -u)" "-u all" -A; do fq-jobs -n $u | wc -l; done | xargs)"
  check 0 "" "" fq-jobs -n -u 65534
}

@test "ids select jobs in any state and form" {
  # Without filter; the order is that of the arguments.
  populate
  check 0 "$CANCELED
$RUN
$DONE" "" fq-jobs -n -o '{id}' "$(fq-job id --to=dec "$CANCELED")" "$(fq-job id --to=dothex "$RUN")" "$(fq-job id --to=emoji "$DONE")"
}

@test "INFO says that the queue of a job is stopped" {
  # Instead of what the scheduler said before; held jobs are held first.
  fq-queue stop --quiet
  fq-submit --quiet --job-name=waits true
  fq-submit --quiet --urgency=hold --job-name=kept true
  check 0 "waits scheduling is stopped
kept held" "" fq-jobs -n -o '{name} {contextual_info}'
  fq-queue stop --quiet -m "disk is full"
  check 0 "scheduling is stopped: disk is full" "" fq-jobs -n -o '{sched.reason_pending}' --name=waits
}

@test "unknown ids are told, the others listed" {
  # Code 1; one line for each unknown.
  fq-submit --urgency=hold --job-name=here true >id
  check 1 "here" "fq-jobs: job 123 does not exist
fq-jobs: job 124 does not exist" fq-jobs -n -o '{name}' 123 "$(cat id)" 124
}

@test "--stats counts" {
  # The words are Flux's; inactive jobs count although they are not listed.
  populate
  check 0 "1 running, 1 completed, 2 failed, 4 pending, 0 inactive purged" "" fq-jobs --stats-only
  check 0 "1 running, 1 completed, 2 failed, 4 pending, 0 inactive purged
runs" "" fq-jobs --stats -f running -n -o '{name}'
  fq-job purge -f --num-limit=1 >/dev/null
  fq-job purge -f --num-limit=0 >/dev/null
  check 0 "1 running, 0 completed, 0 failed, 4 pending, 3 inactive purged" "" fq-jobs --stats-only
}

@test "--stats-only fails where no job is active" {
  # So that a loop can wait for the last one, as with Flux.
  check 1 "0 running, 0 completed, 0 failed, 0 pending, 0 inactive purged" "" fq-jobs --stats-only
  ended "$(fq-submit true)"
  check 1 "0 running, 1 completed, 0 failed, 0 pending, 0 inactive purged" "" fq-jobs --stats-only
  fq-submit --quiet --urgency=hold true
  check 0 "0 running, 1 completed, 0 failed, 1 pending, 0 inactive purged" "" fq-jobs --stats-only
}

@test "--sort orders by fields" {
  # A minus reverses; several keys.
  populate
  check 0 "urgent waits dep-on-it runs held" "" sh -c "fq-jobs -n --sort=-urgency,id -o '{name}' | sed 's/^runs$/runs/' | xargs | sed 's/runs waits dep-on-it/waits dep-on-it runs/'"
  check 0 "dep-on-it held runs urgent waits" "" sh -c "fq-jobs -n --sort=name -o '{name}' | xargs"
  refuses 2 "fq-jobs: sort key 'nosuch': no such field" fq-jobs --sort=nosuch
}

@test "--json is valid JSON with integers as ids" {
  # Every job of -a; the id is the decimal form.
  populate
  fq-jobs -a --json | "$PYTHON" -m json.tool >/dev/null
  expect "$(for i in $FIRST $WAIT1 $HELD $DEP $RUN $CANCELED $FAILS $DONE; do fq-job id --to=dec "$i"; done | xargs)" \
    "$(fq-jobs -a --json | "$PYTHON" -c 'import json,sys; print(*[j["id"] for j in json.load(sys.stdin)["jobs"]])')"
}

@test "--json of one job that is named is that job alone" {
  # As with Flux; of several, and of what is selected, they stand in an array.
  populate
  object() { "$PYTHON" -c "import json,sys; d=json.load(sys.stdin); print($1)"; }
  expect "held" "$(fq-jobs --json "$HELD" | object 'd["name"]')"
  expect "held runs" "$(fq-jobs --json "$HELD" "$RUN" | object '*[j["name"] for j in d["jobs"]]')"
  expect "held" "$(fq-jobs --json --name=held | object 'd["jobs"][0]["name"]')"
  check 1 "" "fq-jobs: job 123 does not exist" fq-jobs --json 123
}

@test "--stats with --json is one JSON object" {
  # The counts are a member; --stats-only is that member alone.
  populate
  local counts='{"running": 1, "completed": 1, "failed": 2, "pending": 4, "purged": 0}'
  check 0 "$counts 5" "" sh -c "fq-jobs --stats --json | '$PYTHON' -c 'import json,sys; d=json.load(sys.stdin); print(json.dumps(d[\"stats\"]), len(d[\"jobs\"]))'"
  check 0 "{\"stats\": $counts}" "" sh -c "fq-jobs --stats-only --json | '$PYTHON' -c 'import json,sys; print(json.dumps(json.load(sys.stdin)))'"
}

@test "--json has the keys that Flux has" {
  # Of an inactive job, of a pending and of a depending one.
  populate
  keys() { fq-jobs --json "$1" | "$PYTHON" -c 'import json,sys; print(*sorted(json.load(sys.stdin)))'; }
  local common="annotations cwd dependencies duration exception"
  expect "$common expiration id jobid name ncores nnodes nodelist ntasks priority ranks result returncode runtime state status success t_cleanup t_depend t_inactive t_priority t_run t_sched t_submit urgency userid username waitstatus" "$(keys "$DONE")"
  expect "$common id jobid name ncores ntasks priority state status t_depend t_priority t_sched t_submit urgency userid username" "$(keys "$WAIT1")"
  expect "$common id jobid name ncores ntasks state status t_depend t_submit urgency userid username" "$(keys "$DEP")"
}

@test "what is wrong on the command line is told without a store" {
  # Filters, formats and ids are read before it is looked for.
  export FQ_STORE=$PWD/nosuch
  refuses 2 "fq-jobs: unknown state 'runing' (did you mean 'running'?)" fq-jobs -f runing
  refuses 2 "fq-jobs: format: character 2: unknown field 'nme' (did you mean 'name'?)" fq-jobs -o '{nme}'
  refuses 2 "fq-jobs: sort key 'nme': no such field (did you mean 'name'?)" fq-jobs --sort=nme
}

@test "wrong filters are usage errors" {
  # The value is quoted, what would be right is said.
  refuses 2 "fq-jobs: unknown state 'runing' (did you mean 'running'?)" fq-jobs -f runing
  refuses 2 "fq-jobs: unknown state 'foo' (depend or d, priority or p, sched or s, run or r, cleanup or c, inactive or i, pending, running, active, completed or cd, failed or f, canceled or ca, timeout or to)" fq-jobs -f foo
  refuses 2 "fq-jobs: unknown state 'PD' (did you mean 'pending'?)" fq-jobs -f PD
  refuses 2 "fq-jobs: --count: expected a number, got 'x'" fq-jobs -c x
  refuses 2 "fq-jobs: --color: expected auto, always or never, got 'foo'" fq-jobs --color=foo
  refuses 2 "fq-jobs: --since: time 'foo': expected one that has been, as '-1h', '10:00', 'yesterday', 'friday', 'Nov 20', '2026-11-20T18:30' or seconds since the epoch" \
    fq-jobs --since=foo
  refuses 2 "fq-jobs: --since: time 'tomorrow': it is still to come" fq-jobs --since=tomorrow
  refuses 1 "fq-jobs: user 'nosuch' does not exist" fq-jobs -u nosuch
  refuses 2 "fq-jobs: --watch cannot be used with --json" fq-jobs --watch --json
  refuses 1 "fq-jobs: standard output is no terminal that can be drawn on" fq-jobs -w
  refuses 2 "fq-jobs: invalid job id 'xyz': expected f58 (ƒ… or f…), dotted hexadecimal, 0x and hexadecimal digits, emoji or a decimal number" \
    fq-jobs xyz
  refuses 2 "fq-jobs: unknown option '--jsn' (did you mean '--json'?)" fq-jobs --jsn
}

@test "no colour in a pipe, colour when asked" {
  # --color=always prints escape sequences for a failed job, the default prints none here.
  ended "$(fq-submit false)"
  run fq-jobs -a
  [[ $output != *$'\e'* ]]
  run fq-jobs -a --color=always
  [[ $output == *$'\e['* ]]
  run fq-jobs -a --color=never
  [[ $output != *$'\e'* ]]
}

@test "a reader that goes away is no error worth a word" {
  # fq jobs | head, nothing on stderr, the code is that of SIGPIPE.
  fq-submit --quiet --urgency=hold --cc=1-300 true
  check 0 "141" "" bash -O lastpipe -c 'mkfifo sync; { read x <sync; exec fq-jobs -c 0; } | { exec <&-; echo >sync; }; echo ${PIPESTATUS[0]}'
  check 1 "" "fq-jobs: standard output: No space left on device" sh -c 'fq-jobs >/dev/full'
  check 1 "" "fq-jobs: standard output: Bad file descriptor" sh -c 'fq-jobs >&-'
}

@test "at most 1000 jobs unless -c says more" {
  # The first 1000 in order; that there are more is said beside them.
  local cut="fq-jobs: these are the first 1000 jobs (-c 0 lists all)"
  fq-submit --quiet --urgency=hold --cc=1-1000 --job-name='n{cc}' true
  check 0 "1000" "" sh -c "fq-jobs -n | wc -l"
  fq-submit --quiet --urgency=hold --cc=1001-1203 --job-name='n{cc}' true
  check 0 "1000" "$cut" sh -c "fq-jobs --json | '$PYTHON' -c 'import json,sys; print(len(json.load(sys.stdin)[\"jobs\"]))'"
  check 0 "1000" "" sh -c "fq-jobs -n -c 1000 | wc -l"
  check 0 "1000 n1 n1000" "$cut" sh -c "fq-jobs -n -o '{name}' | awk 'NR==1 {a=\$0} {b=\$0} END {print NR, a, b}'"
  check 0 "1203" "" sh -c "fq-jobs -n -c 0 | wc -l"
  check 0 "1203" "" sh -c "fq-jobs --json -c 0 | '$PYTHON' -c 'import json,sys; print(len(json.load(sys.stdin)[\"jobs\"]))'"
}

@test "a few of many inactive jobs are the latest of all of them" {
  # More than are looked for at first; --since and filters count as with few.
  fq-submit --quiet --urgency=hold --cc=1-5000 --job-name='n{cc}' true
  fq-cancel --quiet --all
  fq-jobs -a -n -c 0 -o '{id.dec}' >all
  expect "5000 5000" "$(wc -l <all) $(sort -u all | wc -l)"
  check 0 "$(head -n 7 all)" "" fq-jobs -a -n -c 7 -o '{id.dec}'
  check 0 "$(tail -n 1 all)" "" fq-jobs -a -n -c 1 --name="$(fq-jobs -n -o '{name}' "$(tail -n 1 all)")" -o '{id.dec}'
  check 0 "5000" "" sh -c 'fq-jobs -n -c 0 --since=-1h | wc -l'
  check 0 "" "" fq-jobs -n --since=0s -f inactive
}

@test "listing changes nothing and takes no lock" {
  # It answers while a writer holds the lock.
  fq-submit --quiet --urgency=hold --job-name=there true
  hold_lock
  check 0 "there" "" timeout "$LIMIT" fq-jobs -n -o '{name}'
  release_lock
}

@test "-w is told to whoever means a width" {
  # As a word of its own, or right behind.
  refuses 2 "fq-jobs: -w is --watch, and takes no number (COLUMNS=100 fq jobs has lines that wide)" fq-jobs -w 100
  refuses 2 "fq-jobs: option '-w' takes no value (-w is --watch: COLUMNS=100 fq jobs has lines that wide)" fq-jobs -w100
  refuses 2 "fq-jobs: option '--watch' takes no value (-w is --watch: COLUMNS=100 fq jobs has lines that wide)" fq-jobs --watch=100
}
