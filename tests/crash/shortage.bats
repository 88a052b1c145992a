#!/usr/bin/env bats
# Few descriptors: what can start is started in steps, nothing is lost, no job fails for it.

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
