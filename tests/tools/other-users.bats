#!/usr/bin/env bats
# Users of the system beside the one who runs the tests: whose a store is, and who may use its queues.

load helper

setup() {
  prepare
  [ "$(id -u)" = 0 ] || { echo "needs root"; false; }
  OWN=$(mktemp -d)  # that of bats is closed to others
  chmod 711 "$OWN"
  cd "$OWN"
}

# as USER COMMAND...: with the user's own ids and no group beside them.
as() {
  local user=$1
  shift
  setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups "$@"
}
# store_of USER: makes the store for the user, with two queues of which `closed` has the policy on stdin.
store_of() {
  mkdir "$OWN/$1"
  chown "$1" "$OWN/$1"
  STORE=$OWN/$1/store
  export FQ_STORE=$STORE
  OWNER=$1
  { printf 'policy.jobspec.defaults.system.queue = "open"\nqueues.open = {}\n[queues.closed.policy]\n'; cat; } >fq.toml
  as "$1" fq-init --quiet --test-nodes 2:2 --config fq.toml
}
# The check of what a test leaves behind must act as the owner, too.
teardown() {
  if [ -n "${OWNER:-}" ]; then
    as "$OWNER" fq-cancel --all --quiet
    expect "" "$(as "$OWNER" fq-jobs -A -q all -n)"
  fi
  processes leftovers "$STORE"
  cd /
  rm -rf "${OWN:-/nonexistent}"
}

@test "R16.15 a store is its owner's alone, for root too" {
  # Commands that look, that submit and that administer say whose it is; nothing changes.
  local user command before
  store_of nobody </dev/null
  as nobody fq-queue stop --quiet open
  as nobody fq-resource R >R.json
  before=$(as nobody fq-config show; as nobody fq-queue status)
  for user in root games; do
    while read -r command; do
      # shellcheck disable=SC2086
      refuses 1 "${command%% *}: the store '$STORE' belongs to user 65534 (act as that user, or use a store of your own)" as "$user" $command
    done <<'COMMANDS'
fq-jobs
fq-job info ƒ1 jobspec
fq-job data ƒ1 trace
fq-job data ƒ1 trace fq.toml
fq-queue list
fq-resource list
fq-config show
fq-submit true
fq-cancel --all
fq-job purge -f
fq-queue start open
fq-queue disable -m no open
fq-config load /dev/null
fq-resource drain 0
fq-resource undrain 0
fq-resource reload R.json
COMMANDS
  done
  expect "$before" "$(as nobody fq-config show; as nobody fq-queue status)"
}

@test "R33.18 users are let into a queue by name" {
  # Submission and moving there; to be the owner of the store does not help.
  local id
  store_of nobody <<<'access.allow-user = ["games"]'
  refuses 1 "fq-submit: user 'nobody' may not use queue 'closed'" as nobody fq-submit -q closed true
  id=$(as nobody fq-submit --urgency=hold true)
  refuses 1 "fq-update: user 'nobody' may not use queue 'closed'" as nobody fq-update "$id" queue=closed
  check 0 "open" "" as nobody fq-jobs -n -q all -o '{queue}'
  sed -i 's/games/nobody/' fq.toml
  as nobody fq-config load - <fq.toml
  check 0 "" "" as nobody fq-update "$id" queue=closed
  check 0 "nobody" "" as nobody fq-run -q closed id -un
}

@test "R33.19 members of a group are let in" {
  # By the first group of a user, and by those that the system's list of groups adds, whatever groups the command has.
  local user group
  store_of nobody <<<'access.allow-group = ["games"]'
  refuses 1 "fq-submit: user 'nobody' may not use queue 'closed'" as nobody fq-submit -q closed true
  sed -i "s/games/$(id -gn nobody)/" fq.toml
  as nobody fq-config load - <fq.toml
  check 0 "" "" as nobody fq-run -q closed true
  as nobody fq-cancel --all --quiet
  processes leftovers "$STORE"
  IFS=: read -r group user < <(getent group | awk -F: -v OFS=: '$4 != "" { sub(/,.*/, "", $4); print $1, $4; exit }')
  OWNER=
  [ -n "$user" ] || { echo "# no group of this system has members: only first groups are tried" >&3; return; }
  store_of "$user" <<<"access.allow-group = [\"$group\"]"
  check 0 "" "" as "$user" fq-run -q closed true
  as "$user" fq-config load - < <(sed "s/\"$group\"/\"nogroup\"/" fq.toml)
  refuses 1 "fq-submit: user '$user' may not use queue 'closed'" as "$user" fq-submit -q closed true
}
