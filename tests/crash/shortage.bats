#!/usr/bin/env bats
# Few descriptors or processes: what can start is started in steps, nothing is lost, no job fails for it.

load helper

setup() { make_store 1:400; }

# fill N: a stopped queue with N jobs.
fill() {
  fq-queue stop --quiet
  fq-submit --quiet --cc=1-"$1" sh -c 'echo "$FQ_JOB_ID" >>ran'
}

# all_ran N: N jobs have ended well, each having run once.
all_ran() {
  # shellcheck disable=SC2046
  check 0 "" "" timeout 120 fq-job status $(fq-jobs -a -n -c 0 -o '{id}')
  expect "$(fq-jobs -a -n -c 0 -o '{id}' | sort)" "$(sort ran)"
  expect "$1" "$(wc -l <ran)"
}

@test "a soft limit of descriptors is no limit to a pass" {
  # Three hundred jobs that can start at once, by a command that may open 32 files.
  fill 300
  check 0 "Scheduling is started" "" bash -c 'ulimit -Sn 32; exec fq-queue start'
  all_ran 300
}

@test "a hard limit of descriptors makes a pass take steps" {
  # Each start holds a descriptor until the commit: the jobs start a few at a time.
  fill 120
  check 0 "Scheduling is started" "" bash -c 'ulimit -n 64; exec fq-queue start'
  all_ran 120
  # No shell was lost on the way.
  expect "" "$(for id in $(fq-jobs -a -n -c 0 -o '{id}'); do fq-job eventlog "$id"; done | grep -v ' \(submit\|validate\|depend\|priority\|alloc\|start\|finish\|release\|free\|clean\)\b' || true)"
}

# alone COMMAND...: as a user who has no other process. A sanitizer would look for leaks with one of its own.
alone() { ASAN_OPTIONS=detect_leaks=0 setpriv --reuid 64123 --regid 64123 --clear-groups "$@"; }

@test "where no process can be started a change is refused and a listing works" {
  # In one line, and nothing is changed.
  [ "$(id -u)" = 0 ] || { echo "needs root"; false; }
  chmod 711 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")"
  rm -r "$STORE"
  install -d -o 64123 -g 64123 "$STORE"
  alone fq-init --quiet --test-nodes 1:1
  alone fq-submit --urgency=hold --quiet true
  local none="cannot start a thread: the limit on processes (ulimit -u) is used up"
  refuses 1 "fq-submit: $none" alone bash -c 'ulimit -u 1; exec fq-submit true'
  refuses 1 "fq-cancel: $none" alone bash -c 'ulimit -u 1; exec fq-cancel --all'
  refuses 1 "fq-cancel: cannot start a thread: the limit on memory (ulimit -d) is used up" alone bash -c 'ulimit -d 8000; exec fq-cancel --all'
  check 0 "S" "" alone bash -c "ulimit -u 1; exec fq-jobs -a -n -o '{status_abbrev}'"
  alone fq-cancel --all --quiet
  processes leftovers "$STORE"
  rm -r "$STORE"
}

@test "a job of more tasks than its user may have processes fails with the reason" {
  # Of a thousand: none is left, and what it held is free for the next.
  [ "$(id -u)" = 0 ] || { echo "needs root"; false; }
  chmod 711 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")"
  rm -r "$STORE"
  install -d -o 64123 -g 64123 "$STORE"
  alone fq-init --quiet --test-nodes 1:1000
  check 1 "" "fq-shell: cannot start a task: the limit on processes (ulimit -u) is used up" \
    alone bash -c 'cd /; ulimit -u 60; exec fq-run -n1000 sleep 1000'
  expect "" "$(pgrep -u 64123 sleep || true)"
  check 0 "allocated 0" "" alone fq-resource list -n -s allocated -o '{state} {ncores}'
  check 0 "runs" "" alone bash -c 'cd /; ulimit -u 60; exec fq-run -n20 sh -c "[ \$FLUX_TASK_RANK != 0 ] || echo runs"'
  alone fq-fsck >/dev/null
  processes leftovers "$STORE"
  rm -r "$STORE"
}

# bats test_tags=footprint
@test "out of memory at any point is the end of one command" {
  # Wherever in its work: it says so in one line, others go on, and what it has stored stays.
  fq-queue stop --quiet
  local limit told codes=""
  for limit in $(seq 40000 3000 100000); do
    run timeout 60 bash -c "ulimit -v $limit; exec fq-submit --quiet --cc=1-5000 true"
    told=$output
    codes+=$status
    case "$status:$told" in
      "0:" | "1:fq-submit: out of memory" | "1:fq-submit: cannot start a thread: the limit on memory (ulimit -v) is used up") ;;
      "1:fq-submit: cannot start a thread: the limit on memory (ulimit -v) or processes (ulimit -u) is used up") ;;
      "1:fq-submit: out of memory; outcome unknown: the change, or a part of it, may be stored") ;;
      "1:fq-submit: out of memory; what was stored before stays") ;;
      *)
        echo "ulimit -v $limit: exit $status: $told"
        false
        ;;
    esac
    check 0 "" "" timeout 60 fq-submit --quiet true
  done
  [[ $codes == 1*0 ]]  # both were met
  fq-cancel --all --quiet
}
