#!/usr/bin/env bats
# fq-fsck: checking a store.

load helper

setup() { make_store 2:4:1; }

@test "a store is sound, whatever its jobs do" {
  # Running, waiting, ended with a large output, purged; nothing that runs is disturbed.
  local id
  id=$(submit_held job -n8 --flags=waitable)
  running job
  check 0 "checked 1 job: sound" "" fq-fsck
  fq-submit --quiet --cc=1-3 -n8 --job-name=waits true
  fq-submit --quiet --dependency=afterok:"$id" --dependency=singleton --job-name=waits true
  fq-submit --quiet --begin-time=+1d true
  check 0 "checked 6 jobs: sound" "" fq-fsck
  release job
  ended "$id"
  id=$(fq-submit sh -c 'head -c 400000 /dev/zero | tr "\0" y')
  ended "$id"
  fq-job purge --quiet -f "$(fq-submit true)" 2>/dev/null || true
  check 0 "checked 8 jobs: sound" "" fq-fsck
  fq-job purge -f "$id" >purged
  check 0 "checked 7 jobs: sound" "" fq-fsck
}

@test "a large output that was cut, altered or removed" {
  # Each is a finding that says what was recorded.
  local id file
  id=$(fq-submit sh -c 'head -c 400000 /dev/zero | tr "\0" y')
  ended "$id"
  file=$(find "$STORE/data" -name guest.output)
  size=$(stat -c %s "$file")
  cp "$file" whole
  truncate -s 5 "$file"
  check 1 "job $id: the file of its guest.output has 5 bytes, not $size
checked 1 job: 1 finding" "" fq-fsck
  cp whole "$file"
  printf x | dd of="$file" bs=1 seek=300 conv=notrunc status=none
  check 1 "job $id: the file of its guest.output was altered
checked 1 job: 1 finding" "" fq-fsck
  rm "$file"
  check 1 "job $id: the file of its guest.output is missing
checked 1 job: 1 finding" "" fq-fsck
  cp whole "$file"
  check 0 "checked 1 job: sound" "" fq-fsck
}

@test "what may not be checked" {
  # No store, another's, one that is locked; nothing is made.
  mkdir "$WORK/empty"
  refuses 1 "fq-fsck: there is no store in '$WORK/empty' (fq init makes one, and fq submit does where none is named)" fq-fsck --store "$WORK/empty"
  refuses 1 "fq-fsck: there is no store in '$WORK/none' (fq init makes one, and fq submit does where none is named)" fq-fsck --store "$WORK/none"
  echo mine >file
  refuses 1 "fq-fsck: the store '$WORK/file' is not a directory" fq-fsck --store file
  expect "" "$(ls "$WORK/empty")"
  refuses 2 "fq-fsck: unexpected operand 'x'" fq-fsck x
  hold_lock
  MASK='s/pid [0-9]+ \(.*\)/HOLDER/' refuses 124 "fq-fsck: the store '$STORE' stayed locked for 0.1 s" fq-fsck --lock-timeout=0.1
  release_lock
}

@test "a store of another user" {
  # Root's check would leave files that the owner cannot use.
  [ "$(id -u)" = 0 ] || skip "needs root"
  chown 65534 "$STORE"
  refuses 1 "fq-fsck: the store '$STORE' belongs to user 65534 (act as that user, or use a store of your own)" fq-fsck
  chown 0 "$STORE"
}

@test "a repair puts aside what it gives up" {
  # The altered output is kept there; the store is sound afterwards, and opens.
  local id file dothex
  id=$(fq-submit sh -c 'head -c 400000 /dev/zero | tr "\0" y')
  ended "$id"
  dothex=$(fq-job id --to=dothex "$id")
  file=$(find "$STORE/data" -name guest.output)
  truncate -s 5 "$file"
  MASK='s/not [0-9]+/not N/; s/damaged-[0-9T]+/damaged-TIME/' check 0 "job $id: the file of its guest.output has 5 bytes, not N
repairing: what is derived is made anew from the jobs' documents; what has to be given up is put into '$STORE/damaged-TIME'
job $id: its guest.output was given up: the file has 5 bytes, not N; it is now '$STORE/damaged-TIME/$dothex.guest.output'
checked 1 job: sound" "" fq-fsck --repair
  expect 5 "$(stat -c %s "$STORE"/damaged-*/"$dothex.guest.output")"
  check 0 "checked 1 job: sound" "" fq-fsck --repair
  check 0 works "" fq-run echo works
}

