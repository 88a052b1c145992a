#!/usr/bin/env bats
# Where the store is, and stores that cannot be used.

load helper

setup() { prepare; }

# as_nobody COMMAND...: as another user than the store's.
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }

readers=("fq-jobs" "fq-queue status" "fq-queue list" "fq-resource list" "fq-resource R" "fq-job last" "fq-job why 1"
  "fq-job wait 1" "fq-job status 1" "fq-job attach 1" "fq-job eventlog 1" "fq-job info 1 R")
writers=("fq-submit true" "fq-run true" "fq-cancel 1" "fq-cancel --all" "fq-queue stop" "fq-queue start"
  "fq-queue disable -m x" "fq-queue enable" "fq-tick")

# all_refuse MESSAGE: every command ends with 1 and its name and MESSAGE.
all_refuse() {
  local command
  for command in "${readers[@]}" "${writers[@]}"; do
    # shellcheck disable=SC2086
    refuses 1 "${command%% *}: $1" $command
  done
}

@test "a store that is not there is made by submission only, in the default place" {
  # One line says so; the id alone goes to stdout.
  local place
  place=$HOME/.local/state/fq/$(uname -n)
  STORE=$place
  check 0 "       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO" "" fq-jobs
  check 0 '{"jobs":[]}' "" fq-jobs -a --json
  check 1 "0 running, 0 completed, 0 failed, 0 pending, 0 inactive purged" "" fq-jobs --stats-only
  refuses 1 "fq-jobs: there is no store in '$place' (fq init makes one, and fq submit does where none is named)" fq-jobs 123
  [ ! -e "$HOME/.local" ]
  MASK='s/^ƒ[0-9A-Za-z]+$/ID/; s/[0-9]+ GPUs?/G GPUs/; s|@reboot .*/fq-tick|@reboot FQ-TICK|' check 0 "ID" "fq-submit: made a store in $place: $(nproc) cores, G GPUs
fq-submit: its jobs start again after a boot with this line in your crontab: @reboot FQ-TICK --store $place" fq-submit true
  check 0 "" "" fq-job wait "$(fq-job last)"
  run --separate-stderr fq-submit true
  expect "0 " "$status $stderr"
  ended "$output"
}

@test "fq run makes the default store too" {
  # The job's output is undisturbed on stdout; XDG_STATE_HOME is honoured.
  export XDG_STATE_HOME=$WORK/xdg
  STORE=$WORK/xdg/fq/$(uname -n)
  MASK='s/[0-9]+ GPUs?/G GPUs/; s|@reboot .*/fq-tick|@reboot FQ-TICK|' check 0 "hello" "fq-run: made a store in $STORE: $(nproc) cores, G GPUs
fq-run: its jobs start again after a boot with this line in your crontab: @reboot FQ-TICK --store $STORE" fq-run echo hello
  expect "700" "$(stat -c %a "$STORE")"
}

@test "one line says why no store can be made" {
  export XDG_STATE_HOME=/dev/null
  refuses 1 "fq-submit: cannot make a store in '/dev/null/fq/$(uname -n)': cannot create directory '/dev/null/fq': Not a directory" fq-submit true
}

@test "stores under the names of other hosts are told of where this host has none" {
  # By what makes one and by the listing; not once there is one.
  export XDG_STATE_HOME=$WORK/xdg
  STORE=$WORK/xdg/fq/$(uname -n)
  fq-init --quiet --store "$WORK/xdg/fq/old-name" --test-nodes 1:1
  mkdir "$WORK/xdg/fq/no-store"
  check 0 "       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO" "fq-jobs: you have a store for the host 'old-name': --store $WORK/xdg/fq/old-name" fq-jobs
  run --separate-stderr fq-run true
  expect "0 3 fq-run: you have a store for the host 'old-name': --store $WORK/xdg/fq/old-name" "$status ${#stderr_lines[@]} ${stderr_lines[0]}"
  check 0 "       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO" "" fq-jobs
}

