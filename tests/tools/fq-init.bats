#!/usr/bin/env bats
# fq-init: making a store.

load helper

# at_boot STORE: the line about it.
at_boot() { echo "at boot   crontab: @reboot $FQ_BIN_DIR/fq-tick --store $1"; }

setup() { prepare; }

@test "init says what it found and how to use it" {
  # The store, its nodes, cores and GPUs are printed, and the line that makes a store named by --store the used one.
  check 0 "store     $STORE
nodes     3 (node[0-2])
cores     12
gpus      6
use it    export FQ_STORE=$STORE
$(at_boot "$STORE")" "" fq-init --store "$STORE" --test-nodes 3:4:2
}

@test "init takes the place from FQ_STORE" {
  # A place that the environment names needs no line about how to use it.
  FQ_STORE=$STORE check 0 "store     $STORE
nodes     1 (node0)
cores     1
gpus      0
$(at_boot "$STORE")" "" fq-init --test-nodes 1:1
}

@test "init without a place makes the user's own store" {
  # The store goes below XDG_STATE_HOME, else below ~/.local/state, under this host's name.
  local host
  host=$(uname -n)
  XDG_STATE_HOME=$WORK/state check 0 "store     $WORK/state/fq/$host
nodes     1 (node0)
cores     1
gpus      0
$(at_boot "$WORK/state/fq/$host")" "" fq-init --test-nodes 1:1
  check 0 "store     $HOME/.local/state/fq/$host
nodes     1 (node0)
cores     1
gpus      0
$(at_boot "$HOME/.local/state/fq/$host")" "" fq-init --test-nodes 1:1
  XDG_STATE_HOME=relative check 1 "" \
    "fq-init: there is a store in '$HOME/.local/state/fq/$host' already (--force replaces it if it has no active jobs)" \
    fq-init --test-nodes 1:1
}

