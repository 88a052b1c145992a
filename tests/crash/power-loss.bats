#!/usr/bin/env bats
# The power is cut at every moment of a command: what it acknowledged is there, what it did not finish is whole or not
# there. Of the database's files and of fq's own: power_loss.py makes what a disk may be left with. (Merges, ends and
# purges: power-loss-ends.bats.)

load power

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

@test "without its syncs a submission is lost" {
  # That the power failures here take something away.
  run "$PYTHON" "$CRASH_DIR/power_loss.py" "$FAULTY_BIN_DIR/check_store" "$LIST" "" -- \
    env LD_PRELOAD="$FAILING_FILES_LIBRARY" FQ_FAULT="sync skip 1+" FQ_FAULT_STORE="$STORE" FQ_FAULT_LOG="$WORK/log" \
    fq-submit --urgency=hold true
  expect 1 "$status"
  [[ $output == "call "* ]]
}