@test "the directory of the system belongs to somebody else" {
  # fq run says what fq jobs says, and makes nothing in it.
  if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then skip "needs root"; fi
  in_system() {
    unshare -m sh -c 'mount -t tmpfs none /var/lib && mkdir /var/lib/fq && chown 65534 /var/lib/fq && { "$@"; code=$?; ls -A /var/lib/fq >made; exit "$code"; }' sh "$@"
  }
  for command in "fq-jobs" "fq-run true" "fq-submit true"; do
    # shellcheck disable=SC2086
    refuses 1 "${command%% *}: the directory '/var/lib/fq' belongs to user 65534 (act as that user, or use a store of your own)" in_system $command
    expect "" "$(cat made)"
  done
  as_other() { in_system setpriv --reuid 65533 --regid 65533 --clear-groups fq-init; }
  refuses 1 "fq-init: the directory '/var/lib/fq' belongs to user 65534 (name a place of your own: fq init --store DIR)" as_other
  refuses 1 "fq-init: '/var/lib/fq' is the place of a store that users share, not of root's (fq init --system makes it)" in_system fq-init
}

@test "the directory of the system has no store in it" {
  # Each command says what is wrong, and makes nothing there: it is empty, or somebody's.
  if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then skip "needs root"; fi
  in_system() {
    unshare -m sh -c 'mount -t tmpfs none /var/lib && mkdir /var/lib/fq && (cd /var/lib/fq && touch $there) && { "$@"; code=$?; ls -A /var/lib/fq >made; exit "$code"; }' sh "$@"
  }
  for there in "-c none" mine; do
    export there
    for command in "fq-run true" "fq-submit true" "fq-jobs" "fq-queue list" "fq-cancel --all"; do
      # shellcheck disable=SC2086
      refuses 1 "${command%% *}: there is no store in '/var/lib/fq' (fq init --system makes the one that users share; without the directory each has one of their own)" in_system $command
      expect "${there#-c none}" "$(cat made)"
    done
  done
}

@test "two first submissions at once make one store" {
  # Both ids are in it.
  export XDG_STATE_HOME=$WORK/xdg
  STORE=$WORK/xdg/fq/$(uname -n)
  local pids=() i
  for i in 1 2 3 4 5 6; do
    fq-submit --urgency=hold true >"id.$i" 2>"err.$i" &
    pids+=($!)
  done
  for i in "${pids[@]}"; do wait "$i"; done
  expect "$(cat id.* | sort)" "$(fq-jobs -n -o '{id}' | sort)"
  expect 6 "$(fq-jobs -n | wc -l)"
}

@test "a refused first submission" {
  # What is refused for its own form makes no store.
  run --separate-stderr fq-submit --urgency=99 true
  expect 2 "$status"
  [ ! -e "$HOME/.local" ]
}

@test "a place that is named is not made" {
  # By --store, by FQ_STORE; every command says the same.
  export FQ_STORE=$WORK/nowhere
  all_refuse "there is no store in '$WORK/nowhere' (fq init makes one, and fq submit does where none is named)"
  [ ! -e "$WORK/nowhere" ]
  refuses 1 "fq-submit: there is no store in '$WORK/other' (fq init makes one, and fq submit does where none is named)" \
    fq-submit --store other true
}

@test "--store comes before FQ_STORE" {
  # And an empty FQ_STORE is none.
  make_store 1:1
  fq-init --quiet --store "$WORK/second" --test-nodes 1:7
  check 0 "7" "" sh -c "fq-resource list --store '$WORK/second' -n -o '{state} {ncores}' | sed -n 's/^free //p'"
  check 0 "1" "" sh -c "fq-resource list -n -o '{state} {ncores}' | sed -n 's/^free //p'"
  FQ_STORE='' run --separate-stderr fq-jobs 1
  [[ $stderr == "fq-jobs: there is no store in '$HOME/.local/state/fq/"* ]]
}

