#!/usr/bin/env bats
# What one request makes the engine take of memory (memory.py): many times its length for small things, and no more than is
# allowed for all.

load helper

# The text of a request, 256 MiB, read and decoded; what its JSON becomes, 512 MiB (kMaxJsonBytes); or of jobspecs that stand in it.
MOST=1280

# asked USER MIB HEAD PIECE TAIL: what comes in answer; PEAK is what the engine had, in MiB.
asked() {
  local said
  said=$(as fq timeout "$LIMIT" /usr/libexec/memory.py "${@:2}" fq-engine --store /var/lib/fq --user "$1" --user-group "$1")
  PEAK=${said##*$'\n'}
  echo "# ${*:2}: $PEAK MiB" >&3
  [ "$PEAK" -le "$MOST" ]
  printf '%s\n' "${said%$'\n'*}" >"$BATS_TEST_TMPDIR/said"
}
said() { cat "$BATS_TEST_TMPDIR/said"; }
TOO_LARGE="E request: its value takes more than 536870912 bytes of memory"

setup_file() {
  make_world
  install_gate
  nsenter -t "$(cat "$BATS_FILE_TMPDIR/world")" -m -- install -m 755 "$BATS_TEST_DIRNAME/memory.py" /usr/libexec
}

@test "small things without number are refused in one line" {
  local piece
  asked 64101 63 'require-jobs\n{"ids":[1' ',1' ']}'
  expect "$TOO_LARGE" "$(said)"
  for piece in ',{}' ',[]' ',""' ',{"copies":"1"}' ',{"rows":[[],[],[]]}'; do
    asked 64101 255 'submit\n{"groups":[{}' "$piece" ']}'
    expect "$TOO_LARGE" "$(said)"
  done
  asked 64101 255 'submit\n{"groups":[{"rows":[[]' ',[]' ']}]}'
  expect "$TOO_LARGE" "$(said)"
  # What has no end of JSON, or two, is looked at no less sparingly.
  asked 64101 255 'submit\n{"groups":[1' ',1' ']}\0'
  expect E "$(said | cut -c1)"
  asked 64101 16 'require-jobs\n\xef\xbb\xbf{"ids":[1' ',{}' ']}'
  expect E "$(said | cut -c1)"
}

@test "what fits is answered, and takes no more either" {
  asked 64101 30 'require-jobs\n{"ids":[1' ',1' ']}'
  expect "E job ƒ2 does not exist" "$(said)"
  asked 64101 63 'queue-priorities\n{"queue":"' 'x' '"}'
  expect "E queue 'xxxx" "$(said | cut -c1-13)"
  asked 64101 63 'require-jobs\n{' ' ' '}'
  expect "R {}" "$(said)"
  asked 64101 65 'require-jobs\n{' ' ' '}'
  expect "E 68157440 bytes are too many for a request 'require-jobs': at most 67108864" "$(said)"
  asked 64101 255 'submit\n{"groups":[{"J":"' 'x' '"}]}'
  expect E "$(said | cut -c1)"
  asked 64101 16 'submit\n{"groups":[{"rows":[[]' ',["1"]' ']}]}'
  expect E "$(said | cut -c1)"
}

@test "jobspecs are shorter than that" {
  local user
  for user in 64101 990; do
    asked "$user" 250 'submit\n{"groups":[{"jobspec":{"pieces":["{\\"version\\":1,\\"x\\":[0' ',{}' ']}"]}}]}'
    expect "E jobspec: 262143948 bytes are more than the 4194304 allowed" "$(said)"
    asked "$user" 3 'submit\n{"groups":[{"jobspec":{"pieces":["{\\"version\\":1,\\"x\\":[0' ',{}' ']}"]}}]}'
    expect "E jobspec: missing key 'resources'" "$(said)"
  done
  # Of many only some are kept at once; the last one is none.
  as fqtest-a sh -c 'cd /mnt && fq-submit --dry-run true' | /usr/bin/python3 -c 'import json, sys
jobspec = json.load(sys.stdin)
jobspec["attributes"]["user"] = {"x": [{}] * 1300000}
print(json.dumps({"urgency": 0, "jobspec": {"pieces": [json.dumps(jobspec, separators=(",", ":"))]}}), end=",")' >"$(where piece)"
  asked 990 255 'submit\n{"groups":[' @/mnt/piece '{}]}'
  expect E "$(said | cut -c1)"
}

@test "operations are short" {
  asked 64101 --live 255 'watch' ' 1' ''
  expect "E an operation in 267386879 bytes is too long: at most 65536" "$(said)"
}
