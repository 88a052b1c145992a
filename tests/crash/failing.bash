# Commands whose calls on the store's files fail (failing_files.cc), for the tests in this folder.

load helper

CALLS="open write sync rename remove resize mkdir mkfifo"
# Both errors, each way; with EVERY_FAULT=1 every error in every way.
HOWS="EIO short tornENOSPC ENOSPC+"
LEAST=4
if [ -n "${EVERY_FAULT-}" ]; then
  HOWS="EIO ENOSPC short tornEIO tornENOSPC EIO+ ENOSPC+"
  LEAST=15
fi

# is_of CALL HOW: there is such a fault of such a call.
is_of() { [ "$1" = write ] || case $2 in short | torn*) false ;; esac; }

# fails_at N CALL HOW COMMAND...: runs it with its Nth CALL failing (HOW+: and all that follow). The exit code is in
# $code, what it said in the files out and err. False when the command has fewer such calls.
fails_at() {
  local fault="$2 ${3%+} $1${3//[^+]/}"
  shift 3
  rm -f faults
  code=0
  LD_PRELOAD="$FAILING_FILES_LIBRARY" FQ_FAULT=$fault FQ_FAULT_STORE=$STORE FQ_FAULT_LOG=$WORK/faults timeout "$LIMIT" "$@" >out 2>err ||
    code=$?
  [ -s faults ] || return 1
  tries=$((tries + 1))
}

# each_fault CHECK COMMAND...: runs COMMAND once for each call on an own file (next_fault), which fails in each way, and
# then CHECK, which looks at $code, `out` and `err`. At least MANY faults, or LEAST.
each_fault() {
  local check=$1 call how n tries=0
  shift
  for call in $CALLS; do
    for how in $HOWS; do
      is_of "$call" "$how" || continue
      n=1
      while fails_at "$n" "$call" "$how" "$@"; do
        "$check" || { echo "$call $how $n: exit $code"; cat out err faults; return 1; }
        n=$(next_fault "$n" "$how")
      done
      "$check" || { echo "no fault: exit $code"; cat out err; return 1; }
    done
  done
  [ "$tries" -ge "${MANY:-$LEAST}" ] || { echo "$tries faults"; return 1; }
}

# one_line: a refusal is one line of fq's own.
one_line() { [ "$(wc -l <err)" = 1 ] && grep -q '^fq' err && ! grep -qi 'terminate\|assert\|internal' err; }

count() { fq-jobs -a -n -c 0 "$@" | wc -l; }

# submitted_or_refused: what is said of a submission is what is listed; $before counts the jobs.
submitted_or_refused() {
  local after
  after=$(count)
  if [ "$code" = 1 ]; then one_line; fi
  [ "$after" = $((before + (code == 0 ? 1 : 0))) ] || { echo "$before -> $after"; return 1; }
  before=$after
}

# note_ids: keeps the id of a job that was acknowledged; a refusal is one line.
note_ids() { if [ "$code" = 0 ]; then cat out >>ids; else one_line; fi; }

# each_ran_once: the jobs whose ids note_ids took are those that are stored, and each has run once.
each_ran_once() {
  fq-jobs -a -n -c 0 -o '{id}' | sort >all
  # shellcheck disable=SC2046
  timeout 120 fq-job status $(cat all)
  expect "$(sort ids)" "$(cat all)"
  expect "$(cat all)" "$(sort ran)"
  all_free
}
