#!/usr/bin/env bats
# fq-run: a job in the foreground.

load helper

setup() { make_store 2:2:2; }

# one_line TEXT...: the last command's stderr is one line that begins with the first TEXT and has the others in it.
one_line() {
  local text
  expect "1" "$(wc -l <<<"$stderr")" || { echo "$stderr"; return 1; }
  [[ $stderr == "$1"* ]] || { echo "$stderr"; return 1; }
  for text in "$@"; do
    [[ $stderr == *"$text"* ]] || { echo "not in it: $text"; echo "$stderr"; return 1; }
  done
}

@test "run shows the output and returns the exit code" {
  # stdout and stderr stay apart; a code that is not 0 is said in one line.
  check 0 "out" "" fq-run echo out
  check 3 "out" "err
fq-run: task(s) exited with exit code 3" fq-run sh -c 'echo out; echo err >&2; exit 3'
}

@test "the largest exit code of the tasks is the job's" {
  # Three tasks with 1, 2 and 3: the job ends with 3.
  check 3 "" "fq-run: task(s) exited with exit code 3" fq-run -n3 sh -c 'exit $((FLUX_TASK_RANK + 1))'
}

@test "a task that a signal ends gives 128 and the signal's number" {
  # SIGKILL gives 137, SIGSEGV 139; the signal's name is said.
  check 137 "" "fq-run: task(s) Killed" fq-run sh -c 'kill -9 $$'
  check 139 "" "fq-run: task(s) Segmentation fault" fq-run sh -c 'kill -SEGV $$'
}

@test "output without a newline at its end comes whole" {
  # Bytes are neither added nor lost: partial lines, empty lines and zero bytes.
  fq-run printf 'a\n\nb' >got
  expect "$(printf 'a\n\nb' | od -c)" "$(od -c <got)"
  fq-run sh -c 'printf "x\0y\377z\n"' >got
  expect "$(printf 'x\0y\377z\n' | od -c)" "$(od -c <got)"
}

@test "large output comes whole" {
  # Two tasks with 4 MiB each, more than a pipe or the database holds.
  fq-run -n2 sh -c 'head -c 4194304 /dev/zero | tr "\0" x; echo' >got
  expect "8388610 2" "$(wc -c <got) $(wc -l <got)"
}

@test "-l labels each line with its task" {
  # On stdout and on stderr.
  run --separate-stderr fq-run -l -n2 sh -c 'echo a $FLUX_TASK_RANK; echo b; echo c >&2'
  expect "0: a 0
0: b
1: a 1
1: b" "$(sort <<<"$output")"
  expect "0: c
1: c" "$(sort <<<"$stderr")"
}

@test "a command that does not exist gives 127 and one clear line" {
  # The command and the reason are named once.
  run -127 --separate-stderr fq-run nosuchcommand
  expect "" "$output"
  one_line "fq-shell: " "'nosuchcommand'" "No such file or directory"
}

@test "a command that cannot be executed gives 126 and one clear line" {
  # A file without the x bit, and a directory.
  run --separate-stderr fq-run /etc/passwd
  expect "126 " "$status $output"
  one_line "fq-shell: " /etc/passwd "it is not executable"
  run --separate-stderr fq-run /etc
  expect "126 " "$status $output"
  one_line "fq-shell: " /etc "it is a directory"
}

@test "a script whose interpreter is not there gives 127 and names it" {
  # The file itself is there.
  printf '#!/no/such/interpreter\n' >script
  chmod +x script
  run --separate-stderr fq-run ./script
  expect "127 " "$status $output"
  one_line "fq-shell: " ./script "its interpreter '/no/such/interpreter' is not there"
}

@test "a working directory that is gone is told in one clear line" {
  # The job fails with an exception that says so, and runs nowhere else.
  check 1 "" "fq-shell: cannot enter directory '$WORK/gone': No such file or directory" fq-run --cwd="$WORK/gone" touch "$WORK/ran"
  [ ! -e ran ]
  check 0 "FAILED cannot enter directory '$WORK/gone': No such file or directory" "" \
    fq-jobs -a -n -o '{result} {exception.note}'
  MASK=$EVENT_MASK check 0 "T exception type=\"exec\" severity=0 note=\"cannot enter directory '$WORK/gone': No such file or directory\"
T finish status=256" "" sh -c "fq-job eventlog \$(fq-job last) | grep -E 'exception|finish'"
}

@test "the directory that run was started in may be gone" {
  # The shell's own directory removed: still one clear line, and no crash.
  mkdir gone
  cd gone
  rmdir ../gone
  run --separate-stderr fq-run pwd
  cd "$WORK"
  one_line "fq-"
}

