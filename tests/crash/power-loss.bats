#!/usr/bin/env bats
# The power is cut at every moment of a command: what it acknowledged is there, what it did not finish is whole or not
# there. Of the database's files and of fq's own: power_loss.py makes what a disk may be left with.

load helper

setup() {
  [ "$(id -u)" = 0 ] || { echo "needs root"; return 1; }
  make_store 2:2
  fq-queue stop --quiet
}

LIST="fq-jobs -a -n -c 0 -o '{name} {status_abbrev} {returncode} {urgency}'; fq-config show; fq-resource drain -n -o '{nodelist}'
fq-queue status; for id in \$(fq-jobs -a -n -o '{id}' -f inactive); do fq-job attach \$id 2>&1 | cksum; done"

large() { head -c 100000 /dev/zero | tr '\0' x; }

# cut COMMAND...: with at least four different disks: a small commit is one write and one sync.
cut() {
  run "$PYTHON" "$CRASH_DIR/power_loss.py" "$FAULTY_BIN_DIR/check_store" "$LIST" "${MEANWHILE:-}" -- "$@"
  [ "$status" = 0 ] && [ "${output% failures}" -ge 4 ] || { echo "$output"; return 1; }
}

@test "power fails while jobs are submitted" {
  # One, and several in one command.
  cut fq-submit --urgency=hold --job-name=one true
  cut fq-submit --urgency=hold --job-name=some --cc=1-20 true
}

@test "power fails while a large submission is flushed" {
  # Its log is longer than a next command should read: new tables, and the manifest that names them.
  cut fq-submit --urgency=hold --cc=1-4 --env="FILL={cc}$(large)" true
}

@test "power fails while a job is canceled, changed, held" {
  local id
  id=$(fq-submit --urgency=hold true)
  cut fq-job urgency "$id" 7
  cut fq-update "$id" duration=1h
  cut fq-cancel "$id"
}

@test "power fails while the owner administers the store" {
  printf 'queues.batch.hosts = "all"\npolicy.jobspec.defaults.system.queue = "batch"\n' >site.toml
  cut fq-resource drain node1 broken
  cut fq-config load site.toml
  cut fq-queue stop batch
}

@test "power fails while files of the store are merged" {
  # Those who leave them would start it themselves.
  local i
  mkdir bin
  ln "$FQ_BIN_DIR"/* bin 2>/dev/null || cp "$FQ_BIN_DIR"/* bin
  rm bin/fq-tick
  for i in 1 2 3 4 5 6 7 8; do
    bin/fq-submit --urgency=hold --quiet --cc=1-4 --env="FILL=$i{cc}$(large)" true
  done
  cut fq-tick --compact
}

@test "power fails while jobs with large outputs are purged" {
  # Their outputs are files of their own; those of jobs that are gone are removed by the next purge at the latest.
  fq-queue start --quiet
  # shellcheck disable=SC2046
  fq-job status $(fq-submit --cc=1-2 head -c 300000 /dev/zero)
  expect 2 "$(ls "$STORE/data" | wc -l)"
  cut fq-job purge -f --num-limit=0
  fq-job purge -f --num-limit=0
  expect "" "$(ls "$STORE/data")"
}

@test "power fails while a job ends" {
  # It is there once its submission was acknowledged; its end is stored with its whole output, a file of its own. Before
  # that the restart ends it; or, where its shell came to write its status down, it has that, and its whole output.
  fq-queue start --quiet
  LIST='ids=$(fq-jobs -a -n -o "{id}"); [ -z "$ids" ] || fq-job status $ids 2>/dev/null
fq-jobs -a -n -o "{name} {status_abbrev} {returncode}"; [ -z "$ids" ] || fq-job attach $ids 2>/dev/null | cksum'
  MEANWHILE='big F -9\n.*\n' cut fq-submit --job-name=big sh -c 'head -c 300000 /dev/zero; exit 3'
}

@test "without its syncs a submission is lost" {
  # That the power failures here take something away.
  run "$PYTHON" "$CRASH_DIR/power_loss.py" "$FAULTY_BIN_DIR/check_store" "$LIST" "" -- \
    env LD_PRELOAD="$FAILING_FILES_LIBRARY" FQ_FAULT="sync skip 1+" FQ_FAULT_STORE="$STORE" FQ_FAULT_LOG="$WORK/log" \
    fq-submit --urgency=hold true
  expect 1 "$status"
  [[ $output == "call "* ]]
}
