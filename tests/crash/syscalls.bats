#!/usr/bin/env bats
# A kill at each system call that changes something: the state after it is the old one or the new one.

load helper

setup() {
  command -v strace >/dev/null || { echo "strace is needed"; return 1; }
  make_store 1:2
}

CHANGING=write,pwrite64,rename,unlink,unlinkat,fsync,fdatasync,ftruncate,fallocate,mkdir,flock,clone,clone3,wait4

# killed_at N COMMAND...: runs it with SIGKILL at its Nth changing call; fails when it lived to its end, which must
# then be a good one.
killed_at() {
  local code=0
  strace -qq -o /dev/null -e trace="$CHANGING" -e inject="$CHANGING":signal=SIGKILL:when="$1" "${@:2}" || code=$?
  [ "$code" = 137 ] && return
  [ "$code" = 0 ] || { echo "call $1: code $code" | tee "$WORK/bad"; }
  return 1
}
lived_well() { [ ! -e "$WORK/bad" ] && echo "calls: $n" && [ "$n" -gt 5 ]; }

@test "fq-submit killed at each of its calls" {
  # Each id that was printed is a job; every job runs once; the store answers each time.
  local n=1
  while killed_at "$n" fq-submit sh -c 'echo "$FQ_JOB_ID" >>ran' >>ids 2>/dev/null; do
    timeout "$LIMIT" fq-jobs -a >/dev/null
    n=$(next_fault "$n")
  done
  lived_well
  # shellcheck disable=SC2046
  timeout 120 fq-job status $(fq-jobs -a -n -c 0 -o '{id}')
  fq-jobs -a -n -c 0 -o '{id}' | sort >all
  expect "$(cat all)" "$(sort ran)"
  expect "" "$(sort ids | comm -23 - all)"
  all_free
}

@test "fq-cancel of a running job killed at each of its calls" {
  # The job is canceled wholly or not at all; a second cancel ends it.
  local n=1 id killed=1 state
  while [ "$killed" = 1 ]; do
    id=$(fq-submit sh -c 'exec tail -f /dev/null')
    killed_at "$n" fq-cancel "$id" 2>/dev/null || killed=0
    state=$(status_of "$id")
    [[ $state == R || $state == CA || $state == C ]] || { echo "$n: $state"; false; }
    fq-cancel "$id" 2>/dev/null || true
    ended "$id"
    expect "CA $n" "$(status_of "$id") $n"
    n=$(next_fault "$n")
  done
  lived_well
  all_free
}

@test "fq-queue start killed at each of its calls" {
  # The pending job runs once, whoever gets to start it.
  local n=1 killed=1 id
  while [ "$killed" = 1 ]; do
    fq-queue stop --quiet
    id=$(fq-submit sh -c 'echo "$FQ_JOB_ID" >>ran')
    killed_at "$n" fq-queue start --quiet 2>/dev/null || killed=0
    fq-queue start --quiet
    check 0 "" "" fq-job wait "$id"
    n=$((n + 1))
  done
  lived_well
  expect "$((n - 1)) $((n - 1))" "$(wc -l <ran) $(sort -u ran | wc -l)"
  all_free
}

@test "fq-init killed at each of its calls" {
  # A second init makes the store, or finds it whole.
  local n=1 store=$WORK/new
  while killed_at "$n" fq-init --quiet --store "$store" --test-nodes 1:1 2>/dev/null; do
    run --separate-stderr fq-init --quiet --store "$store" --test-nodes 1:1
    [ "$status" = 0 ] || [[ $stderr == "fq-init: there is a store in "* ]] || { echo "$n: $stderr"; false; }
    check 0 "1" "" sh -c "fq-resource list --store '$store' -n -o '{state} {ncores}' | sed -n 's/^free //p'"
    rm -rf "$store"
    n=$(next_fault "$n")
  done
  lived_well
}

@test "fq-shell killed at each of its calls" {
  # Its first attempt dies; the job ends as completed, having run once, or as failed, having run at most once.
  local n=1 id state
  wrap_shells "n=\$(cat '$WORK/kill-at' 2>/dev/null) && {
  rm '$WORK/kill-at'
  strace -qq -o /dev/null -e trace=$CHANGING -e inject=$CHANGING:signal=SIGKILL:when=\$n \"\$0.real\" \"\$@\"
  echo \$? >'$WORK/code'
  exit
}"
  while :; do
    echo "$n" >kill-at
    rm -f code
    id=$(fq-submit sh -c 'echo "$FQ_JOB_ID" >>ran')
    ended "$id"
    until_true test -s code
    state=$(status_of "$id")-$(grep -cx "$id" ran || true)
    [[ $state == CD-1 || $state == F-[01] ]] || { echo "call $n: $state"; fq-job eventlog "$id"; false; }
    [ "$(cat code)" = 137 ] || break
    n=$(next_fault "$n")
  done
  expect "0 CD-1" "$(cat code) $state"
  [ "$n" -gt 12 ] || { echo "calls: $n"; false; }
  all_free
}

@test "a shell that cannot fork its task tries again" {
  # Three times there is no process for it: the job is none the worse. Where there is none at
  # the last try, either, the job says why it failed.
  local none="cannot start a task: the limit on processes (ulimit -u) is used up"
  wrap_shells "strace -qq -o /dev/null -e trace=clone,clone3 -e inject=clone,clone3:error=EAGAIN:when=\$(cat '$WORK/when') \"\$0.real\" \"\$@\"; exit"
  echo 1..3 >when
  check 0 "runs" "" fq-run echo runs
  echo 1..8 >when
  check 1 "" "fq-shell: $none" fq-run echo runs
  expect "$none" "$(fq-jobs -n -o '{exception.note}' "$(fq-job last)")"
}
