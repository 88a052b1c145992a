#!/usr/bin/env bats
# Stores that are not what their files say: links in place of files, directories of others, copies.

load helper

setup() { make_store 1:2; }

# refused MESSAGE: readers, writers and a tick refuse the store with MESSAGE.
refused() {
  local command
  for command in "fq-jobs" "fq-queue status" "fq-submit true" "fq-cancel --all" "fq-run true" "fq-tick"; do
    # shellcheck disable=SC2086
    refuses 1 "${command%% *}: $1" $command
  done
}

@test "a symbolic link in place of a store file" {
  # Each file and directory of the store, and of its database; with the file itself back, the store works.
  local name current
  current=$(cat "$STORE/db/CURRENT")
  for name in lock alive guest data wake inbox reserve deadline waker db db/CURRENT "db/$current" db/journal; do
    [ -e "$STORE/$name" ] || : >"$STORE/$name"
    mv "$STORE/$name" "$WORK/away"
    ln -s "$WORK/away" "$STORE/$name"
    refused "'$STORE/$name' in the store is a symbolic link (a store is one directory of plain files)"
    rm "$STORE/$name"
    mv "$WORK/away" "$STORE/$name"
    check 0 "$name" "" fq-run echo "$name"
  done
}

@test "a directory of the store that others can write" {
  # The hint says what to do, and doing it helps.
  local name
  for name in db alive guest data wake inbox; do
    chmod 770 "$STORE/$name"
    refused "the directory '$STORE/$name' can be written by others (chmod 700 $STORE/$name)"
    chmod 700 "$STORE/$name"
    check 0 "$name" "" fq-run echo "$name"
  done
}

@test "a directory that is no store" {
  # That is said, and not to change the modes of a directory that everybody may write.
  mkdir -m 1777 "$WORK/open"
  echo mine >"$WORK/open/file"
  FQ_STORE=$WORK/open refused "there is no store in '$WORK/open' (fq init makes one, and fq submit does where none is named)"
}

@test "a directory of the store that belongs to another user" {
  # Who owns it could replace what is in it.
  [ "$(id -u)" = 0 ] || { echo "needs root"; false; }
  chown 65534 "$STORE/guest"
  refused "the directory '$STORE/guest' belongs to user 65534 (act as that user, or use a store of your own)"
  chown 0 "$STORE/guest"
  check 0 "works" "" fq-run echo works
}

@test "a copy of a store whose jobs run" {
  # Nothing that is done to the copy ends the job of the original.
  local id
  id=$(submit_held job)
  running job
  cp -a "$STORE" "$WORK/copy"
  FQ_STORE=$WORK/copy refused "the store '$WORK/copy' is a copy of one whose jobs run (use that one; fq init --adopt makes this one a store of its own, in which they have failed)"
  check 0 "R" "" fq-jobs -n -o '{status_abbrev}' "$id"
  release job 3
  check 3 "" "fq-job: $id: task(s) exited with exit code 3" fq-job wait "$id"
}

@test "a copy of a store at rest is a store of its own" {
  # So is one that was moved; each keeps what it had.
  local id
  id=$(fq-submit --urgency=hold true)
  cp -a "$STORE" "$WORK/copy"
  mv "$WORK/copy" "$WORK/moved"
  check 0 "works" "" fq-run --store "$WORK/moved" echo works
  check 0 "$id" "" fq-jobs --store "$WORK/moved" -n -o '{id}'
  processes leftovers "$WORK/moved"
  check 0 "$id" "" fq-jobs -n -o '{id}'
}

@test "a copy whose jobs ran opens once they have ended" {
  # The original may be gone: nothing of what the copy knows as running lives any more, and what it knew as running has failed.
  local id
  id=$(submit_held job)
  running job
  cp -a "$STORE" "$WORK/copy"
  release job
  ended "$id"
  processes leftovers "$STORE" # its shell lives on for a moment
  check 0 "F the job shell was killed" "" fq-jobs --store "$WORK/copy" -a -n -o '{status_abbrev} {exception.note}' "$id"
  check 0 "CD" "" fq-jobs -a -n -o '{status_abbrev}' "$id"
  check 0 works "" fq-run --store "$WORK/copy" echo works
  check 0 "checked 2 jobs: sound" "" fq-fsck --store "$WORK/copy"
  processes leftovers "$WORK/copy"
}

@test "a copy whose jobs run is adopted" {
  # They have failed there, and go on here, with what is theirs alone.
  local id tmpdir
  id=$(submit_held job)
  running job
  tmpdir=$(awk '$2 == "tmpdir" { print $3 }' "$STORE"/guest/*/tasks)
  [ -d "$tmpdir" ]
  cp -a "$STORE" "$WORK/copy"
  refuses 2 "fq-init: --adopt makes no store: only --store and --quiet go with it" fq-init --adopt --force --store "$WORK/copy"
  check 0 "store     $WORK/copy
failed    1 job that ran where it was copied" "" fq-init --adopt --store "$WORK/copy"
  check 0 "F the store was copied while the job ran" "" fq-jobs --store "$WORK/copy" -a -n -o '{status_abbrev} {exception.note}' "$id"
  check 0 "store     $WORK/copy" "" fq-init --adopt --store "$WORK/copy"
  check 0 "store     $STORE" "" fq-init --adopt
  check 0 "" "" fq-init --adopt --quiet
  check 0 "R" "" fq-jobs -n -o '{status_abbrev}' "$id"
  check 0 works "" fq-run --store "$WORK/copy" echo works
  check 0 "checked 2 jobs: sound" "" fq-fsck --store "$WORK/copy"
  expect "" "$(cd "$WORK/copy" && find alive guest inbox wake -mindepth 1)"
  processes leftovers "$WORK/copy"
  [ -d "$tmpdir" ]
  release job 3
  check 3 "" "fq-job: $id: task(s) exited with exit code 3" fq-job wait "$id"
  [ ! -e "$tmpdir" ]
}

@test "what is no store is not adopted" {
  # Nor is a damaged one.
  refuses 1 "fq-init: there is no store in '$WORK/none' (fq init makes one, and fq submit does where none is named)" \
    fq-init --adopt --store "$WORK/none"
  [ ! -e "$WORK/none" ]
  fq-submit --quiet --urgency=hold true
  cp -a "$STORE" "$WORK/copy"
  rm "$WORK/copy/db/journal"
  refuses 1 "fq-init: the store '$WORK/copy' is damaged: db/journal: it is missing (fq fsck --repair mends it; until then --damaged shows what can be read)" \
    fq-init --adopt --store "$WORK/copy"
}
