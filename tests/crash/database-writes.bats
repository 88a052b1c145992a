#!/usr/bin/env bats
# Writes of the database's files that come to half: the rest follows, or an error does. The answer is what a fresh reader
# then sees. (Calls that fail whole: failed-writes.bats; merges: database-merges.bats.)

load failing

setup() {
  make_store 1:4
  export FQ_FAULT_FILES=database
  CALLS=write
  HOWS="short tornEIO tornENOSPC"
}

large() { head -c 60000 /dev/urandom | od -An -v -tx1 | tr -d ' \n'; }

@test "writes of the database come to half while a job is submitted" {
  # A held one: what is said is what is listed.
  local before=0
  MANY=2 each_fault submitted_or_refused fq-submit --urgency=hold true
}

whole_or_refused() {
  local after
  after=$(count)
  if [ "$code" = 1 ]; then one_line; fi
  [ "$after" = $((before + (code == 0 ? 8 : 0))) ] || { echo "$before -> $after"; return 1; }
  before=$after
}

@test "writes of the database come to half while a large submission is flushed" {
  # A log of a megabyte, the tables that it becomes, the manifest that names them: all eight jobs or none.
  local before=0
  FILL=$(large) MANY=5 each_fault whole_or_refused fq-submit --quiet --urgency=hold --cc=1-8 --env=N={cc} true
}

@test "writes of the database come to half while a job is started" {
  # Whatever was acknowledged is there and runs once; whatever was refused has left nothing.
  MANY=2 each_fault note_ids fq-submit sh -c 'echo "$FQ_JOB_ID" >>ran'
  each_ran_once
}

canceled_or_held() {
  if [ "$code" = 0 ]; then
    [ "$(status_of "$(cat id)")" = CA ] && fq-submit --urgency=hold true >id
  else
    one_line && [ "$(status_of "$(cat id)")" = S ]
  fi
}

@test "writes of the database come to half while a job is canceled" {
  # It is canceled, or as it was.
  fq-submit --urgency=hold true >id
  MANY=2 each_fault canceled_or_held sh -c 'exec fq-cancel "$(cat id)"'
}

@test "writes of the database come to half under a job shell" {
  # It tries until the end is stored, with its own status and all output; the job runs once.
  local how n more id said
  wrap_shells "[ -e '$WORK/fault' ] || exec \"\$0.real\" \"\$@\"
  LD_PRELOAD='$FAILING_FILES_LIBRARY' FQ_FAULT_FILES=database FQ_FAULT=\"\$(cat '$WORK/fault')\" FQ_FAULT_STORE='$STORE' FQ_FAULT_LOG='$WORK/faults' exec \"\$0.real\" \"\$@\""
  for how in $HOWS; do
    n=1 more=1
    while [ "$more" = 1 ]; do
      rm -f faults ran
      echo "write $how $n" >fault
      id=$(fq-submit sh -c 'echo ran >>ran; echo word; exit 7')
      ended "$id"
      [ -s faults ] || more=0
      expect "F 7 ran word" "$(fq-jobs -n -o '{status_abbrev} {returncode}' "$id") $(cat ran) $(fq-job attach "$id" 2>/dev/null)"
      n=$(next_fault "$n" "$how")
    done
    [ "$n" -ge 2 ]
  done
  rm fault
  all_free
}
