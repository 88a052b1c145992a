#!/usr/bin/env bats
# What scripts rely on, of every command: an output that cannot be written is a failure, a reader that went away is not
# worth a word, an interrupt ends at once what waits, and the C locale gets ASCII. A command that is in none of the lists
# below fails a test.

load helper

setup() {
  make_store 1:2
  ENDED=$(fq-submit sh -c 'echo text; cat /dev/null')
  HELD=$(fq-submit --urgency=hold --job-name=waits true)
  DEPENDING=$(fq-submit --dependency=afterok:"$HELD" true)
  ended "$ENDED"
  echo text | fq-job data "$ENDED" trace -
  fq-submit --dry-run true >job.json
  fq-R encode -H fqtest >R.json
  cat R.json R.json >twice.json
  (cat R.json && fq-R encode -r 1 -H other) >both.json
  printf '[queues.batch]\n' >queues.toml
  echo '{"factors": {"qos": 1}}' >factors.json
  echo '{"bank": "root", "children": [{"user": "ada"}]}' >tree.json
  echo "1 0 -1 9 1 -1 -1 1 9 -1 1 1 1 -1 1 -1 -1 -1" >one.swf
}

# Commands that print on stdout and change nothing, a line each.
printing() {
  cat <<COMMANDS
fq
fq --version
fq-jobs
fq-jobs -a --json
fq-jobs --stats-only
fq-jobs -o help
fq-jobs --help
fq-pgrep waits
fq-job --help
fq-job attach $ENDED
fq-job data $ENDED trace
fq-job eventlog $ENDED
fq-job eventlog -F $ENDED
fq-job hostpids --help
fq-job id $ENDED
fq-job info $ENDED jobspec
fq-job last
fq-job status -j $ENDED
fq-job taskmap $ENDED
fq-job timeleft $ENDED
fq-job uri --help
fq-job wait-event $ENDED clean
fq-job why $HELD
fq-queue list
fq-queue status
fq-priority show
fq-priority weights
fq-priority simulate --weight qos=1
fq-priority compute factors.json
fq-priority fair-share tree.json
fq-sched check --help
fq-account list-banks
fq-account list-users
fq-account list-projects --json
fq-account view-project --help
fq-account list-queues
fq-account view-queue --help
fq-account view-bank --help
fq-account view-usage-report
fq-account show-usage --help
fq-account bank-info --help
fq-report --metrics
fq-report --csv
fq-account export --help
fq-account view-user --help
fq-resource list
fq-resource R
fq-resource info
fq-resource status
fq-resource drain
fq-resource reservations
fq-housekeeping list
fq-exec -n echo text
fq-resource who --at=0 node0
fq-config show
fq-config get --default=none queues
fq-config check --R R.json queues.toml
fq-cancel --all -n
fq-update -n $HELD name=other
fq-job submit --dry-run job.json
fq-fsck
fq-log
fq-uptime
fq-top -b
fq-submit --dry-run --env=-* true
fq-bulksubmit --dry-run --env=-* true ::: 1 2
fq-batch -n1 --dry-run --env=-* --wrap true
fq-alloc -n1 --dry-run --env=-* true
fq-R encode
fq-R parse-config --help
fq-hostlist -e a[1-3]
fq-sim --nodes 1:1 one.swf
COMMANDS
}

# The same, of commands that read documents.
reading() {
  printf '%s\n' "fq-R "{decode,union,append,remap,"rerank fqtest","set-property big"}" <R.json" \
    "fq-R intersect <twice.json" "fq-R union <twice.json" "fq-R diff <both.json"
}

# Commands that print and change something, and what jobs have that they submit.
acting() {
  cat <<COMMANDS
fq-submit --urgency=hold true
fq-bulksubmit --urgency=hold true ::: 1 2
fq-batch -n1 --urgency=hold --wrap true
fq-job submit --urgency=hold job.json
fq-alloc --bg -n1 true
fq-run echo text
fq-queue stop
fq-queue start
fq-queue disable -m word
fq-queue enable
fq-resource reserve 1 --duration=1ms
fq-job killall -f
fq-job raiseall -f -s 7 note
fq-job purge --num-limit=99 -f
fq-init --force --store $WORK/new --test-nodes 1:1
rm -f $WORK/one.dump; fq-dump $WORK/one.dump
rm -rf $WORK/restored $WORK/two.dump; fq-dump --quiet $WORK/two.dump; fq-restore --store $WORK/restored $WORK/two.dump
fq-submit --quiet --urgency=hold --job-name=victim true; fq-pkill victim
COMMANDS
}

