#!/usr/bin/env bats
# What scripts rely on, of every command: an output that cannot be written is a failure, a reader that went away is not
# worth a word, and the C locale gets ASCII.

load helper

setup() {
  make_store 1:2
  ENDED=$(fq-submit sh -c 'echo text; cat /dev/null')
  HELD=$(fq-submit --urgency=hold --job-name=waits true)
  DEPENDING=$(fq-submit --dependency=afterok:"$HELD" true)
  ended "$ENDED"
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
fq-job eventlog $ENDED
fq-job eventlog -F $ENDED
fq-job hostpids --help
fq-job id $ENDED
fq-job info $ENDED jobspec
fq-job last
fq-job status -j $ENDED
fq-job taskmap $ENDED
fq-job timeleft $ENDED
fq-job wait-event $ENDED clean
fq-job why $HELD
fq-queue list
fq-queue status
fq-resource list
fq-resource R
fq-submit --dry-run --env=-* true
fq-bulksubmit --dry-run --env=-* true ::: 1 2
fq-batch -n1 --dry-run --env=-* --wrap true
fq-R encode
fq-hostlist -e a[1-3]
COMMANDS
}

@test "output that cannot be written is an error of every command" {
  # A full device and a closed stdout: code 1, and one line that says why.
  local line name
  while read -r line; do
    name=${line%% *}
    refuses 1 "$name: standard output: No space left on device" sh -c "$line >/dev/full"
    refuses 1 "$name: standard output: Bad file descriptor" sh -c "$line >&-"
  done < <(printing)
}

@test "a reader that goes away ends every command without a word" {
  # 141, as SIGPIPE would; the reader is gone before the command starts (with lastpipe nobody else holds its end).
  local line
  mkfifo gone
  while read -r line; do
    check 0 "$line: 141" "" bash -O lastpipe -c "{ read -r x <gone; $line; echo \"$line: \$?\" >code; } | { exec <&-; echo >gone; }; cat code"
  done < <(printing)
}

@test "what was done stays done when its answer cannot be written" {
  # The job is stored, and the error says which it is.
  MASK='s/job ƒ[^)]*/job ID/' refuses 1 "fq-submit: standard output: No space left on device (submitted job ID)" sh -c 'fq-submit --urgency=hold --job-name=unsaid true >/dev/full'
  check 0 "unsaid" "" fq-jobs -n --name=unsaid -o '{name}'
}

@test "closed stdin and stderr do no harm" {
  # What is opened later never takes their place.
  local line
  while read -r line; do
    expect "$($line </dev/null | sed -E 's/[0-9.]+m?s /T /')" "$(sh -c "exec $line <&- 2>&-" | sed -E 's/[0-9.]+m?s /T /')"
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