@test "an empty --store is a usage error" {
  # Not an internal one.
  refuses 2 "fq-jobs: the name of the store is empty (--store DIR or FQ_STORE)" fq-jobs --store ""
  refuses 2 "fq-submit: the name of the store is empty (--store DIR or FQ_STORE)" fq-submit --store= true
}

@test "no HOME and no store named" {
  # One clear line.
  unset HOME
  refuses 1 "fq-submit: there is no place for a store: HOME is not set (name one with --store DIR or FQ_STORE)" fq-submit true
  HOME=/
}

@test "a file in place of the store" {
  # Every command says that it is no directory.
  echo >"$WORK/file"
  export FQ_STORE=$WORK/file
  all_refuse "the store '$WORK/file' is not a directory"
}

@test "a directory that is no store" {
  # Nothing is made in it.
  mkdir "$WORK/dir"
  export FQ_STORE=$WORK/dir
  all_refuse "there is no store in '$WORK/dir' (fq init makes one, and fq submit does where none is named)"
  expect "" "$(ls -A "$WORK/dir")"
}

@test "a symbolic link to a store" {
  # It can be used as the store itself; a dangling one is no store.
  make_store 1:1
  ln -s "$STORE" "$WORK/link"
  ln -s nowhere "$WORK/dangling"
  check 0 "" "" fq-job wait --store "$WORK/link" "$(fq-submit --store "$WORK/link" true)"
  check 0 "CD" "" fq-jobs -a -n -o '{status_abbrev}'
  refuses 1 "fq-jobs: there is no store in '$WORK/dangling' (fq init makes one, and fq submit does where none is named)" \
    fq-jobs --store dangling
}

@test "a store that others can write" {
  # Nothing is read from it; the hint says what to do, and doing it helps.
  make_store 1:1
  local mode
  for mode in 720 702 777; do
    chmod "$mode" "$STORE"
    refuses 1 "fq-jobs: the store '$STORE' can be written by others (chmod 700 $STORE)" fq-jobs
    refuses 1 "fq-submit: the store '$STORE' can be written by others (chmod 700 $STORE)" fq-submit true
  done
  all_refuse "the store '$STORE' can be written by others (chmod 700 $STORE)"
  chmod 700 "$STORE"
  check 0 "" "" fq-jobs -n
}

@test "a store of another user" {
  # Every command refuses it, for that user alone.
  [ "$(id -u)" = 0 ] || { echo "needs root"; false; }
  local place
  place=$(mktemp -d /tmp/fq-other-XXXXXX)
  chmod 755 "$place"
  STORE=$place/store
  fq-init --quiet --store "$STORE" --test-nodes 1:1
  export FQ_STORE=$STORE
  local command
  for command in "${readers[@]}" "${writers[@]}"; do
    # shellcheck disable=SC2086
    refuses 1 "${command%% *}: the store '$STORE' belongs to user 0 (act as that user, or use a store of your own)" as_nobody $command
  done
  chmod 755 "$STORE"
  refuses 1 "fq-jobs: the store '$STORE' belongs to user 0 (act as that user, or use a store of your own)" as_nobody fq-jobs
  rm -r "$place"
}

@test "a store below a directory that cannot be entered" {
  # Permission denied, not `there is no store`.
  [ "$(id -u)" = 0 ] || { echo "needs root"; false; }
  local place
  place=$(mktemp -d /tmp/fq-other-XXXXXX)
  chmod 700 "$place"
  refuses 1 "fq-jobs: cannot use the store '$place/store': Permission denied" as_nobody fq-jobs --store "$place/store"
  rmdir "$place"
}

@test "a store of another machine is refused" {
  # The machine id stands in the store; where the machine's differs, writers and readers refuse it with a hint.
  [ "$(id -u)" = 0 ] || { echo "needs root"; false; }
  make_store 1:1
  printf '%032x\n' 1 >"$WORK/machine-id"
  local command
  for command in "fq-submit true" fq-jobs; do
    run --separate-stderr unshare --mount sh -c "mount --bind '$WORK/machine-id' /etc/machine-id && $command"
    expect "1  1 $command" "$status $output $(wc -l <<<"$stderr") $command"
    [[ $stderr == "${command%% *}: the store '$STORE' "*machine* ]] || { echo "$stderr"; false; }
  done
}

