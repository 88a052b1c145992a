#!/usr/bin/env bats
# fq-queue: the anonymous queue.

load helper

setup() { make_store 2:4:1; }

@test "R33.2 without configuration there is one queue without a name" {
  # Enabled and started; the columns are Flux's but for QUEUE.
  check 0 "Job submission is enabled
Scheduling is started" "" fq-queue status
  check 0 " EN ST TDEFAULT   TLIMIT     NNODES     NCORES      NGPUS
  ✔  ✔      inf      inf        0-2        0-8        0-2" "" fq-queue list
}

@test "status -v counts requests and running jobs" {
  # One runs, two wait.
  check 0 "Job submission is enabled
Scheduling is started
0 alloc requests queued
0 running jobs" "" fq-queue status -v
  submit_held job -N2 >id
  running job
  fq-submit --quiet --cc=1-2 true
  check 0 "Job submission is enabled
Scheduling is started
2 alloc requests queued
1 running jobs" "" fq-queue status -v
  release job
}

@test "R33.29 R33.30 R27.35 stop keeps pending jobs from starting, start starts them" {
  # A running job goes on; free resources stay free; start runs a pass.
  local id
  submit_held job >held
  running job
  check 0 "Scheduling is stopped: for the night" "" fq-queue stop -m "for the night"
  id=$(fq-submit true)
  check 0 "S R" "" sh -c "fq-jobs -n -o '{status_abbrev}' | xargs"
  check 0 "Job submission is enabled
Scheduling is stopped: for the night" "" fq-queue status
  check 0 " EN ST TDEFAULT   TLIMIT     NNODES     NCORES      NGPUS
  ✔  ✗      inf      inf        0-2        0-8        0-2" "" fq-queue list
  release job
  ended "$(cat held)"
  check 0 "S" "" fq-jobs -n -o '{status_abbrev}' "$id"
  check 0 "Scheduling is started" "" fq-queue start
  check 0 "" "" fq-job wait "$id"
  check 0 "Job submission is enabled
Scheduling is started" "" fq-queue status
}

@test "R33.28 disable refuses submissions, enable takes them again" {
  # The reason is said to whoever submits; pending jobs run on.
  check 0 "Job submission is disabled: maintenance" "" fq-queue disable -m maintenance
  refuses 1 "fq-submit: job submission is disabled: maintenance" fq-submit true
  check 0 "Job submission is disabled: maintenance
Scheduling is started" "" fq-queue status
  check 0 " EN ST TDEFAULT   TLIMIT     NNODES     NCORES      NGPUS
  ✗  ✔      inf      inf        0-2        0-8        0-2" "" fq-queue list
  check 0 "Job submission is enabled" "" fq-queue enable
  check 0 "" "" fq-job wait "$(fq-submit true)"
}

@test "disabling needs a reason" {
  # As in Flux.
  refuses 2 "fq-queue: disabling a queue needs a reason: -m REASON" fq-queue disable
  check 0 "Job submission is enabled
Scheduling is started" "" fq-queue status
}

@test "stop without a reason" {
  # The line ends with stopped.
  check 0 "Scheduling is stopped" "" fq-queue stop
  check 0 "Job submission is enabled
Scheduling is stopped" "" fq-queue status
}

@test "saying it twice changes nothing" {
  # Starting a started queue, enabling an enabled one; a second stop replaces the reason.
  check 0 "Scheduling is started" "" fq-queue start
  check 0 "Job submission is enabled" "" fq-queue enable
  fq-queue stop --quiet -m one
  check 0 "Scheduling is stopped: two" "" fq-queue stop -m two
}

@test "--quiet and --all" {
  # Nothing is printed; -a names all queues.
  check 0 "" "" fq-queue stop --quiet
  check 0 "" "" fq-queue start --quiet -a
  check 0 "Scheduling is stopped" "" fq-queue stop --all
}

@test "-n, -o, --json and help of list" {
  # Fields of the listing; JSON that parses.
  check 0 "  ✔  ✔      inf      inf        0-2        0-8        0-2" "" fq-queue list -n
  check 0 "✔|✔|0-8" "" fq-queue list -n -o '{enabled}|{started}|{limits.range.ncores}'
  fq-queue list --json | "$PYTHON" -m json.tool >/dev/null
  refuses 2 "fq-queue: format: character 2: unknown field 'nosuch'" fq-queue list -o '{nosuch}'
  refuses 2 "fq-queue: unknown format 'nosuch' (-o help lists formats and fields)" fq-queue list -o nosuch
  FQ_STORE=/nonexistent run fq-queue list -o help
  expect 0 "$status"
}

