#!/usr/bin/env bats
# The README's queues, command for command as they stand there.

load helper

# blocks HEADING: the lines of the section's code blocks.
blocks() { awk -v heading="## $1" '/^## / { on = $0 == heading } on && /^```/ { code = !code; next } on && code' "$TESTS_DIR/../../README.md"; }

@test "R33.39 the queues of the README" {
  # Each command says what is shown after it, but for ids; a file that is shown is the one that is used.
  prepare
  local line command="" n=0
  blocks Queues >session
  awk '/^\$ cat site.toml$/ { on = 1; next } /^\$ / { on = 0 } on' session >site.toml
  [ -s site.toml ]
  # Whether a job has to wait is a matter of moments.
  MASK='/^fq-(run|job): job ƒ[1-9A-Za-z]+ waits: /d; /: waiting for [0-9]+ free nodes/d; s/ƒ[1-9A-Za-z]+/ƒID/g'
  said() {
    [ -z "$command" ] || { n=$((n + 1)); eval "$command" >said 2>&1 </dev/null || true; }
    expect "\$ $command
$(sed -E "$MASK" wanted)" "\$ $command
$(sed -E "$MASK" said)"
    : >wanted
  }
  : >wanted >said
  while IFS= read -r line; do
    if [[ $line == '$ '* ]]; then
      said
      command=${line#'$ '}
    else
      echo "$line" >>wanted
    fi
  done <session
  said
  [ "$n" -gt 15 ]
  STORE=$FQ_STORE
}
