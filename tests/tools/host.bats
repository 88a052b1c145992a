#!/usr/bin/env bats
# Commands that work on a store of another machine, by ssh: a real sshd, with keys of the tests' own, on loopback.

load helper

setup() {
  prepare
  unset FQ_DOOR
  # The machine that is logged into as `there`: it is this one, with a default store of its own.
  STORE=$BATS_TEST_TMPDIR/there/state/fq/$(uname -n)
  mkdir -p "$BATS_TEST_TMPDIR/ssh"
  cd "$BATS_TEST_TMPDIR/ssh"
  ssh-keygen -q -t ed25519 -N '' -f host_key
  ssh-keygen -q -t ed25519 -N '' -f key
  cp key.pub authorized_keys
  cat >sshd_config <<CONFIG
HostKey $PWD/host_key
AuthorizedKeysFile $PWD/authorized_keys
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
SetEnv PATH=$FQ_BIN_DIR:/usr/bin:/bin XDG_STATE_HOME=$BATS_TEST_TMPDIR/there/state THERE=yes LC_ALL=C.UTF-8
CONFIG
  [ "$(id -u)" != 0 ] || mkdir -p /run/sshd
  start_sshd
  cat >config <<CONFIG
Host there
  ControlMaster auto
  ControlPath $BATS_TEST_TMPDIR/control
  ControlPersist yes
Host *
  HostName 127.0.0.1
  Port $PORT
  User $(id -un)
  IdentityFile $PWD/key
  IdentitiesOnly yes
  UserKnownHostsFile $PWD/known_hosts
  StrictHostKeyChecking accept-new
  LogLevel ERROR
CONFIG
  # `ssh` of PATH is this one, which reads nothing of the user's.
  mkdir bin
  printf '#!/bin/sh\nexec /usr/bin/ssh -F %q "$@"\n' "$PWD/config" >bin/ssh
  chmod +x bin/ssh
  PATH=$PWD/bin:$PATH
  cd "$WORK"
}
# start_sshd: on a port that nobody has.
start_sshd() {
  local tries
  for tries in {1..50}; do
    PORT=$((RANDOM % 20000 + 20000))
    /usr/sbin/sshd -D -e -f "$PWD/sshd_config" -o "ListenAddress=127.0.0.1:$PORT" 2>sshd.log 3>&- &
    SSHD=$!
    HOLDERS+=("$SSHD")
    until grep -q 'Server listening' sshd.log || ! kill -0 "$SSHD" 2>/dev/null; do read -rt 0.02 <> <(:) || :; done
    if grep -q 'Server listening' sshd.log; then return; fi
  done
  cat sshd.log
  return 1
}
# The connection that is kept, and then what every test leaves behind.
eval "every_$(declare -f teardown)"
teardown() {
  ssh -O exit there 2>/dev/null || true
  every_teardown
}
there() { fq --host there "$@"; }
# A store there, with test nodes.
make_there() { fq-init --quiet --store "$STORE" --test-nodes "$1"; }

@test "fq run on another machine streams output and returns the exit code" {
  # Input goes there, both outputs come back, and so does how it ended; each command by a connection of its own.
  make_there 1:2
  there() { fq --host plain "$@"; }
  check 3 "out" "err
fq-run: task(s) exited with exit code 3" there run sh -c 'echo out; echo err >&2; exit 3'
  expect "from here" "$(echo "from here" | there run cat)"
  check 143 "" "fq-run: task(s) Terminated" there run sh -c 'kill $$'
  [ ! -e "$HOME/.local" ]
}

@test "commands ask the store of another machine" {
  # By option before or behind the command, or by FQ_HOST; none is made or looked at here.
  local id
  make_there 2:4
  id=$(there submit --job-name=far true)
  check 0 "" "" there job attach "$id"
  check 0 "$id far CD" "" fq-jobs --host=there -n -a -o '{id} {name} {status_abbrev}'
  FQ_HOST=there check 0 "$id far CD" "" fq jobs -n -a -o '{id} {name} {status_abbrev}'
  check 0 "8" "" fq --host there --store "$STORE" resource list -n -s all -o '{ncores}'
  check 0 "8" "" fq --store="$STORE" --host=there resource list -n -s all -o '{ncores}'
  expect "$(fq-jobs --store "$STORE" -a --json)" "$(there jobs -a --json)"
  expect "$(FQ_STORE=$STORE fq-job eventlog "$id")" "$(there job eventlog "$id")"
  [ ! -e "$HOME/.local" ]
}

@test "what is inside a batch job is looked at on its machine" {
  local id go=$WORK/go
  make_there 1:2
  mkfifo up go
  id=$(there batch -n1 --job-name=outer --output=none --wrap "fq submit --quiet --job-name=inner --urgency=hold true; echo >'$WORK/up'; read line <'$go'")
  timeout "$LIMIT" cat up
  check 0 "outer

$id:
inner" "" there jobs -R -n -o '{name}'
  check 0 "outer inner" "" sh -c "fq --host there jobs -R --json | jq -r '.jobs[] | \"\\(.name) \\(.jobs[].name)\"'"
  check 0 "$(there job uri "$id")" "" there jobs -n -o '{uri}'
  echo >go
  there job wait "$id"
}

