"""What scripts/run, scripts/test and scripts/setup make of machines that lack something. Each test makes up such a machine: a folder with a copy of the
scripts, whose paths all lie in it, and with programs on PATH that stand in for the real ones and note how they were called."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PLAIN_TOOLS = "bash env sed awk sort head tail grep tr cat mkdir rm ln dirname mktemp nproc chmod touch".split()

CMAKE = """echo "$0 $* CUDACXX=${CUDACXX:-}" >>"$BOX/calls"
case $1 in
  --version) echo "cmake version VERSION" ;;
  --build) printf '#!/bin/bash\\necho "ran $0 $*"\\n' >"$BOX/$2/cairn"; chmod +x "$BOX/$2/cairn" ;;
esac"""
# A compiler that finds all headers but those of the packages in MISSING.
COMPILER = "for package in $(grep -v '^#'); do [[ \" ${MISSING:-} \" != *\" $package \"* ]] || echo $package; done"
# A Python whose environments have a pip that brings cmake 3.31.
PYTHON = """case "$1 ${2:-}" in
  "-m venv") mkdir -p "$3/bin"; printf '#!/bin/bash\\n%s\\n' "$PIP" >"$3/bin/python3"; chmod +x "$3/bin/python3" ;;
esac"""
PIP = """echo "pip $*" >>"$BOX/calls"
cd "${0%/*}"; cp "$BOX/bin/cmake" cmake; sed -i 's/version [0-9.]*/version 3.31.0/' cmake; cp cmake ctest"""
SUDO_REFUSES, APT = "exit 1", 'echo "apt-get $*" >>"$BOX/calls"'


class Machine(unittest.TestCase):
    def setUp(self):
        self.box = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.box)
        for folder in ("bin", "scripts", "cmake"):
            (self.box / folder).mkdir()
        shutil.copy(ROOT / "CMakeLists.txt", self.box)
        shutil.copy(ROOT / "cmake/CairnCompiler.cmake", self.box / "cmake")
        for name in ("lib.sh", "run", "test", "setup", "test-python"):
            text = (ROOT / "scripts" / name).read_text()
            for place in ("/usr/local/cuda", "/opt/cuda", "/dev/nvidia", "/dev/dxg", "/usr/bin/python3", "/usr/src/googletest"):
                text = text.replace(place, f"{self.box}{place}")
            (self.box / "scripts" / name).write_text(text)
            (self.box / "scripts" / name).chmod(0o755)
        for name in PLAIN_TOOLS + ["cp"]:
            (self.box / "bin" / name).symlink_to(shutil.which(name))
        # A machine that lacks neither packages nor rights, without CUDA.
        self.put("cmake", CMAKE.replace("VERSION", "3.25.1"))
        self.put("ctest", 'echo "$0 $*" >>"$BOX/calls"')
        self.put("c++", COMPILER)
        self.put("python3", PYTHON)
        self.put("id", "echo 0")
        self.put("apt-get", APT)
        for name in ("ninja", "git", "doxygen", "ccache", "ffmpeg"):
            self.put(name, "")

    def put(self, name, body, folder="bin"):
        path = self.box / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/bash\n{body}\n")
        path.chmod(0o755)

    def put_toolkit(self, version, folder="bin"):
        self.put("nvcc", f"""case $1 in
  --list-gpu-code) printf 'sm_80\\nsm_90\\n' ;;
  *) echo "Cuda compilation tools, release {version}, V{version}.1" ;;
esac""", folder)

    def put_device(self, *capabilities):
        told = "".join(f"{one}\\n" for one in capabilities)
        self.put("nvidia-smi", f"""case $1 in
  -L) echo "GPU 0: a GPU (UUID: GPU-0)" ;;
  --query-gpu=compute_cap) printf '{told}' ;;
