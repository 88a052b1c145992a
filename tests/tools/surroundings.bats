#!/usr/bin/env bats
# What a job runs in: its cwd, umask, environment, limits, signals and files are those of its submission, never
# those of the command that happens to start it.

load helper

setup() { make_store 1:1; }

# The first job blocks the only core; whoever ends it (its shell) starts the second.
block() { BLOCKER=$(submit_held blocker) && running blocker; }
unblock() { release blocker && ended "$BLOCKER"; }

report='pwd; umask; echo "V=$V"; ulimit -Sn; ulimit -Hn; ulimit -Sc; nice'

@test "a job started by another job's shell has its own surroundings" {
  # Both are submitted from shells that differ in everything; each sees its own.
  mkdir one two
  block
  local a b
  a=$(cd one && umask 077 && ulimit -Sn 100 && V=first fq-submit --output="$WORK/a.out" sh -c "$report")
  b=$(cd two && umask 002 && ulimit -Sn 200 && V=second fq-submit --output="$WORK/b.out" sh -c "$report")
  local hard nice
  hard=$(ulimit -Hn)
  nice=$(nice)
  unblock
  ended "$a" "$b"
  expect "$WORK/one 0077 V=first 100 $hard $(ulimit -Sc) $nice" "$(xargs <a.out)"
  expect "$WORK/two 0002 V=second 200 $hard $(ulimit -Sc) $nice" "$(xargs <b.out)"
}

@test "a job started by another command than its submitter has its own surroundings" {
  # fq queue start in another directory, with other variables, umask and limits, starts it.
  fq-queue stop --quiet
  mkdir mine other
  local id
  id=$(cd mine && umask 027 && V=mine fq-submit --output="$WORK/out" sh -c "$report")
  (cd other && umask 0 && ulimit -Sn 64 && V=other EVIL=1 fq-queue start --quiet)
  ended "$id"
  expect "$WORK/mine 0027 V=mine $(ulimit -Sn) $(ulimit -Hn) $(ulimit -Sc) $(nice)" "$(xargs <out)"
}

@test "the environment is exactly the submitted one, and the job's own" {
  # No variable of the starter leaks.
  fq-queue stop --quiet
  local id
  id=$(env -i PATH="$PATH" FQ_STORE="$STORE" ONLY=this "$FQ_BIN_DIR/fq-submit" --output="$WORK/out" env)
  id=${id/ƒ/f}
  STARTER=leaks fq-queue start --quiet
  ended "$id"
  expect "CUDA_DEVICE_ORDER CUDA_VISIBLE_DEVICES FLUX_JOB_GUEST_DIR FLUX_JOB_ID FLUX_JOB_NNODES FLUX_JOB_NSLOTS FLUX_JOB_SIZE FLUX_JOB_TMPDIR FLUX_PMI_LIBRARY_PATH FLUX_TASK_LOCAL_ID FLUX_TASK_RANK FQ_JOB_ATTEMPT FQ_JOB_GUEST_DIR FQ_JOB_ID FQ_JOB_NNODES FQ_JOB_NSLOTS FQ_JOB_SIZE FQ_JOB_TMPDIR FQ_STORE FQ_TASK_LOCAL_ID FQ_TASK_RANK ONLY PATH" \
    "$(cut -d= -f1 out | sort | xargs)"
}

@test "what an enclosing job told its tasks is not passed on" {
  # A job that submits a job: the inner one's rank, size and id are its own.
  local inner
  fq-run sh -c 'fq-submit --output="$0/inner.out" sh -c "echo \$FLUX_JOB_ID \$FLUX_JOB_CC \$FLUX_TASK_RANK" >"$0/inner"' "$WORK"
  inner=$(cat inner)
  ended "$inner"
  expect "$inner 0" "$(xargs <inner.out)"
}

@test "a job's submission does not die with the job that made it" {
  # The inner job runs on after its submitter's job ended and its tree was cleaned.
  mkfifo in.up in.go
  local inner
  fq-run sh -c 'fq-submit sh -c "echo >in.up; read code <in.go; exit \$code" >inner'
  inner=$(cat inner)
  running in
  release in 3
  check 3 "" "fq-job: $inner: task(s) exited with exit code 3" fq-job wait "$inner"
}

# A timer keeps a waker alive, which was started clean.
clean_waker() { fq-submit --quiet --begin-time=+1h true; }

# bats test_tags=waker,own-store
@test "hard limits of the starter bind nobody else's job" {
  # A starter with lower hard limits leaves starting to the waker.
  clean_waker
  fq-queue stop --quiet
  local id
  id=$(fq-submit --output=out sh -c 'ulimit -Hn')
  (ulimit -n 64; fq-queue start --quiet)
  ended "$id"
  expect "$(ulimit -Hn)" "$(cat out)"
}

@test "the starter's nice value binds nobody else's job" {
  # A job started by nice -n 10 fq queue start runs at the submitter's own level.
  clean_waker
  fq-queue stop --quiet
  local id
  id=$(fq-submit --output=out nice)
  nice -n 10 fq-queue start --quiet
  ended "$id"
  expect "$(nice)" "$(cat out)"
}

@test "the starter's CPU affinity binds nobody else's job" {
  # taskset on the command that starts a job without affinity of its own leaves it all CPUs.
  fq-queue stop --quiet
  local id
  id=$(fq-submit -o cpu-affinity=off --output=out sh -c 'taskset -pc $$ | sed "s/.*: //"')
  taskset -c 0 fq-queue start --quiet
  ended "$id"
  expect "$(taskset -pc $$ | sed 's/.*: //')" "$(cat out)"
}