@test "a database that is damaged is told as such and kept" {
  # A cut MANIFEST, an empty CURRENT, garbage: one line, code 1, no crash, no change.
  make_store 1:1
  fq-submit --quiet --urgency=hold true
  cp -a "$STORE" "$WORK/copy"
  local damage
  for damage in 'echo garbage >db/CURRENT' ': >db/CURRENT' 'for f in db/MANIFEST-*; do echo garbage >$f; done' 'rm db/MANIFEST-*' 'for f in db/*.log; do head -c 40 /dev/urandom >$f; done; rm db/MANIFEST-*'; do
    rm -rf "$WORK/bad"
    cp -a "$WORK/copy" "$WORK/bad"
    (cd "$WORK/bad" && eval "$damage")
    for command in fq-jobs "fq-submit true"; do
      # shellcheck disable=SC2086
      run --separate-stderr timeout 60 $command --store "$WORK/bad"
      [ "$command" = fq-jobs ] || run --separate-stderr timeout 60 fq-submit --store "$WORK/bad" true
      expect "1  1" "$status $output $(wc -l <<<"$stderr")" || { echo "$damage: $stderr"; false; }
      [[ $stderr == "${command%% *}: "* && $stderr != *internal* && $stderr != *locked* ]] || { echo "$damage: $stderr"; false; }
    done
  done
}

@test "a missing lock, alive, guest or wake directory is made again" {
  # Only db/ is the truth.
  make_store 1:1
  local name
  for name in lock alive guest data wake inbox reserve deadline waker cpus; do
    rm -rf "${STORE:?}/$name"
    run --separate-stderr fq-run echo "$name"
    expect "0 $name " "$status $output $stderr"
  done
}

@test "the reserve is made again" {
  # A writer that finds none writes it: two MiB really allocated.
  make_store 1:1
  rm "$STORE/reserve"
  fq-submit --quiet --urgency=hold true
  expect "2097152" "$(stat -c %s "$STORE/reserve")"
  [ "$(stat -c %b "$STORE/reserve")" -ge 4096 ]
}

@test "a read-only store directory is told" {
  # The reason is the operating system's.
  [ "$(id -u)" = 0 ] || { echo "needs root"; false; }
  make_store 1:1
  run --separate-stderr unshare --mount sh -c "mount --bind '$STORE' '$STORE' && mount -o remount,ro,bind '$STORE' && fq-submit true"
  expect "1 " "$status $output"
  [[ $stderr == "fq-submit: "*"Read-only file system"* ]] || { echo "$stderr"; false; }
  expect 1 "$(wc -l <<<"$stderr")"
  run --separate-stderr unshare --mount sh -c "mount --bind '$STORE' '$STORE' && mount -o remount,ro,bind '$STORE' && fq-jobs -n && fq-queue status"
  expect "0" "$status"
}

@test "a full disk" {
  # Submission is refused with a clear line; listing, canceling and the end of jobs work from the reserve.
  [ "$(id -u)" = 0 ] || { echo "needs root"; false; }
  mkdir disk
  cat >script <<'S'
set -e
mount -t tmpfs -o size=12m,mode=700 tmpfs disk
export FQ_STORE=$PWD/disk/store
fq-init --quiet --test-nodes 1:2
held=$(fq-submit --urgency=hold true)
mkfifo up go
running=$(fq-submit sh -c 'echo >up; read code <go; exit $code')
read line <up
dd if=/dev/zero of=disk/fill bs=4k 2>/dev/null || :
set +e
n=0
while fq-submit --quiet --urgency=hold true 2>err; do n=$((n+1)); [ $n -lt 2000 ] || break; done
sed 's/^/submit: /' err
fq-jobs -n -o '{status_abbrev}' "$held" "$running"
fq-cancel "$held" && echo canceled
echo 3 >go
timeout 60 fq-job wait "$running"
echo "code $?"
rm disk/fill
fq-run echo after
fq-cancel --all --quiet
timeout 60 sh -c 'until [ -z "$(ls disk/store/alive)" ]; do fq-jobs >/dev/null; done'
S
  run --separate-stderr unshare --mount sh script
  expect "S
R
canceled
code 3
after" "$(grep -v '^submit: ' <<<"$output")"
  [[ $output == "submit: fq-submit: the disk "*"is full: nothing was changed"* ]] || { echo "$output"; false; }
  expect 1 "$(grep -c '^submit: ' <<<"$output")"
}


