#!/usr/bin/env bats
# Logging out: in a control group that is named, delegated and ended as systemd's manager of a user is. Root makes
# the group and becomes somebody else.

load helper

setup() {
  prepare
  MANAGER= PLACE=
  local mount manager
  mount=$(awk '$3 == "cgroup2" {print $2; exit}' /proc/self/mounts)
  manager=$mount/fq-test-$BASHPID/user@65534.service
  [ "$(id -u)" = 0 ] && [ -n "$mount" ] && mkdir -p "$manager/app.scope" 2>/dev/null || return 0
  if [ ! -w "$manager/cgroup.kill" ] || ! getent passwd 65534 >/dev/null; then
    find "${manager%/*}" -depth -type d -exec rmdir {} +
    return 0
  fi
  PLACE=$(mktemp -d /tmp/fq-other-XXXXXX)
  MANAGER=$manager
  chown -R 65534:65534 "$MANAGER" "$PLACE"
  export FQ_STORE=$PLACE/store HOME=$PLACE
  STORE=$PLACE/store
  cd "$PLACE"
}

# in_session COMMAND...: as a program of that user's desktop is run.
in_session() {
  sh -c 'echo $$ >"$0"; exec "$@"' "$MANAGER/app.scope/cgroup.procs" \
    setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# What logind does when the user's last session ends.
log_out() {
  echo 1 >"$MANAGER/cgroup.kill"
  timeout "$LIMIT" sh -c 'until grep -q "^populated 0" "$0"; do sleep 0.02; done' "$MANAGER/cgroup.events"
}

@test "a submission on a terminal says once that its job ends with the session, and so it does" {
  # The first one says it, the second does not. The job is lost with the session, and the next command finds it so.
  # Only where a control group can be made, and ended as a whole.
  [ -n "$MANAGER" ] || return 0
  local first
  in_session fq-init --quiet --store "$STORE" --test-nodes 1:2
  first=$(in_session "$PYTHON" "$TESTS_DIR/terminal.py" 100 fq-submit tail -f /dev/null)
  expect "fq-submit: your jobs end when you log out; \`loginctl enable-linger\` lets them stay
exit 0" "$(sed '/^ƒ/d' <<<"$first")"
  expect "exit 0" "$(in_session "$PYTHON" "$TESTS_DIR/terminal.py" 100 fq-submit --urgency=hold true | sed '/^ƒ/d')"
  expect "S R" "$(in_session fq-jobs -n -o '{status_abbrev}' | xargs)"
  log_out
  expect "S F" "$(in_session fq-jobs -a -n -o '{status_abbrev}' | xargs)"
  in_session fq-cancel --all --quiet
  log_out
  find "${MANAGER%/*}" -depth -type d -exec rmdir {} +
  rm -rf "$PLACE"
}
