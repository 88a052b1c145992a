#!/usr/bin/env bats
# fq-pgrep and fq-pkill: jobs by name.

load helper

setup() {
  make_store 1:2
  fq-queue stop --quiet
  A=$(fq-submit --job-name=frame-1 true)
  B=$(fq-submit --job-name=frame-22 true)
  C=$(fq-submit --job-name=film true)
}

@test "an expression is looked for in names" {
  # Ids alone, in the order of the listing.
  check 0 "$A
$B" "" fq-pgrep frame
  check 0 "$B" "" fq-pgrep '^frame-[0-9]{2}$'
  check 0 "$A
$B
$C" "" fq-pgrep .
  check 0 "$A" "" fq-pgrep -c1 .
  check 1 "" "" fq-pgrep nothing
}

@test "a range of ids, alone and with an expression" {
  # Both ends belong to it.
  check 0 "$B
$C" "" fq-pgrep "$B..$C"
  check 0 "$B" "" fq-pgrep frame "$B..$C"
  check 1 "" "" fq-pgrep "name:$B..$C"
}

@test "states, formats and limits" {
  # -a and -f reach inactive jobs; a format has its heading; --max-entries ends the search.
  fq-cancel "$C"
  check 1 "" "" fq-pgrep film
  check 0 "$C" "" fq-pgrep -a film
  check 0 "$C" "" fq-pgrep -f canceled .
  check 0 "NAME       ST
frame-1     S" "" fq-pgrep -o '{name:<10} {status_abbrev:>2}' frame-1
  check 0 "frame-1" "" fq-pgrep -n -o '{name}' frame-1
  check 1 "" "" fq-pgrep --max-entries=1 frame-22
  check 0 "$B" "" fq-pgrep --max-entries=0 frame-22
}

@test "however many jobs there are, all are looked at" {
  # Listed with a heading, as JSON, sorted, and canceled.
  fq-submit --quiet --urgency=hold --cc=1-2300 --job-name='n{cc}' true
  check 0 "2300" "" sh -c "fq-pgrep '^n' | wc -l"
  check 0 "2301 n1 n999" "" sh -c "fq-pgrep -o '{name}' --sort=name '^n' | awk 'NR==2 {a=\$0} {b=\$0} END {print NR, a, b}'"
  check 0 "2300" "" sh -c "fq-pgrep --json '^n' | '$PYTHON' -c 'import json,sys; print(len(json.load(sys.stdin)[\"jobs\"]))'"
  check 0 "canceled 2299 jobs" "" fq-pkill '^n([^7]|7.)'
  check 0 "n7" "" fq-pgrep -no '{name}' '^n'
}

@test "fq-pkill passes over jobs that others of them have ended" {
  # The second cannot run any more when the first is canceled.
  local first
  first=$(fq-submit --job-name=chain true)
  fq-submit --quiet --job-name=chain --dependency=afterok:"$first" true
  check 0 "canceled 1 job" "" fq-pkill chain
  check 1 "" "" fq-pgrep chain
}

@test "fq-pkill cancels what fits and says how many" {
  # The others stay.
  check 0 "canceled 2 jobs" "" fq-pkill frame
  check 0 "CA CA S" "" sh -c "fq-jobs -n -o '{status_abbrev}' $A $B $C | xargs"
  check 1 "" "" fq-pkill frame
  check 0 "canceled 1 job" "" fq-pkill -w .
}

@test "fq-pkill -w waits for running jobs" {
  # When it returns they are inactive.
  fq-queue start --quiet
  submit_held job >id
  running job
  check 0 "canceled 1 job" "" fq-pkill --wait '^job$'
  check 0 "CA" "" fq-jobs -n -o '{status_abbrev}' "$(cat id)"
}

@test "wrong expressions and options" {
  # One line, code 2.
  refuses 2 "fq-pgrep: which jobs? give an expression for their names ('.' fits any)" fq-pgrep
  refuses 2 "fq-pkill: which jobs? give an expression for their names ('.' fits any)" fq-pkill
  refuses 2 "fq-pgrep: 'a(b' is not a regular expression: missing )" fq-pgrep 'a(b'
  refuses 2 "fq-pgrep: only one expression can be given, got 'b' too ('a|b' fits either)" fq-pgrep a b
  refuses 2 "fq-pkill: --count: expected a number, got 'x'" fq-pkill -c x .
  refuses 2 "fq-pgrep: format: character 2: unknown field 'nme' (did you mean 'name'?)" fq-pgrep -o '{nme}' .
  check 0 "canceled 3 jobs" "" fq-pkill .
}

@test "--sort and --json, as of fq-jobs" {
  # The code is 1 where nothing fits, with an empty list.
  fq-submit --quiet --urgency=hold --job-name=b true
  fq-submit --quiet --urgency=hold --job-name=a true
  check 0 "a
b" "" fq-pgrep -n -o '{name}' --sort=name '^[ab]$'
  check 0 "$(fq-jobs --json --name=a)" "" fq-pgrep --json '^a$'
  check 1 '{"jobs":[]}' "" fq-pgrep --json nosuch
  refuses 2 "fq-pgrep: sort key 'nme': no such field (did you mean 'name'?)" fq-pgrep --sort=nme .
}

@test "formats of a user's own are those of fq-jobs" {
  # From the same file.
  mkdir -p "$HOME/.config/fq"
  printf '[formats.short]\nformat = "{name}"\n' >"$HOME/.config/fq/jobs.toml"
  fq-submit --quiet --urgency=hold --job-name=mine true
  check 0 "mine" "" fq-pgrep -n -o short mine
  check 0 "       JOBID USER     NAME       ST NTASKS NNODES     TIME INFO" "" sh -c 'fq-pgrep -o full mine | head -n 1'
  FLUX_PGREP_FORMAT_DEFAULT=short check 0 "NAME
mine" "" fq-pgrep mine
}
