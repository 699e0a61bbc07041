#!/usr/bin/env python3
"""Code for some processors alone is in functions of their own: test_levels.py LIBRARY

Looks through the library's instructions. Those of AVX and later may only be in functions whose names say so: of the namespaces cairn_avx2 and
cairn_avx512, and the loops ...ForAvx2. The linker keeps one function of a name, so that the names decide what a processor without AVX meets.
"""
import re
import shutil
import subprocess
import sys

if shutil.which("objdump") is None:
    print("skipped: no objdump")
    sys.exit(0)
function, bad, levels = "", set(), set()
listing = subprocess.run(["objdump", "-d", "--no-show-raw-insn", sys.argv[1]], capture_output=True, text=True, check=True).stdout
for line in listing.splitlines():
    head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
    if head:
        function = head.group(1)
    elif re.match(r"\s+[0-9a-f]+:\s+(v\S+\s.*%[xyz]mm|k\S+\s.*%k[0-7])", line):
        level = re.search(r"cairn_avx512|cairn_avx2|ForAvx2", function)
        if level:
            levels.add(level.group(0))
        else:
            bad.add(function)
for name in sorted(bad):
    print(f"has instructions of AVX: {name}")
if levels != {"cairn_avx512", "cairn_avx2", "ForAvx2"}:
    print(f"of the levels only these have such instructions: {sorted(levels)}")
    sys.exit(1)
sys.exit(1 if bad else 0)
