# Shared by the scripts of this folder; sourced, after `set -euo pipefail`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# olderThan A B: whether version A comes before version B.
olderThan() { [[ $1 != "$2" && $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]; }

# What the build asks for stands where CMake reads it.
leastToolkit() { sed -n 's/.*CAIRN_LEAST_TOOLKIT \([0-9.]*\)).*/\1/p' "$root/cmake/CairnCompiler.cmake"; }
leastCmake() { sed -n 's/^cmake_minimum_required(VERSION \([0-9.]*\)).*/\1/p' "$root/CMakeLists.txt"; }

toolkitVersion() { "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p'; }

# Path of an nvcc that is new enough: CUDACXX, the one on PATH, or one where toolkits usually lie. Status 1 without; a line says so if one is too old.
findNvcc() {
  local candidate version least old=""
  least=$(leastToolkit)
  for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" "${CUDA_HOME:-}/bin/nvcc" "${CUDA_PATH:-}/bin/nvcc" /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc; do
    [[ -x $candidate ]] || continue
    version=$(toolkitVersion "$candidate") || version=""
    if [[ -n $version ]] && ! olderThan "$version" "$least"; then
      echo "$candidate"
      return 0
    fi
    old=${old:-"the CUDA toolkit of $candidate is ${version:-of unknown version}, and $least or later is needed"}
  done
  if [[ -n $old ]]; then echo "$old" >&2; fi
  return 1
}

# Whether there is a GPU that CUDA could run on. The driver's own program knows best; containers and WSL may have the device's file alone.
haveDevice() {
  if have nvidia-smi; then
    [[ $(nvidia-smi -L 2>/dev/null) == *"GPU "* ]]
  else
    compgen -G '/dev/nvidia[0-9]*' >/dev/null || [[ -e /dev/dxg ]]
  fi
}

# deviceArchitectures NVCC: CMAKE_CUDA_ARCHITECTURES that make code for this machine's devices alone, since each architecture takes nvcc's assembler a
# quarter of an hour or more; without a device PTX, which needs no assembler. Nothing where the driver does not say, or this nvcc does not know them.
deviceArchitectures() {
  local kind kinds known architectures=""
  if ! haveDevice; then
    echo 90-virtual
    return
  fi
  kinds=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | sort -u) || kinds=""
  known=$("$1" --list-gpu-code 2>/dev/null) || known=""
  for kind in $kinds; do
    [[ " ${known//$'\n'/ } " == *" sm_$kind "* ]] || return 0
    architectures+=";$kind-real"
  done
  echo "${architectures#;}"
}

# choosePreset run|test: the preset that suits this machine. Both backends where there is a toolkit; to run something, where there is a device too, since
# nvcc takes minutes for what could not be started. CAIRN_PRESET overrides it.
choosePreset() {
  local found
  if [[ -n ${CAIRN_PRESET:-} ]]; then
    echo "$CAIRN_PRESET"
  elif [[ $1 == run ]] && ! haveDevice; then
    echo "no NVIDIA device: building the CPU backend (CAIRN_PRESET=cuda builds both)" >&2
    echo cpu
  elif found=$(findNvcc 2>&1); then
    echo cuda
  else
    echo "${found:-no CUDA toolkit}: building the CPU backend" >&2
    echo cpu
  fi
}

cmakeVersion() { cmake --version 2>/dev/null | sed -n '1s/.*version \([0-9.]*\).*/\1/p'; }
cmakeIsOld() {
  local version
  version=$(cmakeVersion) || version=""
  olderThan "${version:-0}" "$(leastCmake)"
}

# Puts a CMake that is new enough before others on PATH, with its ctest: one from PyPI, in build/tools, where the system's is older.
useCmake() {
  cmakeIsOld || return 0
  local tools=$root/build/tools least program
  least=$(leastCmake)
  if [[ ! -x $tools/bin/cmake ]]; then
    echo "CMake $(cmakeVersion || true) is older than $least: getting a newer one from PyPI for build/tools"
    mkdir -p "$tools/bin"
    if ! { python3 -m venv "$tools/environment" && "$tools/environment/bin/python3" -m pip install --quiet "cmake>=$least,<4"; } >"$tools/log" 2>&1; then
      tail -n 5 "$tools/log" >&2
      fail "needs CMake $least or later: PyPI's could not be installed (python3-venv and network needed); put a newer one on PATH"
    fi
    for program in cmake ctest; do ln -sf "../environment/bin/$program" "$tools/bin/$program"; done
  fi
  PATH=$tools/bin:$PATH
}

# missingPackages PART...: packages (Debian's names) of these parts whose headers the compiler does not find, wherever they come from.
#   headers: headers alone; program: these and what else the program needs; tests: the tests; live: `cairn view --live`;
#   extras: more benchmarks, the comparisons with Bullet and ODE, plots, films, recordings in Python
missingPackages() {
  local part header package python
  while read -r part header package; do
    [[ " $* " == *" $part "* || ($part == headers && " $* " == *" program "*) ]] || continue
    # Alternatives: some distributions have a folder of their own.
    printf '#if !__has_include(<%s>)\n%s\n#endif\n' "${header//|/">) && !__has_include(<"}" "$package"
  done <<'END' | { if have "${CXX:-c++}"; then "${CXX:-c++}" -std=c++17 -E -P -xc++ -; else grep -v '^#'; fi; } | tr -s '\n'
headers Eigen/Core|eigen3/Eigen/Core libeigen3-dev
headers nlohmann/json.hpp nlohmann-json3-dev
program CLI/CLI.hpp libcli11-dev
headers fmt/core.h libfmt-dev
program libqhull_r/libqhull_r.h libqhull-dev
program png.h libpng-dev
program hdf5.h|hdf5/serial/hdf5.h libhdf5-dev
program tiny_obj_loader.h libtinyobjloader-dev
program zlib.h zlib1g-dev
live boost/beast/websocket.hpp libboost-dev
tests gtest/gtest.h libgtest-dev
tests fcl/fcl.h libfcl-dev
tests ccd/ccd.h libccd-dev
extras benchmark/benchmark.h libbenchmark-dev
extras btBulletCollisionCommon.h|bullet/btBulletCollisionCommon.h libbullet-dev
extras ode/ode.h libode-dev
END
  [[ " $* " == *" extras "* ]] || return 0
  have ffmpeg || echo ffmpeg
  havePythonModule h5py || echo python3-h5py
  havePythonModule matplotlib || echo python3-matplotlib
}

# As `cairn plot` looks for them.
havePythonModule() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c "import $1" 2>/dev/null; then return 0; fi
  done
  return 1
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
  useCmake
  local arguments=("$@")
  read -ra extra <<<"${CAIRN_CMAKE_ARGS:-}"
  if have ccache; then
    # A clone elsewhere finds what this one compiled: paths count from the root, and debug information does not name the folder.
    export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
    arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    case $preset in cpu* | cuda-emulated | aarch64 | fuzz) ;; *) arguments+=(-DCMAKE_CUDA_COMPILER_LAUNCHER=ccache) ;; esac
  fi
  # CMake takes the nvcc on PATH, which may be older than another one.
  local nvcc architectures forDevices=()
  case $preset in cuda | cuda-debug | gpu-check) if nvcc=$(findNvcc); then export CUDACXX=$nvcc; fi ;; esac
  # A folder that somebody has configured stays as it is.
  if [[ $first == yes && -n ${nvcc:-} && $preset != gpu-check ]]; then
    architectures=$(deviceArchitectures "$nvcc")
    if [[ -n $architectures ]]; then forDevices=("-DCMAKE_CUDA_ARCHITECTURES=$architectures"); fi
  fi
  mkdir -p "${log%/*}"
  if ! (cd "$root" && cmake --preset "$preset" "${forDevices[@]}" "${extra[@]}" "${arguments[@]}") >"$log" 2>&1; then
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
