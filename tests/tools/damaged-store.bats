#!/usr/bin/env bats
# A store whose files are not what was written: readers and writers refuse it in one line, and --damaged shows what can be
# read. (At random: crash/damage.bats.)

load helper

setup() {
  make_store 1:4
  id=$(fq-submit --urgency=hold --job-name=first true)
  fq-submit --urgency=hold --job-name=second --quiet true
  WAY_OUT="(fq fsck --repair mends it; until then --damaged shows what can be read)"
}

# flip FILE BYTE: another bit there.
flip() {
  "$PYTHON" -c 'import sys
with open(sys.argv[1], "r+b") as file:
    file.seek(int(sys.argv[2]))
    byte = file.read(1)[0]
    file.seek(int(sys.argv[2]))
    file.write(bytes([byte ^ 16]))' "$STORE/db/$1" "$2"
}

# damaged WHAT: whoever reads or writes says so, and changes nothing.
damaged() {
  local before command
  before=$(cd "$STORE" && find db -type f ! -name LOCK -exec cksum {} +)
  for command in "fq-jobs" "fq-job info $id jobspec" "fq-job eventlog $id" "fq-job attach $id" "fq-queue status" "fq-resource list" \
    "fq-config show" "fq-submit true" "fq-run true" "fq-cancel --all" "fq-tick"; do
    # shellcheck disable=SC2086
    refuses 1 "${command%% *}: the store '$STORE' is damaged: $1 $WAY_OUT" $command
  done
  expect "$before" "$(cd "$STORE" && find db -type f ! -name LOCK -exec cksum {} +)"
}

# last_frame: where the last frame of the journal begins.
last_frame() { grep -abo fqJ1 "$STORE/db/journal" | tail -n 1 | cut -d: -f1; }

@test "a bit of the journal" {
  # Of the last change.
  cp -a "$STORE/db/journal" "$WORK/journal"
  flip journal $(($(last_frame) + 40))
  damaged "db/journal: 1 acknowledged change is missing"
  check 0 "first" "fq-jobs: the store '$STORE' is damaged: db/journal: 1 acknowledged change is missing; what is shown may be incomplete" \
    fq-jobs --damaged -n -o '{name}'
  cp -a "$WORK/journal" "$STORE/db/journal"
}

@test "a journal or a manifest that is gone or cut" {
  # None of it reads as a store without jobs, or as an older one.
  local manifest size
  manifest=$(cat "$STORE/db/CURRENT")
  size=$(stat -c %s "$STORE/db/$manifest")
  cp -a "$STORE/db" "$WORK/db"
  rm "$STORE/db/journal"
  damaged "db/journal: it is missing"
  cp -a "$WORK/db/journal" "$STORE/db/journal"
  truncate -s 100 "$STORE/db/$manifest"
  damaged "db/$manifest: it was cut: 100 of $size bytes are there"
  check 0 "second
first" "fq-jobs: the store '$STORE' is damaged: db/$manifest: it was cut: 100 of $size bytes are there; what is shown may be incomplete
fq-jobs: the list of tables was made anew from the tables that are there" \
    fq-jobs --damaged -n -o '{name}' --sort=-name
  rm "$STORE/db/$manifest"
  damaged "db/$manifest: it is missing"
  cp -a "$WORK/db/$manifest" "$STORE/db/$manifest"
  rm "$STORE/db/CURRENT"
  damaged "db/CURRENT: it is missing"
  cp -a "$WORK/db/CURRENT" "$STORE/db/CURRENT"
  check 0 "works" "" fq-run echo works
}