@test "R16.18 R27.41 the time limit ends the job, by its shell: SIGTERM, timelimit exception, TIMEOUT" {
  # Exit code 142, as Flux's; the log has the exception before the finish.
  check 142 "" "fq-run: timelimit: resource allocation expired" fq-run -t 0.2s sleep 60
  check 0 "TIMEOUT TO TIMEOUT Timeout" "" fq-jobs -a -n -o '{status} {status_abbrev} {result} {inactive_reason}'
  MASK=$EVENT_MASK check 0 'T exception type="timelimit" severity=0 note="resource allocation expired"
T finish status=36352
T release ranks="all" final=true
T free
T clean' "" sh -c "fq-job eventlog \$(fq-job last) | tail -n 5"
}

@test "a task that ignores SIGTERM is killed after the grace" {
  # It sees SIGTERM at the limit; SIGKILL ends it.
  run --separate-stderr fq-run -t 2s sh -c 'trap "echo asked to end" TERM; while :; do read x </dev/null; done'
  expect "142 asked to end" "$status $output"
  one_line "fq-run: timelimit: resource allocation expired"
  check 0 "TO" "" fq-jobs -a -n -o '{status_abbrev}'
}

@test "the expiration is the start and the limit" {
  # R's expiration minus its starttime is the duration.
  fq-run -t 90 true
  fq-job info "$(fq-job last)" R | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)["execution"]
print(r["expiration"] - r["starttime"])' >got
  expect 5400.0 "$(cat got)"
}

@test "--signal warns before the limit" {
  # SIGUSR1 comes in time for the job to end itself.
  run --separate-stderr fq-run -t 20s --signal=USR1@19.5s sh -c 'trap "echo warned; exit 9" USR1; while :; do read x </dev/null; done'
  expect "9 warned" "$status $output"
}

@test "several tasks know their ranks and their job" {
  # FLUX_ and FQ_ variables agree; local ranks count on each node.
  run fq-run -N2 -n4 sh -c 'echo $FLUX_TASK_RANK $FLUX_TASK_LOCAL_ID $FLUX_JOB_SIZE $FLUX_JOB_NNODES $FQ_TASK_RANK $FQ_TASK_LOCAL_ID $FQ_JOB_SIZE $FQ_JOB_NNODES'
  expect "0 0 4 2 0 0 4 2
1 1 4 2 1 1 4 2
2 0 4 2 2 0 4 2
3 1 4 2 3 1 4 2" "$(sort <<<"$output")"
}

@test "a job knows its id, its store and its temporary directory" {
  # The directory is the user's alone and gone with the job.
  run fq-run sh -c 'echo $FLUX_JOB_ID $FQ_JOB_ID $FQ_STORE; stat -c %a "$FLUX_JOB_TMPDIR"; echo "$FLUX_JOB_TMPDIR"; touch "$FQ_JOB_TMPDIR/x"'
  local id
  id=$(fq-job last)
  expect "$id $id $STORE|700" "${lines[0]}|${lines[1]}"
  processes leftovers "$STORE"
  [ ! -e "${lines[2]}" ]
}

@test "CUDA_VISIBLE_DEVICES are the job's GPUs" {
  # Two jobs at once have different GPUs; without GPUs it is -1; the order is that of the bus.
  submit_held first -g1 >id
  running first
  check 0 "1 PCI_BUS_ID" "" fq-run -g1 --requires=host:node0 sh -c 'echo $CUDA_VISIBLE_DEVICES $CUDA_DEVICE_ORDER'
  check 0 "-1" "" fq-run sh -c 'echo $CUDA_VISIBLE_DEVICES'
  check 0 "0,1" "" fq-run -g2 --requires=host:node1 sh -c 'echo $CUDA_VISIBLE_DEVICES'
  release first
}

@test "-o mem-affinity is for machines of several NUMA nodes" {
  # Each way is taken everywhere; where there is one node the kernel's own way stays.
  local way
  for way in on off bind; do
    fq-run -o "mem-affinity=$way" -o cpu-affinity=per-task head -n1 /proc/self/numa_maps >policy
    [ -e /sys/devices/system/node/node1 ] || grep -q ' default ' policy
  done
}

@test "-o gpu-affinity=per-task gives each task its own GPU" {
  # Two tasks of one GPU see one each.
  run fq-run -N1 -n2 -g1 -o gpu-affinity=per-task sh -c 'echo $FLUX_TASK_RANK $CUDA_VISIBLE_DEVICES'
  expect "0 0
1 1" "$(sort <<<"$output")"
}