@test "the C locale gets ASCII marks" {
  # Where ids fall back to ASCII the marks do too.
  run fq-queue list
  LC_ALL=C run fq-queue list
  expect "" "$(LC_ALL=C grep -P '[^\x00-\x7f]' <<<"$output")"
}

@test "R33.25 queues that do not exist" {
  # Every verb refuses them.
  local verb
  for verb in start stop enable "disable -m x" status; do
    # shellcheck disable=SC2086
    refuses 1 "fq-queue: queue 'batch' does not exist: no queues are configured" fq-queue $verb batch
  done
}

@test "formats of one's own" {
  # From queue.toml, and resource.toml for all listings of fq resource; help has them; near names are suggested.
  mkdir -p "$HOME/.config/fq"
  printf '[formats.short]\nformat = "{enabled}{started}"\n' >"$HOME/.config/fq/queue.toml"
  printf '[formats.short]\nformat = "{state} {nnodes}"\n' >"$HOME/.config/fq/resource.toml"
  check 0 "✔✔" "" fq-queue list -n -o short
  fq-queue list -o help | grep -q '^  short '
  refuses 2 "fq-queue: unknown format 'shrt' (did you mean 'short'?)" fq-queue list -o shrt
  check 0 "avail 2" "" fq-resource status -n -o short
  check 0 "free 2" "" sh -c "fq-resource list -n -o short | head -1"
  fq-resource drain -o help | grep -q '^  short '
}

@test "wrong operands" {
  # Two queues, a queue and --all, no verb, an unknown verb.
  refuses 2 "fq-queue: unexpected operand 'b'" fq-queue stop a b
  refuses 2 "fq-queue: give a queue or --all, not both" fq-queue stop -a batch
  refuses 2 "fq-queue: 'all' stands for every queue and is none (--all: all queues)" fq-queue stop all
  refuses 2 "fq-queue: which command? (one of status, list, stop, start, disable, enable, drain, idle)" fq-queue
  refuses 2 "fq-queue: there is no command 'pause' (one of status, list, stop, start, disable, enable, drain, idle)" fq-queue pause
  refuses 2 "fq-queue: option '-m' needs a value: -m REASON" fq-queue stop -m
  refuses 2 "fq-queue: unknown option '-m'" fq-queue start -m x
}

@test "a stopped queue stays stopped over a job's end and new submissions" {
  # Neither a shell's last pass nor a submission starts anything.
  local id
  id=$(submit_held job)
  running job
  fq-queue stop --quiet
  fq-submit --quiet --cc=1-5 true
  release job
  ended "$id"
  check 0 "S S S S S" "" sh -c "fq-jobs -n -o '{status_abbrev}' | xargs"
  fq-queue start --quiet
}

@test "the commands that change queues tell of the others with -v" {
  # As status does; --quiet prints nothing.
  printf 'policy.jobspec.defaults.system.queue = "a"\nqueues.a = {}\nqueues.b = {}\n' >two.toml
  fq-config load two.toml
  check 0 "a: Scheduling is stopped
b: Scheduling is started" "" fq-queue stop -v a
  check 0 "a: Job submission is enabled
b: Job submission is disabled: closed" "" fq-queue disable --verbose -m closed b
  check 0 "a stopped enabled n y
b started disabled y n" "" fq-queue list -n -o '{queue} {scheduling} {submission} {started.ascii} {enabled.ascii}'
  check 0 "SCHED SUBMIT" "" sh -c "fq-queue list -o '{scheduling} {submission}' | head -n 1"
  FLUX_QUEUE_LIST_FORMAT_DEFAULT='{queue}' check 0 "a
b" "" fq-queue list -n
  check 0 "a: Job submission is enabled
b: Job submission is enabled" "" fq-queue enable -v b
  check 0 "a: Scheduling is started
b: Scheduling is started" "" fq-queue start -v a
  check 0 "" "" fq-queue start -v --quiet a
}
