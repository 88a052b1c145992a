#!/usr/bin/env bats
# Schedulers that are programs: they serve queues, and what they do wrong suspends these and nothing else.

load helper

setup() {
  make_store 2:4
  EXAMPLES=$(cd "$TESTS_DIR/../../examples/schedulers" && pwd)
}

# served_by COMMAND...: the queue's scheduler from now on.
served_by() {
  local words
  words=$(printf '"%s", ' "$@")
  printf 'policy.scheduler.command = [%s]\n' "${words%, }" >fq.toml
  fq-config load --quiet fq.toml 2>/dev/null || fq-config load fq.toml
}

# faulty NAME LINE...: a scheduler that shakes hands, and then does the lines of shell.
faulty() {
  local name=$1
  shift
  {
    printf '%s\n' '#!/bin/bash' 'say() { printf "%s\n" "$1"; }' \
      'say "{\"topic\":\"resource.acquire\"}"; read -r acquired' \
      'say "{\"topic\":\"job-manager.sched-hello\"}"; while read -r job; [[ $job != *errnum* ]]; do :; done' \
      'say "{\"topic\":\"job-manager.sched-ready\",\"payload\":{\"mode\":\"unlimited\"}}"; read -r ready' \
      'read -r request || exit 0' 'id=${request#*\"id\":} id=${id%%,*}' "$@"
  } >"$name"
  chmod +x "$name"
}

# consulted: every program that is a scheduler has been asked.
consulted() {
  timeout "$LIMIT" sh -c 'until fq-queue status --json | jq -e "all(.queues[]; has(\"asked_for\") | not)" >/dev/null; do sleep 0.05; done'
}

# rules: what `fq sched check` says of who keeps the table of the examples' README.
rules() {
  sed -n 's/^| \([^|]*\) | R27\.[^|]*| ok | ok | ok | ok | ok |$/ok \1/p' "$EXAMPLES/README.md"
}

@test "R27.52 the built-in schedulers and the examples keep every rule" {
  local name
  [ "$(rules | wc -l)" -eq "$(grep -c '^| .*R27' "$EXAMPLES/README.md")" ]
  for name in easy conservative fcfs; do check 0 "$(rules)" "" fq-sched check fq-sched serve "$name"; done
  check 0 "$(rules)" "" fq-sched check "$EXAMPLES/easy.py"
  check 0 "$(rules)" "" fq-sched check "$EXAMPLES/fcfs.sh"
  [ "$(wc -l <"$EXAMPLES/easy.py")" -lt 80 ]
}

@test "a scheduler that is wrong in one thing breaks the rule of it" {
  # mutant SED RULE: easy.py, changed, does not keep the rule.
  mutant() {
    sed "$1" "$EXAMPLES/easy.py" >mutant.py
    chmod +x mutant.py
    [ "$(cksum <mutant.py)" != "$(cksum <"$EXAMPLES/easy.py")" ]
    run -1 fq-sched check ./mutant.py
    expect "not ok $2" "$(grep "^not ok" <<<"$output" | head -1 | grep -o "^not ok $2")"
  }
  mutant 's/ if unit\[0\] in up}/}/' "sched.alloc: a node that is not up is not given"
  mutant 's/for kind, count in need.items()/for kind, count in need.items() if kind == "core"/' "sched.alloc: GPUs are given"
  mutant 's/waiting.pop(job\["id"\], None)/waiting.pop(job["id"])/' "sched.cancel, sched.prioritize, sched.expiration: what is not known"
}

@test "R27.9 R27.14 an error in the handshake is said, and ends the scheduler" {
  local acquired='{"topic":"resource.acquire","payload":{"resources":{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0"}}],"nodelist":["node0"]}},"up":"0"}}'
  local no_more='{"topic":"job-manager.sched-hello","errnum":61}'
  failing() { printf '%s\n' "${@:2}" | fq-sched serve easy >/dev/null 2>said && return 1; expect "fq-sched: $1" "$(cat said)"; }
  failing "job-manager.sched-hello: error 38" "$acquired" '{"topic":"job-manager.sched-hello","errnum":38}'
  failing "job-manager.sched-ready: error 22" "$acquired" "$no_more" '{"topic":"job-manager.sched-ready","errnum":22}'
  failing "resource.acquire: error 1" '{"topic":"resource.acquire","errnum":1}'
}

