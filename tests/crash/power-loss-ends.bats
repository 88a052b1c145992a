#!/usr/bin/env bats
# The power is cut (power-loss.bats) while jobs end and are purged, and while files are merged.

load power

@test "power fails while files of the store are merged" {
  # Those who leave them would start it themselves.
  local i
  mkdir bin
  ln "$FQ_BIN_DIR"/* bin 2>/dev/null || cp -Pf "$FQ_BIN_DIR"/* bin
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