# Commands that wait, a line each.
waiting_commands() {
  cat <<COMMANDS
fq-job wait $HELD
fq-job wait --all
fq-job status $HELD
fq-job wait-event $HELD clean
fq-job eventlog -F $HELD
fq-job attach $HELD
fq-queue drain
fq-queue idle
COMMANDS
}

# Commands that print nothing when all went well.
silent() {
  cat <<COMMANDS
fq-job kill
fq-job raise
fq-job urgency
fq-job memo
fq-job hostpids
fq-config load
fq-resource undrain
fq-housekeeping kill
fq-resource cancel-reservation
fq-resource reload
fq-R verify
fq-sched serve
fq-priority update
fq-account add-bank
fq-account edit-bank
fq-account delete-bank
fq-account add-user
fq-account edit-user
fq-account delete-user
fq-account add-queue
fq-account edit-queue
fq-account delete-queue
fq-account add-project
fq-account edit-project
fq-account delete-project
fq-account charge
fq-account clear-usage
fq-account import
fq-account pop
COMMANDS
}

@test "every command and sub-command is in one of the lists" {
  # As the help pages name them.
  local name sub all
  all=$(printing; reading; acting; waiting_commands; silent)
  for name in $(fq | sed -En 's/^  ([a-zA-Z, ]*[a-zA-Z])  .*/\1/p' | sed 's/, /\n/g' | sed 's/^/fq-/'); do
    for sub in $("$name" --help | sed -En '/^Commands/,$s/^  ([a-zA-Z, -]*[a-zA-Z])  .*/\1/p' | sed 's/, /\n/g'); do
      grep -Eq "^$name $sub( |\$)" <<<"$all" || expect "" "$name $sub"
    done
    grep -Eq "(^|; )$name( |\$)" <<<"$all" || expect "" "$name"
  done
}

@test "output that cannot be written is an error of every command" {
  # A full device and a closed stdout: code 1, and one line that says why.
  local line name
  while read -r line; do
    name=${line%% *}
    refuses 1 "$name: standard output: No space left on device" sh -c "$line >/dev/full"
    refuses 1 "$name: standard output: Bad file descriptor" sh -c "$line >&-"
  done < <(printing; reading)
}

@test "a reader that goes away ends every command without a word" {
  # 141, as SIGPIPE would; the reader is gone before the command starts (with lastpipe nobody else holds its end).
  local line
  mkfifo gone
  while read -r line; do
    check 0 "$line: 141" "" bash -O lastpipe -c "{ read -r x <gone; $line; echo \"$line: \$?\" >code; } | { exec <&-; echo >gone; }; cat code"
  done < <(printing; reading)
}