@test "fq sched check says which rule is broken" {
  faulty denies 'while :; do say "{\"topic\":\"sched.alloc\",\"payload\":{\"id\":$id,\"type\":2}}"' \
    'read -r request || exit 0; id=${request#*\"id\":} id=${id%%[,\}]*}; done'
  run -1 fq-sched check ./denies
  expect "not ok sched.alloc: what is free is given, and R is what was asked for: type 2, and 0 was expected" "$(sed -n 2p <<<"$output")"
  refuses 1 "fq-sched: unknown scheduler 'esy': expected one of easy, conservative, fcfs (did you mean 'easy'?)" fq-sched serve esy
  check 1 '{"payload":{},"topic":"resource.acquire"}' "fq-sched: message: line 1, column 1: not valid JSON" sh -c 'echo x | fq-sched serve easy'
}

@test "R27.52 R27.30 the examples run jobs, deny what never fits, and honour the nodes of a queue" {
  local example
  for example in easy.py fcfs.sh; do
    served_by "$EXAMPLES/$example"
    a=$(fq-submit -n3 true) b=$(fq-submit -N2 --exclusive true) c=$(fq-submit --requires=host:node1 true)
    ended "$a" "$b" "$c"
    expect "CD CD CD node1" "$(fq-jobs -n -o '{status_abbrev}' "$a" "$b" "$c" | tr '\n' ' ')$(fq-jobs -n -o '{nodelist}' "$c")"
  done
}

@test "easy.py back-fills what ends before the first job that waits can start" {
  served_by "$EXAMPLES/easy.py"
  submit_held job -N1 --exclusive -t 1h >/dev/null
  running job
  large=$(fq-submit -N2 --exclusive -t 1h true)
  long=$(fq-submit -N1 --exclusive -t 2h true)
  short=$(fq-submit -N1 --exclusive -t 1m true)
  ended "$short"
  expect "S S CD" "$(fq-jobs -n -o '{status_abbrev}' "$large" "$long" "$short" | xargs)"
  release job
  ended "$large" "$long"
}

@test "easy.py keeps for a job what it granted and was given back" {
  # Longer jobs behind it do not get it; shorter ones do, for it may not be there for long enough.
  spec() { printf '"jobspec":{"version":1,"resources":[{"type":"slot","count":1,"label":"task","with":[{"type":"core","count":1}]}],"attributes":{"system":{"duration":%s}}}' "$1"; }
  alloc() { printf '{"topic":"sched.alloc","payload":{"id":%s,%s}}\n' "$1" "$(spec "$2")"; }
  expect '1 0
2 1
3 others come first
4 0' "$({
    echo '{"topic":"resource.acquire","payload":{"resources":{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-1"}}],"nodelist":["node0"]}},"up":"0"}}'
    echo '{"topic":"job-manager.sched-hello","errnum":61}'
    echo '{"topic":"job-manager.sched-ready","payload":{"count":0}}'
    alloc 1 600
    echo '{"topic":"sched.free","payload":{"id":1}}'
    alloc 2 1200
    alloc 3 1200
    alloc 4 1
  } | "$EXAMPLES/easy.py" | jq -r 'select(.topic == "sched.alloc").payload | "\(.id) \(.R.execution.R_lite[0].children.core // .annotations.sched.reason_pending)"')"
}

@test "R27.49 what a scheduler does wrong suspends its queue with the reason, and a good one resumes it" {
  local fault
  submit_held job >/dev/null
  running job
  faulty crash 'echo "out of ideas" >&2; exit 3'
  faulty garbage 'echo Traceback'
  faulty silence 'read -r never; sleep 1000'
  faulty wrong 'say "{\"topic\":\"sched.alloc\",\"payload\":{\"id\":1,\"type\":1,\"annotations\":{}}}"; read -r end'
  faulty overlap 'say "{\"topic\":\"sched.alloc\",\"payload\":{\"id\":$id,\"type\":0,\"R\":{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0\",\"children\":{\"core\":\"0\"}}],\"nodelist\":[\"node0\"]}}}}"; read -r end'
  waits=
  for fault in "crash:it exited with 3 before it had answered sched.alloc (it says: out of ideas)" \
    "garbage:'Traceback': message: " "silence:it says nothing for 1 s" \
    "wrong:sched.alloc: job 1 waits for no answer" "overlap:R: rank0/core0 is taken, in part at least"; do
    served_by "$WORK/${fault%%:*}"
    waits+=" $(fq-submit true)"
    consulted
    fq-queue status >status
    grep -F "its scheduler failed: " status
    grep -F "${fault#*:}" status
    expect "R" "$(fq-jobs -n --name=job -o '{status_abbrev}')"
  done
  served_by "$EXAMPLES/fcfs.sh"
  # shellcheck disable=SC2086
  ended $waits
  release job
}

