#!/usr/bin/env bats
# Files of a store that were flipped, cut, emptied or removed: each answer is right, or a refusal that names the damage and
# changes nothing. By hand with 500 rounds and other seeds: damage.py.

load helper

setup() { prepare; }

@test "files of a store are harmed at random" {
  run "$PYTHON" "$CRASH_DIR/damage.py" "$FQ_BIN_DIR" "${DAMAGE_SEED:-1}" "${DAMAGE_ROUNDS:-30}"
  [ "$status" = 0 ] || { echo "$output"; return 1; }
}