@test "tasks run on the cores of R" {
  # A one-core job may use one CPU, its neighbour another; -o cpu-affinity=off leaves them all.
  [ "$(nproc)" -ge 2 ]
  cpus() { fq-run "$@" sh -c 'taskset -pc $$' | sed 's/.*: //'; }
  mkfifo "$WORK/b.go" "$WORK/b.up"
  fq-submit sh -c 'taskset -pc $$ >first; echo >b.up; read x <b.go' >id
  running b
  expect "0 1" "$(sed 's/.*: //' first) $(cpus --requires=host:node0)"
  release b
  ended "$(cat id)"
  expect "$(taskset -pc $$ | sed 's/.*: //')" "$(cpus -o cpu-affinity=off)"
  expect "0 1" "$(fq-run -N1 -n2 -o cpu-affinity=per-task sh -c 'taskset -pc $$' | sed 's/.*: //' | sort | xargs)"
}

@test "run passes its own stdin to the job" {
  # As flux run does: a pipe's text reaches the task, its end too.
  run bash -c 'printf "one\ntwo\n" | timeout "$0" fq-run cat' "$LIMIT"
  expect "0 one two" "$status $(xargs <<<"$output")"
}

@test "--input gives a file to all tasks" {
  # Each task reads all of it.
  echo text >in
  run fq-run -n2 --input=in cat
  expect "text text" "$(xargs <<<"$output")"
  run --separate-stderr fq-run --input=nosuch cat
  expect "1 " "$status $output"
  one_line "fq-shell: " "input" "nosuch" "No such file or directory"
}

@test "--output and --error name files" {
  # stdout alone goes to --output's file, both without --error; run shows what is left.
  check 0 "" "" fq-run --output=o sh -c 'echo a; echo b >&2'
  expect "a b" "$(sort o | xargs)"
  check 0 "" "" fq-run --output=o --error=e sh -c 'echo a; echo b >&2'
  expect "a|b" "$(cat o)|$(cat e)"
  check 0 "a" "" fq-run --error=e sh -c 'echo a; echo b >&2'
  expect "b" "$(cat e)"
}

@test "output templates name the job, its tasks and nodes" {
  # {{id}}, {{jobid}}, {{id.dec}}, {{name}} once a job; {{taskid}} a file a task; {{node.id}} a file a node.
  fq-run --job-name=n1 --output='o-{{name}}-{{id}}-{{jobid}}-{{id.dec}}-{{id.f58plain}}' true
  local id dec
  id=$(fq-job last)
  dec=$(fq-job id --to=dec "$id")
  expect "o-n1-$id-$id-$dec-f${id#ƒ}" "$(ls o-*)"
  rm o-*
  fq-run -N2 -n4 --output='t-{{taskid}}-{{task.rank}}-{{task.index}}-{{node.id}}-{{node.name}}' sh -c 'echo $FLUX_TASK_RANK'
  expect "t-0-0-0-0-node0:0
t-1-1-1-0-node0:1
t-2-2-0-1-node1:2
t-3-3-1-1-node1:3" "$(grep . t-*)"
}

@test "a tag of an output file that stands for nothing is refused" {
  # Else the files of many jobs were one.
  refuses 2 "fq-run: --output: there is no tag '{{nope}}' (man fq-submit has them)" fq-run --output='o-{{nope}}.txt' true
  refuses 2 "fq-run: --error: there is no tag '{{idd}}' (did you mean 'id'?)" fq-run --error='{{idd}}' true
  refuses 2 "fq-run: --output: 'o-{{id': '{{' is not closed by '}}'" fq-run --output='o-{{id' true
  expect "" "$(ls)"
}

@test "an output file that cannot be opened fails the job in one clear line" {
  # The path and the reason are named once.
  run --separate-stderr fq-run --output=/nonexistent/x echo hello
  expect "1 " "$status $output"
  one_line "fq-shell: " "output" "'/nonexistent/x'" "No such file or directory"
}

@test "a job's files are made with its umask, and appended to or truncated as told" {
  # Output files are truncated; -o output.mode=append keeps what is there.
  (umask 027 && fq-run --output=o echo first)
  expect "640" "$(stat -c %a o)"
  check 0 "0077" "" fq-run -o umask=77 sh -c umask
  check 0 "0026" "" fq-run -S shell.options.umask=026 sh -c umask
  refuses 2 "fq-run: --setopt: umask: expected an octal number from 0 to 0777" fq-run -o umask=9 true
  fq-run --output=o echo second
  expect "second" "$(cat o)"
  fq-run --output=o -o output.mode=append echo third
  expect "second third" "$(xargs <o)"
}

