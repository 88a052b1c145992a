#!/usr/bin/env bats
# Mutated requests for the engine, as the gate starts it, for a user and for the owner (fuzz.py). In a build with sanitizers the
# engine has them, too: `tests/run --preset asan -R gate.noise`. FQ_FUZZ_SECONDS is for longer, from the case FQ_FUZZ_FIRST on.

load helper

@test "noise in place of requests leaves the store sound" {
  local ids=() user
  while read -r id; do ids+=(--id "$id"); done < <(as fq sh -c 'for i in 1 2 3; do fq-job id --to=dec "$(fq-submit --urgency=hold true)"; done')
  for user in 64101 990; do
    as fq timeout $((LIMIT + 2 * ${FQ_FUZZ_SECONDS:-0})) /usr/libexec/fuzz.py "${ids[@]}" --first "${FQ_FUZZ_FIRST:-1}" --cases 150 --seconds "${FQ_FUZZ_SECONDS:-0}" -- \
      fq-engine --store /var/lib/fq --user "$user" --user-group "$user"
  done
  # Whatever the owner's noise has made of the queues.
  [[ "$(as fqtest-b fq-queue status)" == "Job submission is "* ]]
  as fq fq-fsck | grep -q ': sound$'
}