esac""")

    def run_script(self, name, *arguments, **environment):
        variables = {"PATH": str(self.box / "bin"), "BOX": str(self.box), "PIP": PIP, "HOME": str(self.box), **environment}
        done = subprocess.run([self.box / "scripts" / name, *arguments], env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=self.box)
        self.lines = (done.stdout + done.stderr).splitlines()
        self.calls = (self.box / "calls").read_text() if (self.box / "calls").exists() else ""
        return done.returncode

    def says(self, *words):
        matching = [line for line in self.lines if all(word in line for word in words)]
        self.assertEqual(len(matching), 1, f"one line with {words} in {self.lines}")

    def fails_saying(self, *words):
        self.says(*words)
        self.assertEqual(len(self.lines), 1, self.lines)


class Backend(Machine):
    def test_run_builds_for_cpu_without_a_device(self):
        self.put_toolkit("13.0")
        self.assertEqual(self.run_script("run"), 0, self.lines)
        self.assertIn("--preset cpu", self.calls)
        self.says("no NVIDIA device")
        self.says("ran", "build/cpu/cairn bench --suite stacks")

    def test_run_builds_both_with_a_device(self):
        self.put_toolkit("13.0")
        self.put_device()
        self.assertEqual(self.run_script("run"), 0, self.lines)
        self.assertIn("--preset cuda", self.calls)

    def test_a_device_file_is_a_device(self):
        self.put_toolkit("13.0")
        self.put("nvidia0", "", "dev")
        self.run_script("run")
        self.assertIn("--preset cuda", self.calls)

    def test_a_driver_without_devices_is_none(self):
        self.put_toolkit("13.0")
        self.put("nvidia-smi", 'echo "No devices found."; exit 6')
        self.run_script("run")
        self.assertIn("--preset cpu", self.calls)

    def test_tests_need_no_device(self):
        self.put_toolkit("13.0")
        self.assertEqual(self.run_script("test", "-R", "Graph"), 0, self.lines)
        self.assertIn("--preset cuda", self.calls)
        self.assertRegex(self.calls, "ctest --test-dir .*/build/cuda .* -R Graph")

    def test_no_toolkit_means_cpu(self):
        self.assertEqual(self.run_script("test"), 0, self.lines)
        self.assertIn("--preset cpu", self.calls)
        self.says("no CUDA toolkit")

    def test_an_old_toolkit_means_cpu(self):
        self.put_toolkit("11.8")
        self.put_device()
        for script in ("run", "test"):
            self.assertEqual(self.run_script(script), 0, self.lines)
            self.says("11.8", "12.4", "CPU")
        self.assertNotIn("--preset cuda", self.calls)

    def test_a_newer_toolkit_elsewhere_is_taken(self):
        self.put_toolkit("11.8")
        self.put_toolkit("12.4", "usr/local/cuda/bin")
        self.assertEqual(self.run_script("test"), 0, self.lines)
        self.assertRegex(self.calls, f"--preset cuda .*CUDACXX={self.box}/usr/local/cuda/bin/nvcc")

    def test_code_is_made_for_the_devices_that_are_there(self):
        self.put_toolkit("13.0")
        self.put_device("9.0", "8.0", "9.0")
        for script in ("run", "test"):
            self.assertEqual(self.run_script(script), 0, self.lines)
        self.assertEqual(self.calls.count("-DCMAKE_CUDA_ARCHITECTURES=80-real;90-real "), 2, self.calls)

    def test_a_device_that_the_toolkit_does_not_know_changes_nothing(self):
        self.put_toolkit("13.0")
        self.put_device("9.0", "15.0")
        self.assertEqual(self.run_script("run"), 0, self.lines)
        self.assertNotIn("ARCHITECTURES", self.calls)

    def test_nothing_is_assembled_without_a_device(self):
        self.put_toolkit("13.0")
        self.assertEqual(self.run_script("test"), 0, self.lines)
        self.assertIn("-DCMAKE_CUDA_ARCHITECTURES=90-virtual", self.calls)

    def test_the_users_architectures_count(self):
        self.put_toolkit("13.0")
        self.put_device("9.0")
        self.assertEqual(self.run_script("test", CAIRN_CMAKE_ARGS="-DCMAKE_CUDA_ARCHITECTURES=86"), 0, self.lines)
        self.assertRegex(self.calls, "ARCHITECTURES=90-real .*ARCHITECTURES=86")

    def test_the_user_may_choose(self):
        self.put_toolkit("13.0")
        self.run_script("run", CAIRN_PRESET="cuda")
        self.assertIn("--preset cuda", self.calls)


class Cmake(Machine):
    def test_an_old_one_gets_a_newer_one_from_pypi(self):
        self.put("cmake", CMAKE.replace("VERSION", "3.22.1"))
        self.assertEqual(self.run_script("test"), 0, self.lines)
        self.says("CMake 3.22.1 is older than 3.24")
        for program in ("cmake --preset cpu", "ctest --test-dir"):
            self.assertIn(f"build/tools/bin/{program}", self.calls)
        self.run_script("test")
        self.assertEqual(self.calls.count("pip -m"), 1, "it is fetched once")

    def test_without_pypi_one_line_says_so(self):
        self.put("cmake", CMAKE.replace("VERSION", "3.22.1"))
        self.assertEqual(self.run_script("test", PIP="exit 1"), 1)
        self.says("needs CMake 3.24 or later")
        self.assertNotIn("--preset", self.calls)


class Packages(Machine):
    def test_the_lists_headers_are_those_of_the_packages(self):
        if not shutil.which("c++"):
            self.skipTest("no compiler")
        listed = subprocess.run(["bash", "-c", f"set -euo pipefail; source '{ROOT}/scripts/lib.sh'; missingPackages program tests"], capture_output=True, text=True)
        self.assertEqual((listed.stdout, listed.stderr), ("", ""), "nothing is missing where these tests were built")

    def test_root_installs_what_is_missing_and_nothing_else(self):
        self.assertEqual(self.run_script("setup", MISSING="libpng-dev libgtest-dev"), 0, self.lines)
        self.assertIn("install -y --no-install-recommends libpng-dev libgtest-dev\n", self.calls)

    def test_other_compilers_come_when_asked_for(self):
        self.assertEqual(self.run_script("setup", "clang"), 0, self.lines)
        self.assertIn("--no-install-recommends clang\n", self.calls)
        self.assertEqual(self.run_script("setup", "aarch64", MISSING="libpng-dev libfmt-dev"), 0, self.lines)
        self.assertIn("--no-install-recommends g++-aarch64-linux-gnu qemu-user googletest libfmt-dev\n", self.calls)

    def test_nothing_is_installed_where_all_is_there(self):
        self.assertEqual(self.run_script("setup"), 0, self.lines)
        self.assertEqual((self.lines, "apt-get" in self.calls), ([], False))

    def test_run_does_without_what_tests_need(self):
        self.assertEqual(self.run_script("run", MISSING="libgtest-dev libfcl-dev libbullet-dev"), 0, self.lines)
        self.assertNotIn("apt-get", self.calls)
        self.assertIn("-DCAIRN_BUILD_TESTS=OFF -DCAIRN_BUILD_BENCH=OFF", self.calls)

    def test_others_do_not_stop_tests(self):
        self.put("id", "echo 1000")
        self.assertEqual(self.run_script("test", MISSING="libbullet-dev"), 0, self.lines)
        self.says("without libbullet-dev")

    def test_what_apt_does_not_have_stops_nothing_that_does_not_need_it(self):
        self.put("apt-get", APT + '; [[ "$*" != *libbullet-dev* ]]')
        self.assertEqual(self.run_script("setup", MISSING="libpng-dev libbullet-dev"), 0, self.lines)
        self.assertIn("install -y --no-install-recommends libpng-dev\n", self.calls)
        self.says("could not install libbullet-dev")

    def test_without_root_a_line_says_what_to_do(self):
        self.put("id", "echo 1000")
        for script in ("run", "test", "setup"):
            self.assertEqual(self.run_script(script, MISSING="libpng-dev"), 1)
            self.fails_saying("root", "apt-get install libpng-dev", "start this again")

    def test_sudo_that_would_ask_is_not_started(self):
        self.put("id", "echo 1000")
        self.put("sudo", SUDO_REFUSES)
        self.assertEqual(self.run_script("setup", MISSING="libpng-dev"), 1)
        self.fails_saying("apt-get install libpng-dev")

    def test_without_apt_the_list_is_told(self):
        (self.box / "bin/apt-get").unlink()
        (self.box / "bin/ninja").unlink()
        self.assertEqual(self.run_script("setup", MISSING="libpng-dev libfcl-dev"), 1)
        self.fails_saying("no apt-get", "ninja-build libpng-dev libfcl-dev")

    def test_without_a_compiler_everything_is_missing(self):
        (self.box / "bin/c++").unlink()
        self.assertEqual(self.run_script("setup", "program"), 0, self.lines)
        self.assertIn("build-essential libeigen3-dev", self.calls)
        self.assertNotIn("libgtest-dev", self.calls)


class PythonPackage(Machine):
    """Where its packages cannot be had, the Python package is left out by one line, and nothing fails."""

    def setUp(self):
        super().setUp()
        (self.box / "build/cpu").mkdir(parents=True)

    def test_without_pypi_one_line_says_so(self):
        self.assertEqual(self.run_script("test-python", "--build", "build/cpu", "wheel", PIP="echo no route to host; exit 1"), 0, self.lines)
        self.fails_saying("skipped: packages of Python's cannot be had: no route to host")
        for part in ("tests", "examples", "docs"):
            self.assertEqual(self.run_script("test-python", "--build", "build/cpu", part), 0, self.lines)
            self.fails_saying("skipped: there is no wheel")

    def test_a_python_that_makes_no_environments_is_named(self):
        self.put("python3", '[[ $1 != "-m" ]]')
        self.assertEqual(self.run_script("test-python", "--build", "build/cpu"), 0, self.lines)
        self.fails_saying("skipped: ", "python3-venv")

    def test_an_old_python_is_named(self):
        self.put("python3", "[[ $2 != *version_info* ]]")
        self.assertEqual(self.run_script("test-python", "--build", "build/cpu"), 0, self.lines)
        self.fails_saying("skipped: ", "3.10")

    def test_a_wheel_that_cannot_be_built_fails(self):
        (self.box / "build/cpu/CMakeCache.txt").write_text("CAIRN_WERROR:BOOL=ON\n")
        pip = 'echo "pip $*" >>"$BOX/calls"; [[ $* != *" wheel "* ]] || { echo "error: no such header"; exit 1; }'
        self.assertEqual(self.run_script("test-python", "--build", "build/cpu", PIP=pip), 1)
        self.says("error: no such header")
        self.says("the wheel could not be built")
        self.assertIn("CAIRN_PYTHON_USE_INSTALLED=ON", self.calls)
        self.assertIn("cmake.define.CAIRN_WERROR=ON", self.calls)


if __name__ == "__main__":
    sys.exit(unittest.main())