@test "the environment can be changed" {
  # Rules apply in order; values expand; files hold rules; FLUX_ and FQ_ of the job come in any case.
  run fq-run --env='-*' --env=A=1 --env='B=$A-2' env
  expect "A=1 B=1-2" "$(grep -E '^[AB]=' <<<"$output" | sort | xargs)"
  expect "" "$(grep -vE '^(FLUX|FQ|CUDA|PMI)_|^[AB]=' <<<"$output")"
  printf 'C=3\n# comment\nD=4\n' >rules
  X1=x X2=y run fq-run --env-remove='X*' --env=X2 --env-file=rules sh -c 'echo "$X1.$X2.$C.$D"'
  expect ".y.3.4" "$output"
}

@test "run's flags hide no failure: --quiet prints the job's output only" {
  # The exit code is the job's still.
  check 5 "out" "fq-run: task(s) exited with exit code 5" fq-run --quiet sh -c 'echo out; exit 5'
}

@test "-v prints the job id first" {
  # On stderr.
  run --separate-stderr fq-run -v true
  expect "jobid: $(fq-job last)" "$stderr"
}

@test "what submission refuses, run refuses" {
  # No job, nothing on stdout, the same words.
  refuses 1 "fq-run: unsatisfiable request: 5 cores requested, the inventory has 4" fq-run -n5 true
  refuses 2 "fq-run: COMMAND is missing (usage: fq-run [OPTION...] COMMAND [ARG...])" fq-run
  refuses 2 "fq-run: unknown option '--wait'" fq-run --wait true
  check 0 "" "" fq-jobs -a -n
}

@test "R16.18 canceling a job ends its run" {
  # 143 and the note.
  submit_held job >id
  running job
  fq-job attach "$(cat id)" >out 2>err &
  local pid=$!
  fq-cancel -m "not today" "$(cat id)"
  local code=0
  wait "$pid" || code=$?
  expect "143 fq-job: canceled: not today" "$code $(cat err)"
}

@test "a run that is ended lets its job go on" {
  # SIGTERM, as timeout(1) sends it, ends the run and nothing else: attach finds the job again.
  mkfifo up go
  fq-run --job-name=on sh -c 'echo >up; read x <go; echo done' >out 3>&- &
  local pid=$! code=0
  read -r line <up
  kill "$pid"
  wait "$pid" || code=$?
  expect "143 R " "$code $(fq-jobs -n -o '{status_abbrev}' --name=on) $(cat out)"
  echo >go
  check 0 "done" "" timeout "$LIMIT" fq-job attach "$(fq-job last)"
}

@test "an interrupt ends the job, not only the wait" {
  # SIGINT to fq run goes to the tasks; the run returns their code.
  mkfifo "$WORK/i.up"
  # A background command would ignore SIGINT: setsid starts it with the default.
  "$PYTHON" - <<'P' &
import os, signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp("fq-run", ["fq-run", "sh", "-c", "trap 'exit 33' INT; echo $PPID >i.up; while :; do read x </dev/null; done"])
P
  local pid=$! code=0
  timeout "$LIMIT" sh -c 'read line <i.up'
  kill -INT "$pid"
  wait "$pid" || code=$?
  expect 33 "$code"
  expect "F" "$(fq-jobs -a -n -o '{status_abbrev}')"
}

@test "an interrupt cancels a job that waits" {
  # The code is 130, as of every command that an interrupt ended.
  expect "fq-run: canceled: interrupted
exit 130" "$("$PYTHON" "$TESTS_DIR/terminal.py" 80 --until jobid --press '\x03' fq-run -v --urgency=hold true | sed '1d; s/^^C//')"
  check 0 "CA" "" fq-jobs -a -n -o '{status_abbrev}'
}

@test "what a job waits for is said in scripts too, and when it changes" {
  # A stopped queue is not a lack of resources; nothing is said of one that starts at once, nor with --quiet.
  local line id
  check 0 "out" "" fq-run echo out
  id=$(submit_held job -n4)
  running job
  fq-queue stop --quiet -m "gone fishing"
  mkfifo said
  fq-run --job-name=waits true 2>said &
  local pid=$!
  exec 5<said
  read -r line <&5
  local waits
  waits=$(fq-jobs -n --name=waits -o '{id}')
  expect "fq-run: job $waits waits: scheduling is stopped: gone fishing; 1 core requested, 0 free" "$line"
  fq-queue start --quiet
  read -r line <&5
  expect "fq-run: job $waits waits: it is the next job in the queue; 1 core requested, 0 free" "$line"
  fq-job urgency "$waits" hold
  read -r line <&5
  expect "fq-run: job $waits waits: it is held: its urgency is 0" "$line"
  fq-cancel "$waits"
  wait "$pid" || true
  exec 5<&-
  fq-run --quiet --job-name=quiet true 2>err &
  pid=$!
  waiting "$pid"
  release job
  wait "$pid"
  expect "" "$(cat err)"
}