@test "a file size limit of the caller is an error, not a death" {
  # One clear line, code 1; the store works on.
  make_store 1:1
  run --separate-stderr bash -c 'ulimit -f 1; exec fq-submit true'
  expect "1  1" "$status $output $(wc -l <<<"$stderr")"
  [[ $stderr == "fq-submit: "*"File too large"* ]] || { echo "$stderr"; false; }
  check 0 "works" "" fq-run echo works
}

@test "few open files suffice" {
  # Submission works with 24 descriptors; with too few there is one clear line.
  make_store 1:1
  run --separate-stderr bash -c 'ulimit -n 24; exec fq-submit --urgency=hold true'
  expect "0 " "$status $stderr"
  run --separate-stderr bash -c 'ulimit -n 8; exec fq-submit --urgency=hold true'
  expect "1  1" "$status $output $(wc -l <<<"$stderr")"
  [[ $stderr == "fq-submit: "*"Too many open files"* ]] || { echo "$stderr"; false; }
}

@test "names of stores may have any characters" {
  # Blanks, letters beyond ASCII, quotes and a newline; jobs find the store again.
  prepare
  STORE=$WORK/$'a b\'"ö$x\n;c'
  fq-init --quiet --store "$STORE" --test-nodes 1:1
  FQ_STORE=$STORE check 0 "1" "" fq-run sh -c 'cd /; fq-jobs -n -f running | wc -l'
}

@test "a relative FQ_STORE is the same store for the job" {
  # The job's FQ_STORE is absolute.
  make_store 1:1
  cd "$BATS_TEST_TMPDIR"
  FQ_STORE=store check 0 "$STORE" "" fq-run --cwd=/ sh -c 'echo "$FQ_STORE"'
}

# bats test_tags=waker
@test "a store that vanishes ends its waker" {
  # The running job goes on; with its end shell and waker go too, and no directory comes back.
  make_store 1:1
  local id shell task
  mkfifo t.up
  id=$(fq-submit sh -c 'echo $$ >pid; echo >t.up; exec tail -f /dev/null')
  running t
  shell=$(shell_of "$id")
  local waker
  waker=$(processes find "$STORE" fq-waker)
  mv "$STORE" "$WORK/moved"
  kill -TERM "$(cat pid)"
  processes gone "$shell" "$waker"
  [ ! -e "$STORE" ]
}

@test "root is kept out of another user's store" {
  # Every command refuses it, so that no file there becomes root's; the owner's commands work on.
  [ "$(id -u)" = 0 ] || { echo "needs root"; false; }
  local place command
  place=$(mktemp -d /tmp/fq-other-XXXXXX)
  chown 65534 "$place"
  STORE=$place/store
  cd "$place"
  as_nobody fq-init --quiet --store "$STORE" --test-nodes 1:1
  export FQ_STORE=$STORE
  for command in "${readers[@]}" "${writers[@]}"; do
    # shellcheck disable=SC2086
    run --separate-stderr $command
    expect "1  $command" "$status $output $command"
    [[ $stderr == "${command%% *}: the store '$STORE' belongs to user 65534 (act as that user, or use a store of your own)" ]] || { echo "$stderr"; false; }
  done
  check 0 "nobody" "" as_nobody fq-run id -un
  expect "" "$(find "$STORE" ! -user 65534)"
  processes leftovers "$STORE"
  cd /
  rm -r "$place"
}
