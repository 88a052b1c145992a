#!/usr/bin/env bats
# EIO, ENOSPC, short and torn writes at each call on the store's own files, which are all but the database's: the locks,
# alive/, guest/, data/, wake/, inbox/, the reserve. The answer is what a fresh reader then sees. (Commands about jobs that
# are there: own-files-control.bats; job shells: own-files-shell.bats.)

load failing

setup() {
  make_store 1:4
  echo word >word
}

@test "own files fail while a job is submitted" {
  # A held one: what is said is what is listed.
  local before=0
  MANY=3 each_fault submitted_or_refused fq-submit --urgency=hold true
}

@test "own files fail while a job is started" {
  # Whatever was acknowledged is there and runs once; whatever was refused has left nothing.
  each_fault note_ids fq-submit sh -c 'echo "$FQ_JOB_ID" >>ran'
  each_ran_once
}

ran_or_refused() {
  local active
  active=$(fq-jobs -n -o '{id}')
  case $code in
    7) [ "$(cat out)" = "word" ] && [ -z "$active" ] ;;
    # Its input did not come through whole.
    143) grep -qx "fq-run: exec: cannot .*: Input/output error" err && [ "$(wc -l <err)" = 1 ] && [ -z "$active" ] ;;
    1)
      one_line && ! grep -q "goes on: .*input'" err || return 1
      [ -z "$active" ] || grep -q "^fq-run: job $active was submitted and goes on: " err || return 1
      fq-cancel --all --quiet
      ;;
    *) false ;;
  esac
}

@test "own files fail while a job is run and watched" {
  HOWS="EIO short EIO+"
  # Its output and exit code, or one line, which names the job if it goes on.
  each_fault ran_or_refused sh -c 'exec fq-run sh -c "cat; exit 7" <word'
}

made_or_not() {
  case $code in
    0) ;;
    1) one_line && fq-init --quiet --store "$FQ_STORE" --test-nodes 1:1 ;;
    *) false ;;
  esac || return 1
  [ "$(fq-run echo works)" = works ] || return 1
  timeout "$LIMIT" sh -c 'until [ -z "$(ls "$FQ_STORE/alive")" ]; do fq-jobs >/dev/null; sleep 0.02; done'
  # The shell may still be emptying the trash.
  timeout "$LIMIT" sh -c 'until rm -rf "$FQ_STORE" 2>/dev/null; do sleep 0.02; done'
}

@test "own files fail while a store is made" {
  # It is made, or a second try makes it.
  HOWS="EIO short EIO+"
  STORE=$WORK/new FQ_STORE=$WORK/new each_fault made_or_not fq-init --quiet --store "$WORK/new" --test-nodes 1:1
}

@test "files that cannot be removed hinder nobody" {
  # What a dead command left behind, and nobody can remove: commands work all the same, and remove it when they can.
  local place
  for place in alive guest data; do
    case $place in
      alive) : >"$STORE/alive/0000.0000.0100.0000" ;;
      *) mkdir "$STORE/$place/0000.0000.0100.0000" ;;
    esac
  done
  export LD_PRELOAD="$FAILING_FILES_LIBRARY" FQ_FAULT="remove EIO 1+" FQ_FAULT_STORE="$STORE" FQ_FAULT_LOG="$WORK/faults"
  fq-submit --quiet --urgency=hold true
  fq-cancel --all --quiet
  fq-job purge -f --num-limit=0
  unset LD_PRELOAD
  [ "$(grep -c '^remove .*/0000.0000.0100.0000$' faults)" -ge 3 ] || { cat faults; false; }
  fq-job purge -f --num-limit=0
  expect "" "$(ls "$STORE/alive" "$STORE/guest" "$STORE/data" | grep 0100)"
}

@test "a command that cannot prepare a job leaves it to the waker" {
  # That is not one of the job's attempts: it runs, and its log tells of no shell that was lost.
  local id
  submit_held first >/dev/null # there is a waker
  running first
  export LD_PRELOAD="$FAILING_FILES_LIBRARY" FQ_FAULT_STORE="$STORE" FQ_FAULT_LOG="$WORK/faults"
  export FQ_FAULT="rename EIO 1+"
  id=$(fq-submit sh -c 'echo ran >>ran')
  timeout "$LIMIT" fq-job status "$id"
  unset LD_PRELOAD
  grep -q 'launch.json.new$' faults
  expect "ran" "$(cat ran)"
  expect 0 "$(fq-job eventlog "$id" | grep -c shell-restart)"
  release first
}

@test "a shell never runs the plan of an attempt before" {
  # The first shell dies before it begins, and whoever is to start the next cannot write its plan: the job runs once.
  local id pid
  mkfifo up
  wrap_shells "if mkdir '$WORK/first' 2>/dev/null; then echo \$\$ >'$WORK/up'; exec tail -f /dev/null; fi"
  id=$(fq-submit sh -c 'echo ran >>ran')
  read -r pid <up
  kill_waker
  kill_now "$pid"
  LD_PRELOAD="$FAILING_FILES_LIBRARY" FQ_FAULT="rename EIO 1+" FQ_FAULT_STORE="$STORE" FQ_FAULT_LOG="$WORK/faults" fq-tick
  grep -q 'launch.json.new$' faults
  fq-tick
  ended "$id"
  expect "CD ran" "$(status_of "$id") $(cat ran)"
}
