"""Registers of a warp that one side of a branch needs while the other side writes them.

  test_warp_registers.py CUOBJDUMP BINARY...    machine code of the binaries' device functions
  test_warp_registers.py --text FILE...         a disassembly that is there

The threads of a warp that part at a branch go its sides one after the other, and share the warp's uniform registers (UR0, UR1, ...). ptxas knows that
in kernels. In functions that kernels call (12.8, 12.9 and 13.0 were seen to) it keeps a value in such a register for one side of a branch while the
other side, or a function that is called there, writes the register: threads that come second then take an address or a constant of the others'.
An H200 answered with an illegal access in narrow_phase/hulls. There is no option of ptxas against it; what helps is a function of its own for the side
that needs the value, so that either side is a call. Which places need that, only the machine code tells.

Exit status: 0 none found, 1 some, 2 bad usage; 0 and a line that begins with "skipped:" where there is no cuobjdump.
"""
import collections
import re
import subprocess
import sys

INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]+)\*/\s+(@!?U?P\S+\s+)?([A-Z0-9_.]+)\s*(.*?)\s*;")
WORDS = {"64": 2, "128": 4, "256": 8}
WIDE_OPERATIONS = ("ULDC", "UMOV", "LDCU", "CS2UR")
Instruction = collections.namedtuple("Instruction", "address predicate operation operands")


def kernels_of(lines):
    """Name and instructions of each kernel, with the functions that it calls behind it."""
    name, code = None, []
    for line in lines:
        start = re.search(r"Function : (\S+)", line)
        if start:
            if name:
                yield name, code
            name, code = start.group(1), []
            continue
        found = INSTRUCTION.match(line)
        if found:
            code.append(Instruction(int(found.group(1), 16), (found.group(2) or "").strip(), found.group(3), found.group(4)))
    if name:
        yield name, code


def written(instruction):
    base, *modifiers = instruction.operation.split(".")
    target = re.fullmatch(r"UR(\d+)", instruction.operands.split(",")[0].strip())
    if not target or not (base.startswith("U") or base in ("R2UR", "S2UR", "VOTEU", "REDUX", "CS2UR", "LDCU")):
        return frozenset()
    count = max([WORDS.get(modifier, 1) for modifier in modifiers if base in WIDE_OPERATIONS] + [2 if base == "UIMAD" and "WIDE" in modifiers else 1])
    return frozenset(range(int(target.group(1)), int(target.group(1)) + count))


def read(instruction, writes):
    operands = instruction.operands.partition(",")[2] if writes else instruction.operands
    registers = set()
    for descriptor, number, pair in re.findall(r"(desc\[)?\bUR(\d+)\b(\.64)?", operands):
        registers.add(int(number))
        if descriptor or pair or re.match(r"D(ADD|MUL|FMA|SETP|MNMX)", instruction.operation):
            registers.add(int(number) + 1)
    return registers


