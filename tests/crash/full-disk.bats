#!/usr/bin/env bats
# A disk without a free block: what makes room or ends something works, what needs room is refused in one line, and
# the queue goes on once there is room again.

load helper

setup() {
  [ "$(id -u)" = 0 ] || { echo "needs root"; return 1; }
  prepare
  mkdir disk
  cat >begin <<'S'
mount -t tmpfs -o size=12m,mode=700 tmpfs disk
export FQ_STORE=$PWD/disk/store
fq-init --quiet --test-nodes 1:2
fill() { dd if=/dev/zero of=disk/fill bs=4k 2>/dev/null; while echo x >>disk/fill; do :; done 2>/dev/null; }
no_trash() { flock disk/store/lock true && rm -rf disk/store/trash/*; } # who has the lock may still add to it
state() { fq-jobs -a -n -o '{status_abbrev}' "$@" | xargs; }
leave() { fq-cancel --all --quiet; timeout 60 sh -c 'until [ -z "$(ls disk/store/alive)" ]; do fq-jobs >/dev/null; done'; }
S
}

# on_full_disk SCRIPT: runs it in a mount namespace of its own, in which the store's disk has 12 MiB. Nothing of the
# store stays behind.
on_full_disk() {
  { cat begin; cat; } >script
  run --separate-stderr timeout 120 unshare --mount bash script
  processes leftovers "$WORK/disk/store"
}

@test "jobs are purged on a full disk" {
  # The reserve is given up for it.
  on_full_disk <<'S'
ids=$(fq-submit --cc=1-20 true)
fq-job status $ids
no_trash
fill
fq-submit --quiet true && echo "submitted"
fq-job purge -f --num-limit=5 | sed 's/^/purge: /'
fq-jobs -a -n -c 0 | wc -l
fq-queue stop --quiet && echo "stopped"
leave
S
  expect "purge: purged 15 jobs, 5 inactive left
5" "$(head -n 2 <<<"$output")" || { echo "$output"; echo "$stderr"; false; }
  expect "fq-submit: the disk of the store '$WORK/disk/store' is full: nothing was changed" "$(head -n 1 <<<"$stderr")"
}

@test "what is in the trash does not count on a full disk" {
  # The submission, more than the journal has room for, frees it and is done again, whole: what it says is what there
  # is.
  on_full_disk <<'S'
dd if=/dev/zero of=disk/store/trash/000007.sst bs=1M count=3 2>/dev/null
fill
fq-submit --urgency=hold --cc=1-200 true >ids && [ ! -e disk/store/trash/000007.sst ] && echo "freed"
fq-jobs -n -c 0 -o '{id}' | sort >listed
sort ids | cmp - listed && wc -l <ids
leave
S
  expect "freed
200" "$output" || { echo "$stderr"; false; }
}

@test "a job whose output waits for room on a full disk says so" {
  # As long as it does, which is more than fits in what is left of a block, and in a pipe: its shell tries again and again.
  # Then it goes on, and nothing is lost.
  on_full_disk <<'S'
mkfifo up go
id=$(fq-submit sh -c 'echo $PPID >up; read code <go; seq 40000')
read shell <up
fq-job why $id | wc -l
fill
echo 0 >go
fq-job why $id | tail -n 1
writes() { sed -n 's/^syscw: //p' /proc/$shell/io; }
before=$(writes)
until [ "$(writes)" -gt $((before + 3)) ]; do sleep 0.02; done
rm disk/fill
fq-job attach $id | tail -n 1
leave
S
  expect "1
ID: the disk of '$WORK/disk/store' is full: what it writes there waits for room
40000" "$(sed -E 's/^ƒ[0-9A-Za-z]+:/ID:/' <<<"$output")" || { echo "$stderr"; false; }
}

@test "a job whose output filled the disk is sent signals, canceled, and killed after its grace" {
  # No room is left for its shell's orders but what they have from its start; why names the disk while it waits for room.
  on_full_disk <<'S'
printf '[exec]\nkill-timeout = "0.3s"\n' >exec.toml
fq-config load exec.toml
mkfifo up.1 up.2 1.term 2.term 2.usr1
exec {first}<>1.term {second}<>2.term {signal}<>2.usr1
ids=$(fq-submit --cc=1-2 sh -c 'trap "echo >{cc}.usr1" USR1; trap "echo >{cc}.term" TERM; echo $$ >up.{cc}; seq 10000000; while :; do sleep 0.02; done')
read one <up.1
read two <up.2
id=$(tail -n 1 <<<"$ids")
fill
rm disk/store/reserve
fill
fq-job kill -s USR1 $id && echo "sent"
read -r <&$signal
fq-cancel $ids && echo "canceled"
read -r <&$first
read -r <&$second
tail --pid=$one -f /dev/null
tail --pid=$two -f /dev/null
fq-job why $id
rm disk/fill
leave
S
  expect "sent
canceled
ID: it is being cleaned up since TIME
ID: the disk of '$WORK/disk/store' is full: what it writes there waits for room" \
    "$(sed -E 's/^ƒ[0-9A-Za-z]+:/ID:/; s/since .*/since TIME/' <<<"$output")" || { echo "$stderr"; false; }
}

@test "output to a file waits for room on its disk, as why says" {
  # More than fits in a pipe, so that the job cannot end before there is room; then all of it is there.
  on_full_disk <<'S'
mkdir files && mount -t tmpfs -o size=1m tmpfs files
mkfifo up go
id=$(fq-submit --output=files/{{id}}.txt sh -c 'echo $PPID >up; read line <go; seq 40000')
read shell <up
dd if=/dev/zero of=files/fill bs=4k 2>/dev/null
writes() { sed -n 's/^syscw: //p' /proc/$shell/io; }
echo >go
before=$(writes)
until [ "$(writes)" -gt $((before + 3)) ]; do fq-job why $id >why; done
tail -n 1 why
rm files/fill
fq-job wait $id
tail -n 1 files/*.txt
leave
S
  expect "ID: the disk of '$WORK/files' is full: what it writes there waits for room
40000" "$(sed -E 's/^ƒ[0-9A-Za-z]+:/ID:/' <<<"$output")" || { echo "$output"; echo "$stderr"; false; }
}

@test "output to a link waits for room on the disk that it leads to, as why says" {
  on_full_disk <<'S'
mkdir files && mount -t tmpfs -o size=1m tmpfs files
mkfifo up go
: >files/out.txt
ln -s files/out.txt out.txt
id=$(fq-submit --output=out.txt sh -c 'echo >up; read line <go')
read line <up
dd if=/dev/zero of=files/fill bs=4k 2>/dev/null
fq-job why $id | tail -n 1
rm files/fill
echo >go
fq-job wait $id
leave
S
  expect "ID: the disk of '$WORK/out.txt' is full: what it writes there waits for room" \
    "$(sed -E 's/^ƒ[0-9A-Za-z]+:/ID:/' <<<"$output")" || { echo "$output"; echo "$stderr"; false; }
}

@test "the queue goes on by itself once there is room" {
  # A job ends while the disk is full, even the reserve: its shell keeps trying. No command is run until the next job
  # has started.
  on_full_disk <<'S'
mkfifo up go next
id=$(fq-submit -c2 sh -c 'echo >up; read code <go; exit $code')
read line <up
later=$(fq-submit -c2 sh -c 'echo runs >next')
fill
rm disk/store/reserve
fill
echo 3 >go
state "$id" "$later"
rm disk/fill
timeout 60 cat next
fq-job wait "$id"
echo "code $?"
fq-job wait "$later"
state "$id" "$later"
leave
S
  expect "runs
code 3
F CD" "$(tail -n +2 <<<"$output")" || { echo "$output"; echo "$stderr"; false; }
}

@test "every job of a queue ends while the disk fills and empties" {
  # Ten jobs one after the other, the disk full at random moments of their lives: each has its own status.
  on_full_disk <<'S'
ids=$(fq-submit --cc=1-10 -c2 sh -c 'exit {cc}')
for i in 1 2 3 4 5 6 7 8; do
  fill
  fq-jobs >/dev/null
  rm disk/fill
  fq-queue start --quiet
done
fq-job status $ids 2>/dev/null
fq-jobs -a -n -c 0 -o '{returncode}' $ids | sort -n | xargs
fq-jobs -a -n -c 0 -o '{name} {returncode} {exception.type} {exception.note}' $ids >&2
leave
S
  expect "1 2 3 4 5 6 7 8 9 10" "$output" || { echo "$stderr"; false; }
}

@test "a job that starts on a full disk waits for room" {
  # Its shell begins when nothing can be written: the job is not failed for it.
  wrap_shells "[ -e '$WORK/held' ] || { : >'$WORK/held'; echo >'$WORK/up'; read line <'$WORK/go'; }"
  on_full_disk <<'S'
mkfifo up go
id=$(fq-submit sh -c 'exit 7')
read line <up
fill
rm disk/store/reserve
fill
echo >go
until grep -q fq-shell.real /proc/[0-9]*/cmdline; do sleep 0.02; done 2>/dev/null
rm disk/fill
fq-job status "$id" 2>/dev/null
fq-jobs -a -n -o '{returncode} {exception.note}' "$id"
leave
S
  expect "7" "$(xargs <<<"$output")" || { echo "$stderr"; false; }
}
