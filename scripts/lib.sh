# Shared by the scripts of this folder; sourced, after `set -euo pipefail`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# Path of nvcc, on PATH or where the toolkit usually lies; status 1 without.
findNvcc() {
  local candidate
  for candidate in "$(command -v nvcc || true)" "${CUDA_HOME:-}/bin/nvcc" "${CUDA_PATH:-}/bin/nvcc" /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc; do
    if [[ -x $candidate ]]; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

# The preset that suits this machine: both backends where there is a toolkit. CAIRN_PRESET overrides it.
choosePreset() {
  if [[ -n ${CAIRN_PRESET:-} ]]; then
    echo "$CAIRN_PRESET"
  elif findNvcc >/dev/null; then
    echo cuda
  else
    echo cpu
  fi
}

# Compile jobs: one a processor, but 2 GB of memory for each.
jobCount() {
  local processors memory
  processors=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 2097152) }' /proc/meminfo 2>/dev/null || echo "$processors")
  if ((memory < 1)); then memory=1; fi
  echo $((memory < processors ? memory : processors))
}

# configure PRESET [CMAKE ARGUMENTS]: what was found is shown the first time, and everything if it fails.
# CAIRN_CMAKE_ARGS: more arguments, separated by blanks.
configure() {
  local preset=$1 log=$root/build/$1/configure.log first=yes
  shift
  [[ -f $root/build/$preset/build.ninja ]] && first=no
  local arguments=("$@")
  read -ra extra <<<"${CAIRN_CMAKE_ARGS:-}"
  if have ccache; then
    arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    case $preset in cpu* | cuda-emulated) ;; *) arguments+=(-DCMAKE_CUDA_COMPILER_LAUNCHER=ccache) ;; esac
  fi
  mkdir -p "${log%/*}"
  if ! (cd "$root" && cmake --preset "$preset" "${extra[@]}" "${arguments[@]}") >"$log" 2>&1; then
    cat "$log" >&2
    fail "configuring build/$preset failed"
  fi
  if [[ $first == yes ]]; then sed -n '/^-- Cairn /,/^-- Configuring done/p' "$log" | sed '$d'; fi
  grep -A 8 'CMake Warning' "$log" || true
}

# build PRESET [TARGETS]: ninja's output, which is one line where nothing changed.
build() {
  local preset=$1
  shift
  local targets=()
  if (($# > 0)); then targets=(--target "$@"); fi
  (cd "$root" && cmake --build "build/$preset" -j "$(jobCount)" "${targets[@]}") || fail "building build/$preset failed"
}