@test "a damaged database is told, and replaced by what can be read" {
  # A flipped bit in the journal; the damaged files are kept, and the store works.
  local first
  first=$(fq-submit --urgency=hold --job-name=first true)
  fq-submit --quiet --urgency=hold true
  fq-submit --quiet --urgency=hold true
  # The payload of a frame in the middle: its CRC does not fit any more.
  "$PYTHON" - "$STORE/db/journal" <<'FLIP'
import sys
with open(sys.argv[1], "r+b") as file:
    data = file.read()
    end = len(data.rstrip(b"\0"))
    at = data.rindex(b"jobspec", 0, end * 2 // 3)
    file.seek(at)
    file.write(bytes([data[at] ^ 1]))
FLIP
  run -1 fq-fsck
  [[ $output == *"db/journal: "*"finding"* ]]
  run -1 fq-jobs
  [[ $output == *"fq fsck --repair"* ]]
  run -0 fq-fsck --repair
  [[ $output == *"the damaged database is kept in '$STORE/damaged'"* && ${lines[-1]} == "checked "*": sound" ]]
  # Each thing once.
  expect 1 "$(grep -c '^db/journal: ' <<<"$output")"
  [ -f "$STORE/damaged/journal" ]
  check 0 "first" "" fq-jobs -n -o '{name}' "$first"
  check 0 works "" fq-run echo works
}

@test "tasks of jobs that a repair knows nothing of are ended before others get what they hold" {
  # What the store knew of them was in the journal alone.
  local lost task
  mkfifo lost.up
  lost=$(fq-submit -N2 sh -c 'echo $$ >task; echo >lost.up; exec tail -f /dev/null')
  running lost
  task=$(cat task)
  rm "$STORE/db/journal"
  run -0 fq-fsck --repair
  [[ $output == *"job $lost: it ran, though what the store knew of that was lost: its tasks were ended"* ]] || expect "" "$output"
  run ! kill -0 "$task"
  check 0 "" "" fq-jobs -a -n
  check 0 "works
works" "" fq-run -N2 echo works
}

@test "a repair says which queues may have been stopped" {
  # Those whose state is not recorded any more: their jobs start again. Not where nothing of that can be lost.
  printf '[queues.day]\n[queues.night]\n[policy]\njobspec.defaults.system.queue = "day"\n' >config.toml
  fq-queue stop --quiet
  rm "$STORE/db/journal"
  MASK='s/damaged-[0-9T]+/damaged-TIME/' check 0 "db/journal: it is missing
repairing: what is derived is made anew from the jobs' documents; what has to be given up is put into '$STORE/damaged-TIME'
the damaged database is kept in '$STORE/damaged'
the queue: no record of its state is left: it is enabled and started now, and may have been disabled or stopped
checked 0 jobs: sound" "" fq-fsck --repair
  fq-config load config.toml
  fq-queue stop --quiet night
  # One record is in a table, and is read.
  fq-tick --compact
  rm "$STORE/db/CURRENT"
  MASK='s/damaged-[0-9T]+/damaged-TIME/' check 0 "db/CURRENT: it is missing
repairing: what is derived is made anew from the jobs' documents; what has to be given up is put into '$STORE/damaged-TIME'
the list of tables was made anew from the tables that are there
the damaged database is kept in '$STORE/damaged.2'
queue 'day': no record of its state is left: it is enabled and started now, and may have been disabled or stopped
checked 0 jobs: sound" "" fq-fsck --repair
}

@test "a damaged copy of a store whose jobs run is not repaired" {
  # It is refused before its database is replaced.
  local id before
  id=$(submit_held job)
  running job
  cp -a "$STORE" "$WORK/copy"
  rm "$WORK/copy/db/CURRENT"
  before=$(cd "$WORK/copy" && find . -type f ! -name LOCK ! -name lock -exec cksum {} +)
  MASK='s/damaged-[0-9T]+/damaged-TIME/' check 1 "db/CURRENT: it is missing
repairing: what is derived is made anew from the jobs' documents; what has to be given up is put into '$WORK/copy/damaged-TIME'" \
    "fq-fsck: the store '$WORK/copy' is a copy of one whose jobs run (use that one; fq init --adopt makes this one a store of its own, in which they have failed)" \
    fq-fsck --repair --store "$WORK/copy"
  expect "$before" "$(cd "$WORK/copy" && find . -type f ! -name LOCK ! -name lock -exec cksum {} +)"
  check 0 "R" "" fq-jobs -n -o '{status_abbrev}' "$id"
  release job
  ended "$id"
}
