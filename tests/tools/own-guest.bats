#!/usr/bin/env bats
# Guest documents of a job's own: what its tasks put into $FLUX_JOB_GUEST_DIR (RFC 16).

load helper

setup() { make_store 2:2; }

# documents ID: the keys of its guest documents but fq's own.
documents() { fq-job info "$1" | grep '^guest\.' | grep -vxE 'guest\.(exec\.eventlog|output|input)'; }

# bats test_tags=own-store
@test "R16.14 what a job keeps is read as guest.NAME, while it runs and after its end" {
  # Under the names of RFC 16, byte for byte, without a newline that is not theirs.
  local id
  mkfifo job.up job.go
  id=$(fq-submit sh -c 'cd "$FLUX_JOB_GUEST_DIR" && printf "a\0b" >application && echo 17 >tools.gdb && echo x >trace
    [ "$FQ_JOB_GUEST_DIR" = "$FLUX_JOB_GUEST_DIR" ] && stat -c %a .; echo >"$0.up"; read code <"$0.go"; printf c >>application' "$WORK/job")
  running job
  expect "guest.application guest.tools.gdb guest.trace" "$(documents "$id" | xargs)"
  expect "61 00 62" "$(fq-job info "$id" guest.application | od -An -tx1 | xargs)"
  check 0 "17" "" fq-job info "$id" guest.tools.gdb
  release job
  ended "$id"
  expect "guest.application guest.tools.gdb guest.trace" "$(documents "$id" | xargs)"
  expect "61 00 62 63" "$(fq-job info "$id" guest.application | od -An -tx1 | xargs)"
  check 0 "x" "" fq-job info "$id" guest.trace
  check 0 "700" "" fq-job attach "$id"
}

@test "R16.11 who is told that a job has finished finds its last guest documents and its whole output" {
  # All at once, with the notice: what a task writes last is there for whoever waits for it.
  local id got
  id=$(fq-submit --urgency=hold sh -c 'head -c 100000 /dev/zero; for i in 1 2 3 4 5 6 7 8 9; do echo $i >"$FLUX_JOB_GUEST_DIR/application"; done')
  { fq-job wait-event --quiet "$id" finish && fq-job info "$id" guest.application && fq-job attach "$id" | wc -c
    fq-job info "$id" guest.exec.eventlog | sed -n 's/.*"name":"\(shell.task-exit\|complete\|done\)".*/\1/p'; } >seen 2>&1 &
  fq-job urgency "$id" default
  wait $!
  expect "9 100000 shell.task-exit complete done" "$(xargs <seen)"
}

# bats test_tags=own-store
@test "R16.12 the guest directory is gone once the job is inactive" {
  # Of a job that kept nothing, and of one that did; the documents stay until the job is purged.
  local id dir
  for script in 'echo "$FLUX_JOB_GUEST_DIR"' 'echo "$FLUX_JOB_GUEST_DIR"; echo kept >"$FLUX_JOB_GUEST_DIR/application"'; do
    id=$(fq-submit sh -c "$script")
    ended "$id"
    dir=$(fq-job attach "$id")
    expect "$STORE/guest/$(fq-job id --to=dothex "$id")/own" "$dir"
    [ ! -e "${dir%/own}" ]
  done
  check 0 "kept" "" fq-job info "$id" guest.application
  fq-job purge -f --num-limit=0
  refuses 1 "fq-job: job $id was purged" fq-job info "$id" guest.application
}

# bats test_tags=own-store
@test "large documents of a job's own are kept as files, and verified" {
  # One that is large by itself, and those that come on top of 256 KiB in all; altered bytes are told.
  local id data
  id=$(fq-submit sh -c 'cd "$FLUX_JOB_GUEST_DIR"; head -c 300000 /dev/zero >big; for i in 1 2 3; do head -c 100000 /dev/zero >part$i; done')
  ended "$id"
  data=$STORE/data/$(fq-job id --to=dothex "$id")
  expect "guest.big guest.part3" "$(ls "$data" | xargs)"
  expect "300000 100000 100000 100000" "$(for name in big part1 part2 part3; do fq-job info "$id" guest.$name | wc -c; done | xargs)"
  printf '~' | dd of="$data/guest.part3" bs=1 seek=7 conv=notrunc status=none
  refuses 1 "fq-job: the file '$data/guest.part3' of job $id was altered" fq-job info "$id" guest.part3
}

# bats test_tags=own-store
@test "a document that has another name elsewhere is copied" {
  # What is written by that name later changes nothing of it.
  local id
  id=$(fq-submit sh -c 'head -c 300000 /dev/zero >elsewhere; ln elsewhere "$FLUX_JOB_GUEST_DIR/big" || cp elsewhere "$FLUX_JOB_GUEST_DIR/big"')
  ended "$id"
  echo more >>elsewhere
  expect 300000 "$(fq-job info "$id" guest.big | wc -c)"
}

@test "what is no document is left out, with one line in the job's output" {
  # Links are not followed, FIFOs not waited for; fq's own names are taken; the rest is kept.
  local id
  echo secret >secret
  id=$(fq-submit sh -c 'cd "$FLUX_JOB_GUEST_DIR"; ln -s "$0/secret" link; mkfifo pipe; mkdir dir; echo o >output; echo e >exec.mine; echo b >"a b"; echo k >kept' "$WORK")
  ended "$id"
  check 0 "" "fq-shell: not kept as guest.NAME: 'a b' (no name of a key), 'dir' (no regular file), 'exec.mine' (the name is not free) and 3 more" \
    fq-job attach "$id"
  expect "guest.kept" "$(documents "$id")"
  check 0 "CD" "" fq-jobs -a -n -o '{status_abbrev}' "$id"
}

# bats test_tags=own-store
@test "while the job runs neither is a link followed" {
  # Nor when the whole directory is one.
  local id
  mkfifo job.up job.go
  echo secret >application
  id=$(fq-submit sh -c 'cd "$FLUX_JOB_GUEST_DIR"; ln -s "$0/application" link; mkfifo pipe; echo >"$0/job.up"; read code <"$0/job.go"
    rm link pipe; cd "$0"; rmdir "$FLUX_JOB_GUEST_DIR"; ln -s "$0" "$FLUX_JOB_GUEST_DIR"; echo >"$0/job.up"; read code <"$0/job.go"' "$WORK")
  running job
  refuses 1 "fq-job: job $id has no guest.link" fq-job info "$id" guest.link
  refuses 1 "fq-job: job $id has no guest.pipe" fq-job info "$id" guest.pipe
  release job
  running job
  refuses 1 "fq-job: job $id has no guest.application" fq-job info "$id" guest.application
  release job
  ended "$id"
  check 0 "" "fq-shell: not kept as guest.NAME: '\$FLUX_JOB_GUEST_DIR' (Not a directory)" fq-job attach "$id"
  expect "" "$(documents "$id")"
}

@test "no more than a hundred documents, none above 256 MiB" {
  # The first hundred by name; sizes are those of the files, however little they take on the disk.
  local id
  id=$(fq-submit sh -c 'cd "$FLUX_JOB_GUEST_DIR"; truncate -s 268435457 huge; seq -f "f%03g" 101 202 | xargs touch')
  ended "$id"
  check 0 "" "fq-shell: not kept as guest.NAME: 'f201' (more than 100 files), 'f202' (more than 100 files), 'huge' (larger than 256 MiB)" \
    fq-job attach "$id"
  expect "100 guest.f101 guest.f200" "$(documents "$id" | wc -l) $(documents "$id" | sed -n '1p;$p' | xargs)"
}

# bats test_tags=own-store
@test "a job whose shell was killed keeps its documents" {
  # They are collected by who ends it.
  local id
  mkfifo job.up job.go
  id=$(fq-submit sh -c 'echo here >"$FLUX_JOB_GUEST_DIR/application"; echo >"$0.up"; read code <"$0.go"' "$WORK/job")
  running job
  kill -KILL "$(shell_of "$id")"
  ended "$id"
  check 0 "here" "" fq-job info "$id" guest.application
}

@test "R16.15 R16.22 a job reads its own documents through fq" {
  # From inside, what everybody reads of it afterwards; of the event log what there was by then.
  local id key
  id=$(fq-submit -t 10m sh -c 'for key in J R jobspec eventlog; do fq-job info "$FLUX_JOB_ID" "$key" >"$key" || exit; done')
  ended "$id"
  check 0 "CD" "" fq-jobs -a -n -o '{status_abbrev}' "$id"
  for key in J R jobspec; do expect "$(fq-job info "$id" "$key")" "$(cat "$key")"; done
  expect "$(fq-job info "$id" eventlog | head -n "$(wc -l <eventlog)")" "$(cat eventlog)"
  grep -q '"name":"start"' eventlog
}

@test "what tasks have put there is the job's once they have ended" {
  # Byte for byte, of a job that fails as well, and no more when it is purged.
  local id
  id=$(fq-submit -n2 sh -c 'cd "$FLUX_JOB_GUEST_DIR"; [ "$FLUX_TASK_RANK" = 1 ] || { printf "a\0b" >application; echo 17 >tools.gdb; head -c 300000 /dev/zero >big; : >empty; exit 3; }')
  ended "$id"
  expect "guest.application guest.big guest.empty guest.tools.gdb" "$(documents "$id" | xargs)"
  expect "61 00 62" "$(fq-job info "$id" guest.application | od -An -tx1 | xargs)"
  expect "300000 0" "$(fq-job info "$id" guest.big | wc -c) $(fq-job info "$id" guest.empty | wc -c)"
  check 0 "17" "" fq-job info "$id" guest.tools.gdb
  expect F "$(fq-jobs -a -n -o '{status_abbrev}' "$id")"
}