@test "the first submission makes the store there" {
  MASK='s/: [0-9]+ cores?, [0-9]+ GPUs?/: ITS/; s/ƒ\w+/ID/' check 0 "ID" "fq-door: made a store in $STORE: ITS
fq-door: its jobs start again after a boot with this line in your crontab: @reboot $FQ_BIN_DIR/fq-tick --store $STORE" there submit true
  [ -d "$STORE/db" ]
  [ ! -e "$HOME/.local" ]
}

@test "jobs have the surroundings of a login there" {
  # Its directory and environment, not this one's; what options name comes from here.
  make_there 1:2
  export HERE=yes
  check 0 "$(getent passwd "$(id -u)" | cut -d: -f6) yes no" "" there run sh -c 'echo "$PWD $THERE ${HERE-no}"'
  check 0 "/tmp given unset" "" there run --cwd=/tmp --env=GIVEN=given sh -c 'echo "$PWD $GIVEN ${FQ_HOST-unset}"'
}

@test "scripts and inputs travel with the request" {
  # They are files of this machine alone; what is too much for a request is refused.
  local id i
  make_there 1:2
  mkdir only-here
  printf '#!/bin/sh\n# flux: --output=none -n1\ncat\n' >only-here/script
  echo "of a file" >only-here/input
  check 0 "of a file" "" there run --input=only-here/input cat
  id=$(there batch --input=only-here/input --output="$WORK/batch.out" only-here/script)
  there job attach "$id" >/dev/null 2>&1
  expect "of a file" "$(cat batch.out)"
  for i in 1 2 3; do echo "input $i" >"only-here/$i"; done
  expect $'input 1\ninput 2\ninput 3' "$(there bulksubmit --quiet --watch --input=only-here/{} cat ::: 1 2 3 | sort)"
  check 0 "" "" there run --input=/dev/null cat
  truncate -s 3M only-here/large
  refuses 2 "fq-run: --input: more than 2097152 bytes in all (let the job read large files where they are)" there run --input=only-here/large cat
  refuses 2 "fq-run: --input: cannot open 'only-here/none': No such file or directory" there run --input=only-here/none cat
}

@test "a terminal comes from another machine" {
  make_there 1:2
  expect "/dev/pts" "$(script -qec "fq --host there run -T sh -c 'tty | cut -c1-8'" /dev/null </dev/null | tr -d '\r')"
}

@test "connections are ssh's affair" {
  # One that is kept by its ControlMaster serves all commands; another program stands in for ssh by FQ_SSH.
  make_there 1:2
  there submit --quiet true
  there queue drain
  there jobs -a -n >/dev/null
  expect 1 "$(grep -c 'Accepted publickey' "$BATS_TEST_TMPDIR/ssh/sshd.log")"
  ssh -O exit there 2>/dev/null
  # shellcheck disable=SC2016
  printf '#!/bin/sh\necho "$# $1 $2" >>%q\nexec sh -c "$2"\n' "$WORK/asked" >my-ssh
  chmod +x my-ssh
  FQ_SSH=$WORK/my-ssh check 0 "1" "" fq --host whoever --store "$STORE" resource list -n -s all -o '{nnodes}'
  expect "2 whoever fqueue door --store $STORE" "$(cat asked)"
}

@test "who asks and is gone leaves nothing there" {
  # A command that waits is interrupted, or killed: what answered it there ends.
  local id
  make_there 1:2
  id=$(there submit sleep 1000)
  fq-job wait --host there "$id" &
  until_true pgrep -f "fq-engine --store $STORE"
  kill -KILL $!
  no_engine() { ! pgrep -f "fq-engine --store $STORE" >/dev/null; }
  until_true no_engine
  there cancel --quiet "$id"
}

@test "what cannot be asked elsewhere is refused" {
  # By name, of which machine, and in one line.
  refuses 1 "fq-jobs: there: there is no store in '$STORE' (fq init makes one, and fq submit does where none is named)" there jobs
  refuses 1 "fq-jobs: there: there is no store in '/nowhere' (fq init makes one, and fq submit does where none is named)" there jobs --store /nowhere
  refuses 2 "fq-jobs: --store: of another machine an absolute path is expected, got 'here'" there jobs --store here
  refuses 2 "fq-jobs: --host: expected the name of a host, got '-oProxyCommand=false'" fq-jobs --host=-oProxyCommand=false
  refuses 2 "fq: --host wants a host, and a command behind it (fq --host HOST COMMAND)" fq --host
  refuses 2 "fq-init: a store is made on this machine (leave out --host, and FQ_HOST)" there init
  make_there 1:1
  refuses 1 "fq-fsck: this is for stores of this machine (leave out --host, and FQ_HOST)" there fsck
  # Where ssh does not come through, or finds no fq, it has said so.
  printf '#!/bin/sh\necho "ssh: no route" >&2\nexit 255\n' >no-ssh
  chmod +x no-ssh
  FQ_SSH=$WORK/no-ssh refuses 1 "ssh: no route
fq-jobs: there: no fq has answered there (what ssh said is above; fqueue must be on the PATH of a login)" there jobs
  FQ_SSH=$WORK/no-ssh refuses 1 "ssh: no route
fq-submit: there: no fq has answered there (what ssh said is above; fqueue must be on the PATH of a login)" there submit true
}
