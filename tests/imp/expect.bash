# What is expected of texts, and of commands that end.

bats_require_minimum_version 1.5.0

# expect WANTED GOT: two texts are the same.
expect() {
  [ "$1" = "$2" ] && return
  diff -u --label expected --label got <(printf '%s\n' "$1") <(printf '%s\n' "$2") | tail -n +3
  return 1
}
# refuses CODE MESSAGE COMMAND...: nothing on stdout, MESSAGE alone on stderr.
refuses() {
  local code=$1 message=$2
  shift 2
  run --separate-stderr "$@" </dev/null
  # shellcheck disable=SC2154
  expect "$code||$message" "$status|$output|$stderr"
}
# until_so COMMAND...: looks until it is so.
until_so() { timeout "$LIMIT" bash -c 'until "$@"; do read -rt 0.02 <> <(:) || :; done' until_so "$@"; }
