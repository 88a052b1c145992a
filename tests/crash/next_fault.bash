# next_fault N [HOW]: which call fails next, after the Nth. The first two, then every fourth to seventh, of each way
# others; with EVERY_FAULT=1 each.
next_fault() {
  local next=$(($1 + 1)) how=${2-}
  if [ -z "${EVERY_FAULT-}" ] && [ "$next" -gt 2 ]; then
    next=$((next + 3 + (${#how} + next) % 4))
  fi
  echo "$next"
}
