#!/usr/bin/env bats
# EIO and ENOSPC at each call that changes something: the answer is what a fresh reader then sees.

load helper

setup() { make_store 1:2; }

CALLS="write pwrite64 fsync fdatasync rename link unlink ftruncate fallocate mkdir"

# fails_at N CALL FAULT COMMAND...: runs it with its Nth CALL failing (N+: and all that follow); FAULT is error=NAME. The
# exit code is in $code, what it said in the files out and err. False when the command has fewer such calls.
fails_at() {
  local n=$1 call=$2 fault=$3
  shift 3
  code=0
  strace -qq -o trace -e trace="$call" -e inject="$call":"$fault":when="$n" "$@" >out 2>err </dev/null || code=$?
  grep -q INJECTED trace
}

# one_line: what a refusal says is one line of fq's own, unless writing that failed too.
one_line() {
  grep -q '^write(2, .*INJECTED' trace && return
  [ "$(wc -l <err)" = 1 ] && grep -q '^fq' err && ! grep -qi 'terminate\|assert\|internal' err && return
  echo "$call $n: exit $code"
  cat err trace
  return 1
}

count() { fq-jobs -a -n -c 0 | wc -l; }

# honest COMMAND...: for each fault, COMMAND, which submits one held job, says truly whether there is one more.
honest() {
  local fault call n code before=0 after faults=0 on
  for fault in error=EIO error=ENOSPC error=EIO+ error=ENOSPC+; do
    on=${fault//[^+]/}
    for call in $CALLS; do
      n=1
      while fails_at "$n$on" "$call" "${fault%+}" "$@"; do
        faults=$((faults + 1))
        after=$(count)
        case $code in
          0) [ "$after" = $((before + 1)) ] || { echo "$call $n $fault: said done, is not"; cat trace; return 1; } ;;
          1)
            one_line
            # A job id that cannot be printed is a stored job, and the message says so.
            if grep -q 'standard output' err || grep -q '^write(1, .*INJECTED' trace; then before=$((before + 1)); fi
            if grep -q 'outcome unknown: ' err; then before=$after; fi
            [ "$after" = "$before" ] || { echo "$call $n $fault: said no, is done"; cat err trace; return 1; }
            ;;
          *) echo "$call $n $fault: exit $code"; cat err trace; return 1 ;;
        esac
        before=$after
        n=$(next_fault "$n" "$fault")
      done
      [ "$code" = 0 ] || { cat err; return 1; }
      before=$((before + 1))
    done
  done
  [ "$faults" -ge 8 ]
}

@test "a submission whose writes fail says what is true" {
  # Held jobs: nothing but the store changes.
  honest fq-submit --urgency=hold true
}

@test "a bulk submission whose writes fail is whole or not there" {
  # Fifty copies or none, and the answer says which.
  local call n code before after
  for call in write fdatasync fsync rename; do
    n=1
    before=$(count)
    while fails_at "$n" "$call" error=EIO fq-submit --quiet --urgency=hold --cc=1-50 true; do
      after=$(count)
      [ "$after" = "$((before + (code == 0 ? 50 : 0)))" ] || { echo "$call $n: exit $code, $before -> $after"; cat err trace; false; }
      [ "$code" = 0 ] || one_line
      before=$after
      n=$(next_fault "$n" "$call")
    done
  done
}

@test "a job whose submission fails does not start" {
  # What is stored runs once; what was refused leaves no job, no process, no file.
  local call n code
  for call in $CALLS; do
    n=1
    while fails_at "$n" "$call" error=EIO fq-submit sh -c 'echo "$FQ_JOB_ID" >>ran'; do
      case $code in
        0) cat out >>ids ;;
        1) one_line ;;
        *) echo "$call $n: exit $code"; cat err trace; false ;;
      esac
      n=$(next_fault "$n" "$call")
    done
    cat out >>ids
  done
  fq-jobs -a -n -c 0 -o '{id}' | sort >all
  # shellcheck disable=SC2046
  timeout 120 fq-job status $(cat all)
  # Each that was acknowledged is there, and each that is there has run once.
  expect "" "$(sort ids | comm -23 - all)"
  expect "$(cat all)" "$(sort ran)"
  all_free
}

@test "a cancel whose writes fail says what is true" {
  # The job runs on after a refusal and is canceled after a success; a second cancel ends it.
  local call n code id more=1
  for call in write pwrite64 fdatasync fsync rename; do
    n=1 more=1
    while [ "$more" = 1 ]; do
      id=$(fq-submit --urgency=hold true)
      fails_at "$n" "$call" error=EIO fq-cancel "$id" || more=0
      case $code in
        0) expect "CA" "$(status_of "$id")" ;;
        1)
          one_line
          expect "S" "$(status_of "$id")"
          fq-cancel "$id"
          ;;
        *) echo "$call $n: exit $code"; cat err trace; false ;;
      esac
      n=$(next_fault "$n" "$call")
    done
  done
}

@test "a shell whose writes fail ends its job with its own status" {
  # It tries until the end is stored: 7 as the task had it, or failed where the job could not be run; it runs at most
  # once, and its resources are free.
  local call n id more said
  wrap_shells "[ -e '$WORK/fault' ] || exec \"\$0.real\" \"\$@\"
  read call n <'$WORK/fault'
  strace -qq -o '$WORK/trace.new' -e trace=\$call -e inject=\$call:error=EIO:when=\$n \"\$0.real\" \"\$@\"
  mv '$WORK/trace.new' '$WORK/trace'
  exit"
  for call in $CALLS; do
    n=1 more=1
    while [ "$more" = 1 ]; do
      rm -f trace ran
      echo "$call $n" >fault
      id=$(fq-submit sh -c 'echo ran >>ran; exit 7')
      ended "$id"
      until_true test -s trace -o -e trace
      grep -q INJECTED trace || more=0
      said=$(fq-jobs -n -o '{status_abbrev} {returncode}' "$id")
      case "$said $(cat ran 2>/dev/null)" in
        "F 7 ran" | "F 1 " | "F 1 ran" | "F 126 ") ;;
        *) echo "$call $n: $said $(cat ran)"; fq-job eventlog "$id"; cat trace; false ;;
      esac
      n=$(next_fault "$n" "$call")
    done
    [ "$said" = "F 7" ]
  done
  rm fault
  all_free
}