@test "what looks at jobs shows what can be read" {
  # Each says once what is wrong. What follows a job that runs shows what there is, and leaves.
  local ran lives note
  mkfifo job.go
  lives=$(fq-submit sh -c 'echo so far; read code <job.go')
  fq-job wait-event -q -p output "$lives" data
  ran=$(fq-submit -N1 -n1 --job-name=ran sh -c 'echo out; exit 3')
  ended "$ran"
  fq-job memo "$id" lost=1
  cp -a "$STORE/db/journal" "$WORK/journal"
  flip journal $(($(last_frame) + 40))
  note="the store '$STORE' is damaged: db/journal: 1 acknowledged change is missing; what is shown may be incomplete"
  check 3 "out" "fq-job: $note
fq-job: task(s) exited with exit code 3" fq-job attach --damaged "$ran"
  check 0 "so far" "fq-job: $note" fq-job attach --damaged "$lives"
  check 0 "" "fq-job: $note
fq-job: job $id waits: it is held: its urgency is 0" fq-job attach --damaged "$id"
  check 0 "$(fq-job eventlog --damaged "$lives" 2>/dev/null)" "fq-job: $note" fq-job eventlog -F --damaged "$lives"
  check 0 "$id: it is held: its urgency is 0" "fq-job: $note" fq-job why --damaged "$id"
  check 0 "$ran" "fq-job: $note" fq-job last --damaged
  check 0 "$id" "fq-pgrep: $note" fq-pgrep --damaged '^first$'
  check 0 "$lives" "fq-resource: $note" fq-resource who --damaged -n -o '{id}' node0
  cp -a "$WORK/journal" "$STORE/db/journal"
  release job
}

@test "what could not be read is said, and that what is not there may be in it" {
  # A table of the list of tables is gone, with jobs in it; what is asked for by name is not said to be nowhere.
  local table note
  fq-submit --urgency=hold --quiet --cc=1-20 --env=FILL="$(printf 'x%.0s' {1..20000})" true
  table=$(cd "$STORE/db" && ls -S -- *.sst | head -n 1)
  rm "$STORE/db/$table" "$STORE/db/CURRENT"
  note="fq-job: the store '$STORE' is damaged: db/CURRENT: it is missing; what is shown may be incomplete
fq-job: the list of tables was made anew from the tables that are there"
  check 1 "" "$note
fq-job: job ƒ111 does not exist, as far as the damaged store can be read" fq-job info --damaged ƒ111 jobspec
  check 0 "" "${note//fq-job/fq-jobs}" fq-jobs --damaged -n -o '{id}' --name=nobody
}

@test "a damaged store of an older format" {
  # --damaged says that it is to be mended first, and does not name itself as the way out.
  rm -r "$STORE/db"
  cp -r "$TESTS_DIR/../data/store-1" "$STORE/db"
  chmod -R u+w "$STORE/db"
  rm "$STORE/db/CURRENT"
  refuses 1 "fq-jobs: the store '$STORE' is damaged: db/CURRENT: it is missing; it has format 1, which is not read before it is mended (fq fsck --repair mends it, and brings it to the present format)" \
    fq-jobs --damaged
  MASK='s/damaged-[0-9T]+/damaged-TIME/' check 0 "db/CURRENT: it is missing
repairing: what is derived is made anew from the jobs' documents; what has to be given up is put into '$STORE/damaged-TIME'
the list of tables was made anew from the tables that are there
the damaged database is kept in '$STORE/damaged'
checked 11 jobs: sound" "" fq-fsck --repair
  check 0 "night
night
true
true
true
far" "" fq-jobs -n -o '{name}'
}

@test "the note of how far things came may be missing" {
  # As may what holds nothing: they are made anew.
  rm "$STORE/db/acknowledged" "$STORE/db/IDENTITY"
  check 0 "first" "" fq-jobs -n -o '{name}' "$id"
  fq-submit --urgency=hold --quiet true
  [ -s "$STORE/db/acknowledged" ]
  [ -s "$STORE/db/IDENTITY" ]
}

@test "--damaged is for reading, and changes nothing of a sound store's answer" {
  check 0 "first" "" fq-jobs --damaged -n -o '{name}' "$id"
  refuses 2 "fq-submit: unknown option '--damaged'" fq-submit --damaged true
}