@test "R27.45 fq queue start tries a suspended queue again" {
  printf '#!/bin/sh\n[ -e "%s/ready" ] || exit 1\nexec "%s/fcfs.sh"\n' "$WORK" "$EXAMPLES" >flaky
  chmod +x flaky
  served_by "$WORK/flaky"
  job=$(fq-submit true)
  consulted
  fq-queue status | grep -F "its scheduler failed: it exited with 1 before job-manager.sched-hello"
  touch ready
  ended "$job"
}

@test "a scheduler that is killed at any message loses no job" {
  # Before the first, second and so on of those that it would send: as many as stand in `left` get through.
  cat >mortal <<SH
#!/bin/bash
left=\$(cat "$WORK/left")
while read -r message; do
  [ \$((left--)) -gt 0 ] || kill -KILL \$\$
  printf '%s\n' "\$message"
done < <(exec "$EXAMPLES/easy.py")
SH
  chmod +x mortal
  echo 0 >left
  served_by "$WORK/mortal"
  local message jobs=
  for message in 0 1 2 3 4 5 6 7; do
    echo "$message" >left
    fq-queue start --quiet || true
    jobs+=" $(fq-submit true) $(fq-submit -n2 true)"
    consulted
    [ "$message" -gt 0 ] || fq-queue status | grep -F "its scheduler failed: signal 9 ended it"
  done
  echo 1000 >left
  fq-queue start --quiet
  # shellcheck disable=SC2086
  ended $jobs
  expect 16 "$(fq-jobs -a -n -o '{status_abbrev}' | grep -c CD)"
}

@test "two queues of programs that share nodes do not suspend each other" {
  local second
  for second in 'policy.scheduler.command = ["'"$EXAMPLES"'/easy.py"]' 'policy.scheduler.name = "easy"'; do
    {
      printf 'policy.jobspec.defaults.system.queue = "a"\n[queues.a]\n'
      printf 'policy.scheduler.command = ["%s/easy.py"]\n[queues.b]\n%s\n' "$EXAMPLES" "$second"
    } >fq.toml
    fq-config load fq.toml
    fq-queue stop --all --quiet
    first=$(fq-submit -q b -t 2m true)
    other=$(fq-submit -q a -t 3m true)
    fq-queue start --all --quiet
    consulted
    fq-queue status >status
    expect "" "$(grep -F "its scheduler failed" status)"
    ended "$first" "$other"
  done
}

@test "a reservation that a program does not know of stops one job and no other" {
  local example
  served_by "$EXAMPLES/easy.py"
  fq-resource reserve 1 --start +1h -d 1h >/dev/null
  large=$(fq-submit -N2 -x -t 3h true)
  small=$(fq-submit -n1 -t 1m true)
  ended "$small"
  consulted
  expect "S what its scheduler chose is reserved, or another queue has it" \
    "$(fq-jobs -n -o '{status_abbrev} {annotations.sched.reason_pending}' "$large")"
  # First come, first served: what is behind it waits.
  served_by "$EXAMPLES/fcfs.sh"
  next=$(fq-submit -n1 -t 1m true)
  consulted
  expect "S what its scheduler chose is reserved, or another queue has it" \
    "$(fq-jobs -n -o '{status_abbrev} {annotations.sched.reason_pending}' "$large")"
  expect "S" "$(fq-jobs -n -o '{status_abbrev}' "$next")"
  expect "" "$(fq-queue status | grep -F "its scheduler failed")"
}

@test "a job like one that waits is shown to a program, too" {
  faulty later 'say "{\"topic\":\"sched.alloc\",\"payload\":{\"id\":$id,\"type\":1,\"annotations\":{}}}"' \
    'read -r request || exit 0' 'id=${request#*\"id\":} id=${id%%,*}' \
    'say "{\"topic\":\"sched.alloc\",\"payload\":{\"id\":$id,\"type\":0,\"R\":{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0\",\"children\":{\"core\":\"0\"}}],\"nodelist\":[\"node0\"]}}}}"; read -r end; exit 0'
  served_by "$WORK/later"
  first=$(fq-submit -n1 -t 5m true)
  second=$(fq-submit -n1 -t 5m true)
  ended "$second"
  expect "S" "$(fq-jobs -n -o '{status_abbrev}' "$first")"
}

@test "fq queue start says that the scheduler is being asked, and the log when it serves again" {
  printf '#!/bin/sh\n[ -e "%s/ready" ] || exit 1\nexec "%s/fcfs.sh"\n' "$WORK" "$EXAMPLES" >flaky
  chmod +x flaky
  served_by "$WORK/flaky"
  job=$(fq-submit true)
  consulted
  hold_lock "$STORE/consulting"
  check 0 "Scheduling is started" "fq-queue: its scheduler is being asked: 'fq queue status' says whether it fails" fq-queue start
  fq-queue status | grep -E "^Scheduling is started, its scheduler has been asked for [0-9.]+s$"
  release_lock
  fq-queue start
  consulted
  fq-queue status | grep -F "Scheduling is stopped: its scheduler failed: it exited with 1 before job-manager.sched-hello, next try in "
  touch ready
  ended "$job"
  expect "queue-resume" "$(fq-log --json | grep -o 'queue-resume')"
}

