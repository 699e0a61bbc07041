"""What scripts/check-warp-registers says of a few instructions, as a disassembler prints them."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).resolve().parent.parent.parent / "scripts" / "check-warp-registers"

# A kernel that calls a function at 0x40. There threads part: some call one at 0xc0, which writes UR6; the others need UR6 for an address.
MIXED_UP = """
        Function : a_kernel
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   MOV R20, 0x30 ;
        /*0020*/                   CALL.REL.NOINC 0x40 ;
        /*0030*/                   EXIT ;
        /*0040*/                   ULDC UR6, c[0x0][0x20] ;
        /*0050*/                   ISETP.NE.AND P0, PT, R2, 0x2, PT ;
        /*0060*/               @P0 BRA 0x90 ;
        /*0070*/                   CALL.REL.NOINC 0xc0 ;
        /*0080*/                   BRA 0xb0 ;
        /*0090*/                   VIADD R41, R26, -UR6 ;
        /*00a0*/                   LDL.64 R4, [R41] ;
        /*00b0*/                   RET.REL.NODEC R20 0x0 ;
        /*00c0*/                   R2UR UR6, R148 ;
        /*00d0*/                   RET.REL.NODEC R2 0x0 ;
"""


class WarpRegisters(unittest.TestCase):
    def say(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".sass") as file:
            file.write(text)
            file.flush()
            ran = subprocess.run([sys.executable, "-B", CHECK, "--text", file.name], capture_output=True, text=True)
        return ran.returncode, ran.stdout

    def test_a_side_that_needs_what_the_other_writes_is_found(self):
        status, said = self.say(MIXED_UP)
        self.assertEqual(status, 1, said)
        self.assertIn("a_kernel: function at 0x40: branch at 0x60: UR6, needed from 0x90 on", said)

    def test_what_is_read_again_on_its_side_is_none(self):
        status, said = self.say(MIXED_UP.replace("VIADD R41, R26, -UR6", "ULDC UR6, c[0x0][0x20]"))
        self.assertEqual(status, 0, said)

    def test_what_nobody_writes_is_none(self):
        status, said = self.say(MIXED_UP.replace("R2UR UR6,", "R2UR UR8,"))
        self.assertEqual(status, 0, said)

    def test_branches_of_whole_warps_are_none(self):
        status, said = self.say(MIXED_UP.replace("@P0 BRA", "@UP0 UBRA").replace("UBRA", "BRA"))
        self.assertEqual(status, 0, said)

    def test_without_a_disassembler_it_skips(self):
        ran = subprocess.run([sys.executable, "-B", CHECK, "/nowhere/cuobjdump", CHECK], capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stdout.split(":")[0]), (0, "skipped"))


if __name__ == "__main__":
    unittest.main()