# bats test_tags=waker,own-store
@test "the limits of a user's submission bind nobody's next job" {
  # A user without privileges who submits with lower limits: a job submitted later, that his job's end starts, has its
  # own.
  [ "$(id -u)" = 0 ] || { echo "needs root"; false; }
  local place hard
  place=$(mktemp -d /tmp/fq-other-XXXXXX)
  chown 65534 "$place"
  STORE=$place/store
  cd "$place"
  as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
  as_nobody fq-init --quiet --store "$STORE" --test-nodes 1:1
  export FQ_STORE=$STORE
  as_nobody mkfifo up go
  hard=$(ulimit -Hn)
  (
    ulimit -t 60 -n 64
    umask 077
    as_nobody nice -n 15 taskset -c 0 fq-submit --quiet sh -c 'echo >up; read line <go'
  )
  timeout "$LIMIT" sh -c 'read line <up'
  check 0 "" "" as_nobody fq-submit --quiet -o cpu-affinity=off --output=out sh -c 'ulimit -Hn; ulimit -t; nice; umask; taskset -pc $$ | sed "s/.*: //"'
  echo >go
  check 0 "" "" as_nobody fq-job wait "$(as_nobody fq-job last)"
  expect "$hard unlimited $(nice) $(umask) $(taskset -pc $$ | sed 's/.*: //')" "$(xargs <out)"
  processes leftovers "$STORE"
  cd /
  rm -r "$place"
  STORE=$BATS_TEST_TMPDIR/store
}

@test "logging out ends no job" {
  # The session that submitted it, and the one of the command that started it, are hung up and killed.
  local id
  mkfifo t.up t.go
  setsid --wait bash -c 'fq-submit sh -c "echo >t.up; read code <t.go; exit \$code" >id; kill -HUP 0; kill -KILL 0' || true
  running t
  release t 5
  id=$(cat id)
  check 5 "" "fq-job: $id: task(s) exited with exit code 5" fq-job wait "$id"
}

@test "submitted limits hold for the tasks" {
  # Soft limits as they were at submission, --rlimit beside them.
  local id
  id=$( (ulimit -Sc 0; ulimit -Sn 77; fq-submit --output=out sh -c 'ulimit -Sn; ulimit -Sc') )
  ended "$id"
  expect "77 0" "$(xargs <out)"
  check 0 "88" "" fq-run --rlimit=nofile=88 sh -c 'ulimit -Sn'
  check 0 "$(ulimit -Hn)" "" fq-run --rlimit='-*' --rlimit=nofile=unlimited sh -c 'ulimit -Sn'
}

@test "a limit too low for the shell harms the tasks only" {
  # File size 0 and 20 open files: the job's log and end are written all the same.
  local id
  id=$(fq-submit --rlimit=fsize=0 --rlimit=nofile=20 sh -c 'echo text; echo x >file')
  ended "$id"
  # SIGXFSZ ends the task or the write fails; the output log is whole.
  expect "text" "$(fq-job attach "$id" 2>/dev/null)"
  [ ! -s file ]
  expect "F" "$(fq-jobs -n -o '{status_abbrev}' "$id")"
}

@test "a deleted submission directory fails no other job" {
  # The job whose directory is gone fails; the next one is not touched.
  mkdir gone
  block
  local a b
  a=$(cd gone && fq-submit pwd)
  b=$(fq-submit pwd)
  rmdir gone
  unblock
  ended "$a" "$b"
  check 1 "" "fq-shell: cannot enter directory '$WORK/gone': No such file or directory" fq-job attach "$a"
  expect "$WORK" "$(fq-job attach "$b")"
}

@test "--cwd is the job's directory" {
  # Absolute or relative to the submitter's.
  mkdir sub
  check 0 "$WORK/sub" "" fq-run --cwd=sub pwd
  check 0 "/usr" "" fq-run --cwd=/usr pwd
  check 0 "$WORK/sub" "" fq-run --cwd=sub sh -c 'echo $PWD'
}

@test "input, output and error are relative to the job's directory" {
  # As in Flux.
  mkdir sub
  echo in >sub/i
  check 0 "" "" fq-run --cwd=sub --input=i --output=o --error=e sh -c 'cat; echo err >&2'
  expect "in err" "$(cat sub/o sub/e | xargs)"
}

@test "a job has no terminal and a session of its own" {
  # No controlling terminal; stdin is empty, not the submitter's.
  check 0 "no tty" "" fq-run sh -c 'if (: </dev/tty); then echo tty; else echo no tty; fi 2>/dev/null'
  run bash -c 'echo leaks | fq-submit --output=out cat | xargs fq-job status'
  expect "" "$(cat out)"
}

@test "a command that ends takes no job with it" {
  # SIGKILL of the process group that submitted leaves the job running.
  mkfifo job.up job.go
  setsid sh -c 'fq-submit sh -c "echo >job.up; read code <job.go; exit \$code" >id; kill -KILL 0' || true
  running job
  check 0 "R" "" fq-jobs -n -o '{status_abbrev}' "$(cat id)"
  release job 0
  check 0 "" "" fq-job wait "$(cat id)"
}

@test "OOM scores: tasks die before their shells" {
  # A task's score is higher than its shell's.
  run fq-run sh -c 'echo $(cat /proc/self/oom_score_adj) $(cat /proc/$PPID/oom_score_adj)'
  read -r task shell <<<"$output"
  [ "$task" -gt "$shell" ]
}
