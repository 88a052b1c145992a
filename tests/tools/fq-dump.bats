#!/usr/bin/env bats
# fq-dump and fq-restore: a store in a file, and a store of that.

load helper

setup() { make_store 2:4:1; }
# seen STORE: what users see of a store.
seen() {
  fq-jobs --store "$1" -a -A -n -q all -o '{id} {name} {state} {result} {queue} {urgency}'
  fq-queue status --store "$1"
  fq-resource drain --store "$1" -n -o '{ranks} {reason}'
  fq-config show --store "$1"
  fq-account list-users --store "$1" -n 2>/dev/null || true
}

@test "a store goes through a file" {
  # With jobs that have ended, also with large output, and that wait; with what was administered.
  local id
  echo 'policy.limits.duration = "1h"' >fq.toml
  fq-config load fq.toml
  fq-resource drain 1 broken
  id=$(fq-submit -t1h sh -c 'head -c 400000 /dev/zero | tr "\0" y')
  ended "$id"
  fq-submit -t1h --quiet --urgency=hold --job-name=waits true
  fq-queue stop --quiet -m later
  MASK='s/[0-9]+ records/N records/' check 0 "dumped N records and 1 file to 'one.dump'" "" fq-dump one.dump
  expect 600 "$(stat -c %a one.dump)"
  MASK='s/[0-9]+ records/N records/' check 0 "store     $WORK/other
restored  N records and 1 file" "" fq-restore --store "$WORK/other" one.dump
  expect "$(seen "$STORE")" "$(seen "$WORK/other")"
  check 0 "checked 2 jobs: sound" "" fq-fsck --store "$WORK/other"
  expect "$(fq-job attach "$id" | md5sum)" "$(fq-job attach --store "$WORK/other" "$id" | md5sum)"
  expect "restore" "$(fq-log --store "$WORK/other" -n -c1 -o '{event}')"
  fq-queue start --quiet --store "$WORK/other"
  fq-resource undrain --store "$WORK/other" 1
  expect "1" "$(fq-run -t1h --store "$WORK/other" echo 1)"
  # And through a pipe; where there is one already nothing is made.
  fq-dump - | fq-restore --quiet --store "$WORK/third" -
  expect "$(seen "$STORE")" "$(seen "$WORK/third")"
  refuses 1 "fq-restore: there is a store in '$WORK/third' already (no store is replaced: name another place, or move that one away)" fq-restore --store "$WORK/third" one.dump
  refuses 1 "fq-dump: the file 'one.dump' exists (a dump is never overwritten: name a new one)" fq-dump one.dump
}

@test "what is dumped while jobs come and go is one state" {
  # Writers are held up by none of it; a second dump meanwhile is refused, or comes after the first.
  local writers i
  (for i in $(seq 30); do fq-submit --quiet --cc=1-4 true; done) &
  writers=$!
  for i in 1 2 3; do
    fq-dump --quiet "$i.dump"
    fq-restore --quiet --store "$WORK/of-$i" "$i.dump"
    fq-queue stop --quiet --store "$WORK/of-$i"
    fq-fsck --store "$WORK/of-$i" >/dev/null
    fq-cancel --all --quiet --store "$WORK/of-$i"
  done
  wait "$writers"
  expect "" "$(find "$STORE/snapshot" -mindepth 1 ! -name dumping)"
  fq-queue idle --quiet 2>/dev/null || fq-queue idle
}

@test "jobs that run where it was dumped have failed" {
  local id
  id=$(submit_held job)
  running job
  fq-dump one.dump >/dev/null
  MASK='s/[0-9]+ records/N records/' check 0 "store     $WORK/other
restored  N records and 0 files
failed    1 job that ran where it was dumped" "" fq-restore --store "$WORK/other" one.dump
  expect "F" "$(fq-jobs --store "$WORK/other" -a -n -o '{status_abbrev}')"
  expect "R" "$(fq-jobs -n -o '{status_abbrev}')"
  release job
  ended "$id"
}

@test "a dump that was damaged is refused, and nothing is left" {
  local size at
  fq-submit --quiet --urgency=hold true
  fq-dump --quiet one.dump
  size=$(stat -c %s one.dump)
  for at in 12 100 $((size / 2)) $((size - 80)) $((size - 1)); do
    cp one.dump bad.dump
    printf '\377' | dd of=bad.dump bs=1 seek="$at" conv=notrunc status=none
    MASK='s/byte [0-9]+: .*/byte N/' refuses 1 "fq-restore: 'bad.dump' is damaged at byte N" fq-restore --store "$WORK/other" bad.dump
    head -c "$at" one.dump >bad.dump
    MASK='s/byte [0-9]+: .*/byte N/' refuses 1 "fq-restore: 'bad.dump' is damaged at byte N" fq-restore --store "$WORK/other" bad.dump
  done
  [ ! -e "$WORK/other" ]
  { cat one.dump; echo x; } >bad.dump
  refuses 1 "fq-restore: 'bad.dump' is damaged at byte $size: something follows its end" fq-restore --store "$WORK/other" bad.dump
  echo text >bad.dump
  refuses 1 "fq-restore: 'bad.dump' is no dump of a store" fq-restore --store "$WORK/other" bad.dump
  sed '1s/1/2/' one.dump >bad.dump
  refuses 1 "fq-restore: 'bad.dump' is a dump of version '2', made by a newer fq; this fq reads version 1" fq-restore --store "$WORK/other" bad.dump
  mkdir "$WORK/full"
  echo mine >"$WORK/full/file"
  refuses 1 "fq-restore: the directory '$WORK/full' is not empty and not a store (name one that is empty, or that does not exist yet)" fq-restore --store "$WORK/full" one.dump
  expect "file" "$(ls "$WORK/full")"
}

@test "a store of an older version is dumped, and restored in this one" {
  rm -r "$STORE/db"
  cp -r "$TESTS_DIR/../data/store-1" "$STORE/db"
  chmod -R u+w "$STORE/db"
  fq-dump --quiet one.dump
  fq-restore --quiet --store "$WORK/other" one.dump
  check 0 "checked 11 jobs: sound" "" fq-fsck --store "$WORK/other"
  expect "$(seen "$STORE" 2>/dev/null)" "$(seen "$WORK/other")"
}

@test "what a dump left that was killed goes with the store's upkeep" {
  # Not while one is made.
  mkdir -p "$STORE/snapshot/db" "$STORE/snapshot/data"
  echo left >"$STORE/snapshot/db/file"
  flock "$STORE/snapshot/dumping" fq-tick --compact
  [ -e "$STORE/snapshot/db/file" ]
  fq-tick --compact
  expect "dumping" "$(ls "$STORE/snapshot")"
}