@test "a run whose output is lost did not succeed" {
  # The job completed; a code of its own stands.
  local lost="fq-shell: cannot write '/dev/full': No space left on device: output is lost"
  check 1 "" "$lost
fq-run: output is incomplete: it could not be written" fq-run --output=/dev/full echo text
  check 0 "CD" "" fq-jobs -a -n -o '{status_abbrev}'
  check 3 "" "$lost
fq-run: task(s) exited with exit code 3" fq-run --output=/dev/full sh -c 'echo text; exit 3'
}

@test "output that cannot be written is an error, the job ends all the same" {
  # /dev/full and a closed stdout: one line, code 1.
  MASK='s/ƒ[^ ]+/ID/'
  check 1 "" "fq-run: job ID was submitted and goes on: standard output: No space left on device" \
    sh -c 'fq-run echo hello >/dev/full'
  check 1 "" "fq-run: job ID was submitted and goes on: standard output: Bad file descriptor" \
    sh -c 'fq-run echo hello >&-'
  check 0 "" "" sh -c 'fq-run true >&-'
}

@test "tasks see /dev/null, pipes and no descriptor of the one who started them" {
  # 0, 1 and 2 alone are open.
  exec 7<"$BATS_TEST_FILENAME"
  run fq-run sh -c 'ls /proc/$$/fd'
  exec 7<&-
  expect "0 1 2" "$(xargs <<<"$output")"
}

@test "tasks start with no signal ignored or blocked" {
  # Whatever fq run's own masks are.
  run bash -c "trap '' HUP PIPE USR1; fq-run grep -E '^Sig(Blk|Ign)' /proc/self/status"
  expect "SigBlk: 0000000000000000 SigIgn: 0000000000000000" "$(xargs <<<"$output")"
}

@test "no descendant outlives its job" {
  # A double-forked grandchild in a session of its own is gone when run returns.
  run fq-run sh -c '(setsid sh -c "echo \$\$ >pid.new; mv pid.new pid; exec tail -f /dev/null" &) ; until [ -s pid ]; do :; done'
  expect 0 "$status"
  [ ! -d "/proc/$(cat pid)" ] || grep -q '^State:.Z' "/proc/$(cat pid)/status"
}

@test "no descendant that ignores SIGTERM outlives its job" {
  # It is killed after the grace.
  run fq-run sh -c '(setsid sh -c "trap \"\" TERM; echo \$\$ >pid.new; mv pid.new pid; while :; do tail -f /dev/null; done" &) ; until [ -s pid ]; do :; done'
  expect 0 "$status"
  [ ! -d "/proc/$(cat pid)" ] || grep -q '^State:.Z' "/proc/$(cat pid)/status"
}

@test "a descendant that forks without end is ended" {
  # Processes that replace themselves are killed although each pid is short-lived.
  run timeout 60 fq-run sh -c '(setsid sh -c "trap \"\" TERM; n=0; f() { n=\$((n+1)); [ \$n -gt 3000 ] && exit; touch alive; (f) & exit; }; f" &); until [ -e alive ]; do :; done'
  expect 0 "$status"
}

@test "-o exit-timeout ends a job whose first task ended" {
  # The other task would wait for ever.
  run --separate-stderr fq-run -n2 -o exit-timeout=0.2s sh -c '[ $FLUX_TASK_RANK = 0 ] || tail -f /dev/null'
  [ "$status" != 0 ]
  one_line "fq-shell: " "exit-timeout=0.2"
}

@test "-o exit-timeout: the code of the task that exited first is the job's" {
  # Not 143 of the one that was ended for it.
  check 200 "" "fq-shell: sh: task rank 1 on host node0 exited and exit-timeout=0.2s has expired" \
    fq-run -n2 -o exit-timeout=0.2s sh -c '[ $FLUX_TASK_RANK = 0 ] || exit 200; tail -f /dev/null'
}

@test "-o exit-on-error ends a job with its first failing task" {
  # Its status is the job's.
  run --separate-stderr fq-run -n2 -o exit-on-error sh -c '[ $FLUX_TASK_RANK = 1 ] && exit 7; tail -f /dev/null'
  expect 7 "$status"
  one_line "fq-shell: " "failed and exit-on-error is set"
}