@test "a suspended queue is tried again by itself" {
  printf '#!/bin/sh\n[ -e "%s/ready" ] || exit 1\nexec "%s/fcfs.sh"\n' "$WORK" "$EXAMPLES" >flaky
  chmod +x flaky
  served_by "$WORK/flaky"
  job=$(fq-submit true)
  consulted
  fq-queue status | grep -E "^Scheduling is stopped: its scheduler failed: .*, next try in ([1-9]|10)s$"
  fq-queue status --json | jq -e '.queues[0].next_try > now'
  fq-fsck
  touch ready
  ended "$job"
  expect "" "$(fq-queue status | grep -F "its scheduler failed")"
}

# bats test_tags=waker
@test "a command waits for no scheduler, and one that is killed while it asks loses nothing" {
  printf '#!/bin/sh\necho began >"%s/began"; read word <"%s/go"; [ "$word" = go ] || kill -KILL "$PPID"\nexec "%s/easy.py"\n' \
    "$WORK" "$WORK" "$EXAMPLES" >gated
  chmod +x gated
  mkfifo began go
  served_by "$WORK/gated"
  job=$(fq-submit true)
  timeout "$LIMIT" sh -c 'read word <began'
  # It hangs: others go on, each of them at once.
  other=$(fq-submit true)
  expect "it is the next job in the queue; the scheduler of its queue, a program, is being asked" \
    "$(fq-job why --json "$job" | jq -r '.reasons | join("; ")')"
  expect "S S" "$(fq-jobs -n -o '{status_abbrev}' "$job" "$other" | xargs)"
  # The program ends with who asks it; the waker finds that out.
  timeout "$LIMIT" sh -c 'echo die >go; read word <began; echo go >go'
  ended "$job" "$other"
  consulted
}

@test "a command that cannot be run is refused when it is loaded" {
  refuse() { refuses 1 "fq-config: fq.toml:1: policy.scheduler: command$1" fq-config load fq.toml; }
  echo 'policy.scheduler.command = ["./mine"]' >fq.toml
  refuse "[0]: './mine' is relative: give an absolute path, or a name that is on PATH"
  echo 'policy.scheduler.command = ["/no/such"]' >fq.toml
  refuse ": cannot run '/no/such': there is no such program"
  echo 'policy.scheduler.command = ["/etc/passwd"]' >fq.toml
  refuse ": cannot run '/etc/passwd': it is not executable"
  echo 'policy.scheduler.command = "/bin/true"' >fq.toml
  refuse ": expected an array, got a string"
  echo 'policy.scheduler.command = [3]' >fq.toml
  refuse "[0]: expected a string, got an integer"
  echo 'policy.scheduler.command = [["a"]]' >fq.toml
  refuse "[0]: expected a string, got an array"
  printf '[queues.a.policy.scheduler]\ntier = 1\ncommand = ["/bin/true", 3]\n' >fq.toml
  refuses 1 "fq-config: fq.toml:3: queues.a.policy.scheduler: command[1]: expected a string, got an integer" fq-config load fq.toml
}

@test "a key that a program does not use is refused beside it, at its line" {
  local key
  for key in 'name = "easy"' 'preempt = []' 'preempt-mode = "cancel"' 'preempt-grace = "1s"' 'match-policy = "first"' \
    'reservation-depth = 3'; do
    printf '[policy.scheduler]\ncommand = ["/bin/true"]\n%s\n' "$key" >fq.toml
    refuses 1 "fq-config: fq.toml:3: policy.scheduler.${key%% *}: it is for the built-in schedulers: give it or command, not both" \
      fq-config load fq.toml
  done
}

@test "what is wrong in a scheduler or a priority is said at its line" {
  printf '[policy.scheduler]\nname = "easy"\npreempt-grace = 5\n' >fq.toml
  refuses 1 "fq-config: fq.toml:3: policy.scheduler: preempt-grace: expected a string, got an integer" fq-config load fq.toml
  printf '[policy.priority]\nscheme = "multifactor"\n\n[policy.priority.weights]\nwait-time = 1\njob-size = "a"\n' >fq.toml
  run -1 fq-config load fq.toml
  [[ $output == "fq-config: fq.toml:6: policy.priority: weights.job-size: "* ]]
}