@test "what acts says in one line that its answer cannot be written" {
  # Code 1 and one line; an id that could not be told is in it. A reader that is gone is worth no word, and 141.
  local line name
  mkfifo gone
  MASK='s/ \(submitted .*\)$//; s/job ƒ[^ ]* was submitted and goes on: //'
  while read -r line; do
    name=${line##*; }
    name=${name%% *}
    rm -rf new
    refuses 1 "$name: standard output: No space left on device" sh -c "$line >/dev/full"
    rm -rf new
    refuses 1 "$name: standard output: Bad file descriptor" sh -c "$line >&-"
    rm -rf new
    check 0 "$line: 141" "" bash -O lastpipe -c "{ read -r x <gone; $line; echo \"$line: \$?\" >code; } | { exec <&-; echo >gone; }; cat code"
  done < <(acting)
  for line in "fq-batch -n1 --wrap" "fq-job submit"; do
    name=${line%% *}
    [[ $line == *submit ]] && line+=" job.json" || line+=" true"
    MASK='s/job ƒ[^)]*/job ID/' refuses 1 "$name: standard output: No space left on device (submitted job ID)" sh -c "$line >/dev/full"
  done
}

@test "wrong formats and sort keys are told without a store" {
  # Every listing reads them before it looks for one.
  local line name
  while read -r line; do
    name=${line%% *}
    FQ_STORE=$PWD/nosuch refuses 2 "$name: format: character 2: unknown field 'nme'" $line -o '{nme}'
    FQ_STORE=$PWD/nosuch refuses 2 "$name: sort key 'nme': no such field" $line --sort=nme
  done <<COMMANDS
fq-queue list
fq-priority show
fq-resource list
fq-resource status
fq-resource drain
COMMANDS
  for line in fq-jobs "fq-pgrep ." "fq-resource who node0"; do
    name=${line%% *}
    FQ_STORE=$PWD/nosuch refuses 2 "$name: format: character 2: unknown field 'nme' (did you mean 'name'?)" $line -o '{nme}'
    FQ_STORE=$PWD/nosuch refuses 2 "$name: sort key 'nme': no such field (did you mean 'name'?)" $line --sort=nme
  done
  FQ_STORE=$PWD/nosuch refuses 2 "fq-resource: there is no state 'fre' (valid states: free, allocated, down, up, all)" fq-resource list -s fre
}

@test "an interrupt ends what waits, and changes nothing" {
  # At once, with the signal's code and without a word beyond why the job waits; the jobs stay as they are.
  local line signal pid code
  fq-submit --quiet --urgency=hold --flags=waitable true
  submit_held job >/dev/null
  running job
  while read -r line; do
    for signal in INT TERM HUP; do
      # shellcheck disable=SC2086
      env --default-signal="$signal" $line </dev/null >out 2>err &
      pid=$!
      waiting "$pid"
      kill -s "$signal" "$pid"
      code=0
      wait "$pid" || code=$?
      expect "$line: $((128 + $(kill -l "$signal"))) " "$line: $code $(sed '/ waits: it is held: its urgency is 0$/d' err)"
    done
  done < <(waiting_commands)
  expect "S" "$(fq-jobs -n -o '{status_abbrev}' "$HELD")"
  release job
}

@test "what was done stays done when its answer cannot be written" {
  # The job is stored, and the error says which it is.
  MASK='s/job ƒ[^)]*/job ID/' refuses 1 "fq-submit: standard output: No space left on device (submitted job ID)" sh -c 'fq-submit --urgency=hold --job-name=unsaid true >/dev/full'
  check 0 "unsaid" "" fq-jobs -n --name=unsaid -o '{name}'
}

@test "closed stdin and stderr do no harm" {
  # What is opened later never takes their place.
  local line TIMES='s/[0-9]{2}:[0-9]{2}:[0-9]{2}/T/; s/[0-9.]+m?s?([ ,])/T\1/; s/(utilisation_ratio[, ]+).*/\1T/'
  while read -r line; do
    expect "$($line </dev/null | sed -E "$TIMES")" "$(sh -c "exec $line <&- 2>&-" | sed -E "$TIMES")"
  done < <(printing | grep -v -e '-F')
}

@test "in the C locale fq writes ASCII" {
  # Help pages, listings, reasons and errors; documents are as they are stored.
  local line
  while read -r line; do
    expect "$line: " "$line: $(LC_ALL=C $line 2>&1 </dev/null | LC_ALL=C grep -P '[^\x00-\x7f]')"
  done < <(
    printing | grep -v eventlog
    for name in submit bulksubmit batch run update cancel jobs pgrep pkill 'job info' 'job attach'; do echo "fq-$name --help"; done
    echo fq-jobs -o deps
    echo fq-job why 123
    echo fq-cancel 123
    echo fq-submit --dependency=afterok:123 true
  )
  LC_ALL=C check 0 "depends:after-success=f${HELD#ƒ}" "" fq-jobs -n -o '{contextual_info}' "$DEPENDING"
  check 0 "depends:after-success=$HELD" "" fq-jobs -n -o '{contextual_info}' "$DEPENDING"
}

@test "listings are the same in every pipe" {
  # Neither the size of a terminal elsewhere nor colours of the environment change a byte.
  local plain
  plain=$(fq-jobs -a)
  expect "$plain" "$(COLUMNS=30 LINES=3 TERM=xterm-256color fq-jobs -a)"
  expect "$plain" "$(NO_COLOR=1 TERM=dumb fq-jobs -a)"
}
