#!/usr/bin/env bats
# Words that users choose, names, notes, reasons, files, reach a terminal cleaned, wherever they are printed: they
# cannot steer it, forge a line, or stand in another order than they were written.

load helper

# Marks that no output of fq holds (words.py): escape sequences, controls, overrides, a line of its own.
BAD=$'x\e]0;t\a\u009b1m\u009dy\u202ez\u2066w\u2028v\nFORGED\rFORGED'
# The same as messages show it.
SHOWN='x\x1b]0;t\x07\xc2\x9b1m\xc2\x9dy\xe2\x80\xaez\xe2\x81\xa6w\xe2\x80\xa8v\nFORGED\x0dFORGED'

setup() {
  make_store 1:4
}

# harmless: the commands of standard input, a line each, print none of it.
harmless() { expect "" "$(BAD=$BAD "$PYTHON" "$TESTS_DIR/words.py")"; }

@test "reasons of queues and nodes" {
  # In status, in why, and where they refuse a submission.
  local id
  fq-queue stop --quiet -m "$BAD"
  id=$(fq-submit true)
  fq-queue disable --quiet -m "$BAD"
  fq-resource drain node0 "$BAD"
  harmless <<COMMANDS
fq-queue status
tty fq-queue status -v
fq-queue list
fq-queue stop -m "\$BAD"
fq-queue disable -m "\$BAD"
fq-submit true
tty fq-run true
fq-job why $id
tty fq-jobs
fq-jobs -o '{id} {contextual_info} {annotations.sched.reason_pending}'
fq-jobs --json
fq-job why --json $id
fq-queue status --json
fq-resource drain
fq-resource status
fq-resource drain node0 again
fq-resource drain "\$BAD" again
COMMANDS
  check 0 "Job submission is disabled: $SHOWN
Scheduling is stopped: $SHOWN" "" fq-queue status
  refuses 1 "fq-submit: job submission is disabled: $SHOWN" fq-submit true
}

@test "notes of exceptions" {
  # In listings, in what waits for the job, and in its log.
  local id run
  id=$(fq-submit --urgency=hold --flags=waitable true)
  fq-cancel -m "$BAD" "$id"
  harmless <<COMMANDS
fq-job status -v $id
tty fq-job attach $id
fq-job attach -vvv $id
tty fq-job wait -v $id
fq-job eventlog $id
tty fq-job eventlog -H $id
fq-job eventlog --format=json $id
fq-job wait-event -v $id clean
fq-job wait-event $id exception
fq-job info $id eventlog
fq-job why $id
fq-jobs -a
fq-jobs -a -o '{inactive_reason} {exception.note}'
fq-jobs -a --json
fq-job status --json $id
fq-job raise -t note -m "\$BAD" $id
fq-job raise -t "\$BAD" $id
fq-job raiseall -f "\$BAD"
COMMANDS
  check 1 "" "fq-job: $id: canceled: $SHOWN" fq-job status -v "$id"
  check 1 "" "fq-job: canceled: $SHOWN" fq-job attach "$id"
}

@test "names, programs, directories, notes and files of jobs" {
  # Of one that waits and of one that failed.
  local id failed
  id=$(fq-submit --urgency=hold --job-name="$BAD" --setattr=system.project="$BAD" --cwd=/tmp --output="/tmp/none/$BAD" true)
  fq-job memo "$id" note="$BAD" "$BAD=1"
  failed=$(fq-submit --job-name="$BAD" "$WORK/$BAD")
  ended "$failed"
  harmless <<COMMANDS
tty fq-jobs
fq-jobs -o '{id} {name} {project} {user.note} {annotations.user} {cwd}'
fq-jobs --json
fq-jobs -a -o long
fq-jobs -a -o endreason
fq-pgrep -o '{name}' .
fq-pgrep --json .
fq-pgrep "(\$BAD"
fq-job eventlog -H $id
fq-job eventlog $failed
fq-job status -v $failed
fq-job attach -vvv $failed
fq-job info $id "\$BAD"
fq-job wait-event $failed "\$BAD"
fq-job last "\$BAD"
fq-job why "\$BAD"
fq-jobs "\$BAD"
fq-jobs -o "\$BAD{nme}"
fq-jobs -f "\$BAD"
fq-jobs -u "\$BAD"
fq-jobs -q "\$BAD"
fq-resource who node0 --at=-1s
fq-update $id "\$BAD=1"
fq-update -v $id "attributes.system.\$BAD=1"
fq-update -n $id name="\$BAD"
fq-job urgency "\$BAD" 1
COMMANDS
}

@test "what is asked of commands that submit" {
  # Options, programs and inputs, refused or told of.
  harmless <<COMMANDS
tty fq-run "\$BAD"
fq-run --cwd="/tmp/\$BAD" true
fq-run --output="/tmp/none/\$BAD" true
fq-run --input="/tmp/none/\$BAD" true
fq-run --dependency="\$BAD" true
fq-run --requires="\$BAD" true
fq-run --begin-time="\$BAD" true
fq-run --queue="\$BAD" true
fq-run -o "\$BAD=1" true
fq-run --setattr="\$BAD" true
fq-run "--\$BAD" true
fq-run --env=-/"\$BAD(/" true
fq-batch --dry-run "\$BAD"
fq-batch -v --dry-run --wrap "\$BAD"
fq-bulksubmit -v --dry-run "\$BAD{}" ::: "\$BAD"
fq-bulksubmit -v --watch "\$BAD{}" ::: "\$BAD"
fq "\$BAD"
fq-job "\$BAD"
fq-config check "\$BAD"
fq-hostlist "\$BAD"
fq-R encode -H "\$BAD"
COMMANDS
}

@test "properties, stores and configurations" {
  # A store at such a place, nodes with such properties.
  fq-R encode -H fqtest | fq-R set-property plain:0 | sed 's/plain/p\\u001b]q\\u0007\\u009b\\u202e\\nFORGED/' >R.json
  printf '[queues."q\\u009b\\u202e"]\n' >queues.toml
  harmless <<COMMANDS
fq-R decode --short --nodelist <R.json
fq-R decode <R.json
fq-init --store "$WORK/new\$BAD" --R R.json
fq-resource --store "$WORK/new\$BAD" list -o '{properties}'
fq-resource --store "$WORK/new\$BAD" R
fq-jobs --store "$WORK/new\$BAD"
fq-jobs --store "$WORK/other\$BAD"
fq-submit --store "$WORK/new\$BAD" --requires="\$BAD" true
fq-config --store "$WORK/new\$BAD" check queues.toml
fq-config --store "$WORK/new\$BAD" load queues.toml
fq-config --store "$WORK/new\$BAD" load --force queues.toml
fq-queue --store "$WORK/new\$BAD" list
fq-queue --store "$WORK/new\$BAD" status
fq-submit --store "$WORK/new\$BAD" --queue=nosuch true
fq-jobs --store "$WORK/new\$BAD" -q "\$BAD"
COMMANDS
  rm -rf "$WORK/new$BAD"
}