@test "the line for a boot starts what waits" {
  # What crontab(5) makes of it, run by sh, starts the next job where all was killed; a name that sh or cron would take apart is quoted.
  STORE="$WORK/50% of it's"
  run fq-init --store "$STORE" --test-nodes 1:1
  expect "use it    export FQ_STORE='$WORK/50% of it'\\''s'" "${lines[4]}"
  local command=${lines[5]#at boot   crontab: @reboot }
  expect "$FQ_BIN_DIR/fq-tick --store '$WORK/50\% of it'\\''s'" "$command"
  export FQ_STORE=$STORE
  local id killed
  id=$(submit_held lost)
  submit_held waits
  running lost
  # Gone are their locks, too.
  killed=("$(processes find "$STORE" fq-waker)" "$(shell_of "$id")")
  kill -9 "${killed[@]}"
  processes gone "${killed[@]}"
  sh -c "${command//\\%/%}"
  running waits
  release waits
}

@test "init finds this machine's cores" {
  # Without --R and --test-nodes the inventory has this host's name and the cores that may be used here.
  FQ_STORE=$STORE fq-init --quiet --gpus 0
  FQ_STORE=$STORE check 0 "free 1 $(nproc) 0 $(uname -n)" "" \
    sh -c "fq-resource list -n -o '{state} {nnodes} {ncores} {ngpus} {nodelist}' | sed -n '/^free/p'"
}

@test "--gpus overrides what is found" {
  # --gpus 3 gives the machine three GPUs.
  FQ_STORE=$STORE fq-init --quiet --gpus 3
  FQ_STORE=$STORE check 0 "3" "" sh -c "fq-resource list -n -o '{state} {ngpus}' | sed -n 's/^free //p'"
}

@test "--quiet prints nothing" {
  # A store is made silently.
  check 0 "" "" fq-init --quiet --store "$STORE" --test-nodes 1:1
  check 0 "Job submission is enabled
Scheduling is started" "" fq-queue status --store "$STORE"
}

@test "a store is its owner's alone" {
  # All of it can be read and entered by its owner only, whatever the umask.
  # What is committed later becomes tables, a manifest, files of a job.
  (umask 0 && fq-init --quiet --store "$STORE" --test-nodes 1:1)
  expect "700" "$(stat -c %a "$STORE")"
  expect "" "$(find "$STORE" -perm /077)"
  local large
  large=$(head -c 100000 /dev/zero | tr '\0' x)
  (umask 0 && fq-submit --store "$STORE" --quiet --urgency=hold --cc=1-4 --env="FILL={cc}$large" true)
  (umask 0 && fq-run --store "$STORE" head -c 300000 /dev/zero >"$WORK/out")
  expect "" "$(find "$STORE" -perm /077 ! -type p)"
}

@test "init refuses a place with a store" {
  # A store that exists is kept, unless --force is given and no job is active; then it is replaced.
  make_store 1:1
  fq-submit --urgency=hold --job-name=kept true
  refuses 1 "fq-init: there is a store in '$STORE' already (--force replaces it if it has no active jobs)" \
    fq-init --test-nodes 2:2
  refuses 1 "fq-init: the store '$STORE' has active jobs (cancel them first: fq cancel --all)" \
    fq-init --force --test-nodes 2:2
  check 0 "kept" "" fq-jobs -n -o '{name}'
  fq-cancel --all --quiet
  check 0 "" "" fq-init --quiet --force --test-nodes 2:2
  check 0 "" "" fq-jobs -a -n
  check 0 "4" "" sh -c "fq-resource list -n -o '{state} {ncores}' | sed -n 's/^free //p'"
}

@test "init makes the directories above the store" {
  # A place deep down is made with all above it.
  STORE=$WORK/a/b/c
  check 0 "" "" fq-init --quiet --store "$STORE" --test-nodes 1:1
  [ -d "$STORE/db" ]
}

@test "a relative place is made absolute" {
  # What is printed and stored holds from any directory.
  STORE=$WORK/here
  check 0 "store     $WORK/here
nodes     1 (node0)
cores     1
gpus      0
use it    export FQ_STORE=$WORK/here
$(at_boot "$WORK/here")" "" fq-init --store ./x/../here --test-nodes 1:1
}

@test "init refuses places that cannot hold a store" {
  # A file, a place below a file, a directory without permission and an empty name each get one clear line.
  echo >file
  refuses 1 "fq-init: '$WORK/file' is not a directory" fq-init --store file --test-nodes 1:1
  refuses 1 "fq-init: cannot create directory '$WORK/file/x': Not a directory" fq-init --store file/x --test-nodes 1:1
  refuses 2 "fq-init: the name of the store is empty (--store DIR or FQ_STORE)" fq-init --store "" --test-nodes 1:1
  expect "file" "$(ls)"
}

@test "init removes nothing of the user's" {
  # A directory that has files but is no store is refused, and its files stay, also with --force.
  mkdir -p mine/data
  echo precious >mine/data/thesis
  refuses 1 "fq-init: the directory '$WORK/mine' is not empty and not a store (name one that is empty, or that does not exist yet)" fq-init --store mine --test-nodes 1:1
  refuses 1 "fq-init: the directory '$WORK/mine' is not empty and not a store (name one that is empty, or that does not exist yet)" fq-init --force --store mine --test-nodes 1:1
  expect "precious" "$(cat mine/data/thesis)"
}

@test "init waits for nobody when a store is broken" {
  # A database that cannot be read is refused at once with the reason, not after a time-out on its own lock.
  make_store 1:1
  echo garbage >"$STORE/db/CURRENT"
  run --separate-stderr fq-init --test-nodes 1:1
  expect "1" "$status"
  [[ $stderr == "fq-init: "*"'$STORE'"* && $stderr != *locked* ]]
  rm -r "$STORE"
}

@test "wrong --test-nodes are usage errors" {
  # The form is said, with the text that was given.
  local text
  for text in 3 a:b 1:2:3:4 1:-1 1: :1 ''; do
    refuses 2 "fq-init: --test-nodes: expected N:CORES or N:CORES:GPUS, got '$text'" \
      fq-init --store "$STORE" --test-nodes "$text"
  done
  for text in 1000001:1 1:262145 1:1:1000000; do
    refuses 2 "fq-init: --test-nodes: at most 262144 of each, got '$text'" fq-init --store "$STORE" --test-nodes "$text"
  done
  for text in 0:1 1:0; do
    refuses 2 "fq-init: --test-nodes: needs at least one node with one core, got '$text'" \
      fq-init --store "$STORE" --test-nodes "$text"
  done
  [ ! -e "$STORE" ]
}

@test "--R - reads standard input" {
  # As other commands do.
  fq-init --quiet --store "$STORE" --R - <<<'{"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-1"}}],"nodelist":["n"]}}'
  FQ_STORE=$STORE check 0 "1 Node, 2 Cores, 0 GPUs" "" fq-resource info
}

@test "wrong options are usage errors and make nothing" {
  # Options that exclude each other, are unknown, lack a value or have a wrong one; operands.
  refuses 2 "fq-init: --R cannot be used with --test-nodes" \
    fq-init --store "$STORE" --test-nodes 1:1 --R x
  refuses 2 "fq-init: --gpus cannot be used with --test-nodes" fq-init --store "$STORE" --test-nodes 1:1 --gpus 2
  refuses 2 "fq-init: --gpus: expected a number up to 1024, got 'two'" fq-init --store "$STORE" --gpus two
  refuses 2 "fq-init: unknown option '--test-node' (did you mean '--test-nodes'?)" fq-init --test-node 1:1
  refuses 2 "fq-init: option '--store' needs a value: --store DIR" fq-init --store
  refuses 2 "fq-init: unexpected operand 'somewhere'" fq-init somewhere
  [ ! -e "$STORE" ]
}

@test "R20.1-7 --R takes an RFC 20 resource set" {
  # The nodes, cores, GPUs and properties of the file are the inventory, as fq resource R prints it.
  cat >R.json <<'J'
{"version": 1, "execution": {"R_lite": [{"rank": "0-3", "children": {"core": "0-47", "gpu": "0-7"}}],
 "starttime": 0, "expiration": 0, "nodelist": ["node[186-189]"], "properties": {"batch": "0-1", "amd-mi50@gpu": "2"}}}
J
  check 0 "store     $STORE
nodes     4 (node[186-189])
cores     192
gpus      32
use it    export FQ_STORE=$STORE
$(at_boot "$STORE")" "" fq-init --store "$STORE" --R R.json
  export FQ_STORE=$STORE
  fq-resource R | "$PYTHON" -c '
import json, sys
r = json.load(sys.stdin)["execution"]
print(r["nodelist"], r["properties"], r["R_lite"])' >got
  expect "['node[186-189]'] {'amd-mi50@gpu': '2', 'batch': '0-1'} [{'rank': '0-3', 'children': {'core': '0-47', 'gpu': '0-7'}}]" "$(cat got)"
}

@test "R20.20 an inventory's ranks begin at 0" {
  # What another instance allocated is re-ranked when it becomes this one's inventory.
  cat >R.json <<'J'
{"version": 1, "execution": {"R_lite": [{"rank": "19,22", "children": {"core": "3-4"}}], "nslots": 2,
 "starttime": 0, "expiration": 0, "nodelist": ["a,b"]}}
J
  fq-init --quiet --store "$STORE" --R R.json
  FQ_STORE=$STORE fq-resource R | grep -o '"rank":"[^"]*"' >got
  expect '"rank":"0-1"' "$(cat got)"
}

@test "wrong resource sets are refused and make nothing" {
  # The message names the file or the place in it.
  echo '{' >broken
  echo '{"version": 2, "execution": {"R_lite": [], "nodelist": [], "starttime": 0, "expiration": 0}}' >version2
  echo '{"version": 1, "execution": {"R_lite": [], "nodelist": [], "starttime": 0, "expiration": 0}}' >empty
  echo '{"version": 1, "execution": {"R_lite": [{"rank": "0-1", "children": {"core": "0"}}], "nodelist": ["a"]}}' >nodes
  refuses 1 "fq-init: cannot open 'nosuch': No such file or directory" fq-init --store "$STORE" --R nosuch
  refuses 1 "fq-init: R: execution.R_lite: expected at least one entry" fq-init --store "$STORE" --R empty
  refuses 1 "fq-init: R: version: expected 1, got 2" fq-init --store "$STORE" --R version2
  refuses 1 "fq-init: R: line 2, column 1: not valid JSON" fq-init --store "$STORE" --R broken
  refuses 1 "fq-init: R: execution.nodelist: expected one host for each of the 2 ranks, got 1" \
    fq-init --store "$STORE" --R nodes
  [ ! -e "$STORE" ]
}

@test "a directory that is no store is left as it was" {
  # Nothing is made in it, not even the lock.
  mkdir other && touch other/file
  refuses 1 "fq-init: the directory '$WORK/other' is not empty and not a store (name one that is empty, or that does not exist yet)" \
    fq-init --store "$WORK/other"
  expect "file" "$(ls other)"
}

@test "--config makes the queues, or nothing" {
  # A file or a directory; what is wrong in it is told with its line, and no store is made.
  prepare
  printf '[queues.batch]\n[queues.batch.policy.limits]\nduration = "1h"\n' >site.toml
  printf '[queues.batch]\nhots = "node0"\n' >wrong.toml
  refuses 1 "fq-init: wrong.toml:2: queues.batch.hots: unknown key (did you mean 'hosts'?)" \
    fq-init --quiet --store "$STORE" --test-nodes 2:2 --config wrong.toml
  [ ! -e "$STORE" ]
  refuses 1 "fq-init: cannot open 'nosuch.toml': No such file or directory" fq-init --quiet --store "$STORE" --config nosuch.toml
  check 0 "" "" fq-init --quiet --store "$STORE" --test-nodes 2:2 --config site.toml
  check 0 "batch* 1h" "" fq-queue list --store "$STORE" -n -o '{queuem} {limits.timelimit}'
}
