# What tools/quickstart and tests/run share, to be sourced: the packages that fq needs, and how it is built.

build_packages=(
  g++ cmake ninja-build mold
  librocksdb-dev libsnappy-dev liblz4-dev libzstd-dev libbz2-dev zlib1g-dev
  nlohmann-json3-dev rapidjson-dev libyaml-cpp-dev libtoml11-dev libflatbuffers-dev flatbuffers-compiler
  libcli11-dev libfmt-dev libhwloc-dev libsodium-dev libpam0g-dev libre2-dev libabsl-dev tzdata
  scdoc
)
# For tools/package.
package_packages=(debhelper dpkg-dev)
test_packages=(libgtest-dev librapidcheck-dev libbenchmark-dev bats jq python3 strace tmux mpich libmpich-dev openmpi-bin
  libopenmpi-dev "${package_packages[@]}" lintian openssh-client openssh-server vim htop)

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || say() { printf '\n== %s\n' "$*"; }

die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# install_packages NAME...  installs those that are missing; as root, or through sudo.
install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "This is no Debian system: see to it that what is in these packages is there: $*"
    return
  fi
  local name missing=()
  for name in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  say "Installing ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "run this as root first: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# configure PRESET OPTION...  makes build/PRESET ready. ccache is used where it is installed, and what one clone has
# compiled serves the others.
configure() {
  local output
  if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
    export CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD} CCACHE_NOHASHDIR=1
  fi
  if ! output=$(cmake --preset "$@" 2>&1); then
    printf '%s\n' "$output" >&2
    die "cmake failed"
  fi
}
