#!/usr/bin/env bats
# Documents of jobs that are kept as files under data/: what was cut, altered or removed is told, never shown.

load helper

setup() { make_store 2:2; }

# large_output: submits a job that writes 600 000 bytes, waits for its end, and says in $id and $file where they are.
large_output() {
  id=$(fq-submit sh -c 'yes 0123456789abcdef | head -c 600000')
  ended "$id"
  file=$STORE/data/$(fq-job id --to=dothex "$id")/guest.output
  [ -s "$file" ]
}
# all_refuse MESSAGE: every command that reads the output says it, prints nothing of it, and fails.
all_refuse() {
  local command
  for command in attach info eventlog wait-event; do
    case $command in
      attach) refuses 1 "fq-job: $1" fq-job attach "$id" ;;
      info) refuses 1 "fq-job: $1" fq-job info "$id" guest.output ;;
      eventlog) refuses 1 "fq-job: $1" fq-job eventlog -p output "$id" ;;
      wait-event) refuses 1 "fq-job: $1" fq-job wait-event -p output "$id" data ;;
    esac
  done
}

@test "an output file that was removed is told" {
  # The file is named; nothing is printed; the rest of the job can still be read.
  local id file
  large_output
  rm "$file"
  all_refuse "the file '$file' of job $id is missing"
  check 0 "done" "" sh -c "fq-job eventlog -p exec $id | tail -n 1 | cut -d' ' -f2"
  check 0 "CD" "" fq-jobs -a -n -o '{status_abbrev}' "$id"
}

@test "an output file that was cut, or grew, is told" {
  # With the size that it has and the one that it had.
  local id file size
  large_output
  size=$(stat -c %s "$file")
  truncate -s 300000 "$file"
  all_refuse "the file '$file' of job $id has 300000 bytes, not $size"
  truncate -s 0 "$file"
  all_refuse "the file '$file' of job $id has 0 bytes, not $size"
  truncate -s $((size + 1)) "$file"
  all_refuse "the file '$file' of job $id has $((size + 1)) bytes, not $size"
}

@test "an output file of which a byte was altered is told" {
  # Wherever it is: also the last one, though all that comes before it is right.
  local id file at byte
  large_output
  for at in 0 400000 $(($(stat -c %s "$file") - 2)); do
    byte=$(dd if="$file" bs=1 skip="$at" count=1 status=none | od -An -tx1 | tr -d ' ')
    printf '~' | dd of="$file" bs=1 seek="$at" conv=notrunc status=none
    all_refuse "the file '$file' of job $id was altered"
    printf '%b' "\x$byte" | dd of="$file" bs=1 seek="$at" conv=notrunc status=none
    expect 600000 "$(fq-job attach "$id" | wc -c)"
  done
}

@test "an output file whose place something else takes is told" {
  # A link is not followed, though it leads to the same bytes; a FIFO is not waited for.
  local id file
  large_output
  mv "$file" output
  ln -s "$PWD/output" "$file"
  all_refuse "the file '$file' of job $id is not a file"
  rm "$file"
  mkfifo "$file"
  all_refuse "the file '$file' of job $id is not a file"
}

@test "who watches jobs hears of an output that is not whole" {
  # The watcher sleeps while the job runs and ends, and finds the file altered; the other job's output is shown.
  local id file pid code=0
  fq-queue stop --quiet
  fq-bulksubmit --watch sh -c '[ {} = small ] && echo {} || yes | head -c 600000' ::: large small >out 2>err &
  pid=$!
  waiting "$pid"
  kill -STOP "$pid"
  fq-queue start --quiet
  id=$(fq-job last 2 | tail -n 1)
  ended $(fq-job last 2)
  file=$STORE/data/$(fq-job id --to=dothex "$id")/guest.output
  printf '~' | dd of="$file" bs=1 seek=1000 conv=notrunc status=none
  kill -CONT "$pid"
  wait "$pid" || code=$?
  expect "1 small" "$code $(grep -v ƒ out)"
  expect "fq-bulksubmit: $id: the file '$file' of job $id was altered" "$(cat err)"
}

# bats test_tags=footprint
@test "reading a large output takes little memory" {
  # 70 MB, whole, by each command that reads it; at most 64 MiB.
  local id command
  id=$(fq-submit sh -c 'yes 0123456789abcdef | head -c 70000000')
  ended "$id"
  for command in "attach $id" "info $id guest.output" "eventlog -p output -f json $id" "eventlog -F -p output -f json $id"; do
    # shellcheck disable=SC2086
    "$PYTHON" - fq-job $command <<'PY'
import resource, subprocess, sys
job = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
size = 0
while piece := job.stdout.read(1 << 20):
    size += len(piece)
code = job.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if code or size < 70_000_000 or used > 64 * 1024:
    sys.exit(f"{sys.argv[1:]}: exit {code}, {size} bytes, {used} KiB")
PY
  done
}