class Kernel:
    def __init__(self, code):
        self.code = code
        index = {instruction.address: i for i, instruction in enumerate(code)}
        self.next, self.calls = [], {}
        for i, (_, predicate, operation, operands) in enumerate(code):
            base = operation.split(".")[0]
            place = re.search(r"0x([0-9a-f]+)", operands)
            target = index.get(int(place.group(1), 16)) if place else None
            following = [i + 1] if i + 1 < len(code) else []
            if base == "CALL" and target is not None:
                self.calls[i] = target
            if base in ("BRA", "JMP"):
                falls_through = predicate or re.search(r"\bU?P\d", operands.split("0x")[0])
                following = (following if falls_through else []) + ([target] if target is not None else [])
            elif base in ("EXIT", "RET") and not predicate or base in ("BRX", "JMX"):
                following = []
            self.next.append(following)
        self.writes = [written(instruction) for instruction in code]
        self.reads = [read(instruction, writes) for instruction, writes in zip(code, self.writes)]
        self.functions = {start: reachable(start, lambda i: self.next[i]) for start in set(self.calls.values())}
        self.find_written_within()

    def find_written_within(self):
        """By function: what it or any that it calls may write."""
        self.within = {start: frozenset().union(*(self.writes[i] for i in body)) for start, body in self.functions.items()}
        changed = True
        while changed:
            changed = False
            for start, body in self.functions.items():
                more = frozenset().union(*(self.within[self.calls[i]] for i in body if i in self.calls))
                if not more <= self.within[start]:
                    self.within[start] |= more
                    changed = True

    def live_in(self, body):
        live = {i: set() for i in body}
        before = collections.defaultdict(list)
        for i in body:
            for j in self.next[i]:
                before[j].append(i)
        waiting = collections.deque(sorted(body, reverse=True))
        while waiting:
            i = waiting.popleft()
            needed = set().union(*(live[j] for j in self.next[i])) - self.writes[i] | self.reads[i]
            if needed != live[i]:
                live[i] = needed
                waiting.extend(before[i])
        return live

    def mixed_up(self, start):
        """(branch, registers, first instruction of the side that needs them) in a function."""
        body = self.functions[start]
        live, meeting = self.live_in(body), meeting_points(body, self.next)
        for i in sorted(body):
            if len(self.next[i]) < 2 or re.search(r"\bUP\d", self.code[i].predicate + self.code[i].operands.split("0x")[0]):
                continue
            sides = [reachable(j, lambda k: [n for n in self.next[k] if n != meeting[i]]) if j != meeting[i] else set() for j in self.next[i]]
            for own, other, first in ((sides[0], sides[1], self.next[i][0]), (sides[1], sides[0], self.next[i][1])):
                if not own:
                    continue
                lost = set().union(*(self.writes[k] | self.within.get(self.calls.get(k), frozenset()) for k in other - own))
                needed = live[first] & lost & set().union(*(self.reads[k] for k in own))
                if needed:
                    yield self.code[i], sorted(needed), self.code[first].address


def reachable(start, following):
    seen, waiting = {start}, [start]
    while waiting:
        for j in following(waiting.pop()):
            if j not in seen:
                seen.add(j)
                waiting.append(j)
    return seen


def meeting_points(body, following):
    """By instruction: the first that all ways from it come to again (its immediate postdominator); None where there is none. Cooper, Harvey and
    Kennedy, "A simple, fast dominance algorithm", on the reversed graph."""
    end = None
    before = collections.defaultdict(list)
    for i in body:
        for j in following[i] or [end]:
            before[j].append(i)
    order, seen, waiting = [], {end}, [(end, iter(before[end]))]
    while waiting:
        node, rest = waiting[-1]
        for i in rest:
            if i not in seen:
                seen.add(i)
                waiting.append((i, iter(before[i])))
                break
        else:
            order.append(node)
            waiting.pop()
    order.reverse()
    number = {node: k for k, node in enumerate(order)}
    point = {end: end}
    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            fresh, any_known = None, False
            for j in following[node] or [end]:
                if j not in point:
                    continue
                if not any_known:
                    fresh, any_known = j, True
                    continue
                a, b = fresh, j
                while a != b:
                    while number[a] > number[b]:
                        a = point[a]
                    while number[b] > number[a]:
                        b = point[b]
                fresh = a
            if any_known and (node not in point or point[node] != fresh):
                point[node] = fresh
                changed = True
    return collections.defaultdict(lambda: end, point)


def look_into(name, lines):
    kernels = found = 0
    for kernel, code in kernels_of(lines):
        kernels += 1
        machine = Kernel(code)
        for start in sorted(machine.functions):
            for branch, registers, side in machine.mixed_up(start):
                found += 1
                print(f"{name}: {kernel}: function at {code[start].address:#x}: branch at {branch.address:#x}: "
                      f"{', '.join(f'UR{n}' for n in registers)}, needed from {side:#x} on, are written on the other side")
    print(f"{name}: {kernels} kernels, {found} places")
    return found


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    if arguments[0] == "--text":
        return int(sum(look_into(name, open(name, errors="replace")) for name in arguments[1:]) > 0)
    found = 0
    for binary in arguments[1:]:
        try:
            process = subprocess.Popen([arguments[0], "--dump-sass", binary], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                       errors="replace")
        except OSError:
            print("skipped: there is no cuobjdump")
            return 0
        found += look_into(binary, process.stdout)
        if process.wait() != 0:
            print(f"skipped: {arguments[0]} cannot read {binary}")
            return 0
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
