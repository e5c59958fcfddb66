#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which matrix instructions does ptxas accept for sm_90a, and are all of them compared?

    simtlab-tensor --write DIR
    conformance/tensor/accepted.py DIR

Every combination of shape, types, layouts and modifiers of mma, mma.sp, wmma.mma, wgmma and
wgmma with a sparse A is given to ptxas. What it accepts must have a kernel in DIR, except for
those that it accepts and makes nothing of: they are named at the end. Needs ptxas.
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile

BITS = dict(f16=16, bf16=16, tf32=32, f64=64, e4m3=8, e5m2=8, s8=8, u8=8, s4=4, u4=4, b1=1,
            f32=32, s32=32)
INPUTS = ["f16", "bf16", "tf32", "f64", "e4m3", "e5m2", "s8", "u8", "s4", "u4", "b1"]
SUMS = ["f16", "f32", "f64", "s32"]
PAIRS = [(a, b) for a in INPUTS for b in INPUTS if BITS[a] == BITS[b]]
LAYOUTS = ["row.col", "row.row", "col.col", "col.row"]
ROUNDS = [".rn", ".rz", ".rm", ".rp"]
HEADER = """.version 8.7
.target sm_90a
.address_size 64
.visible .entry k()
{
.reg .b32 %r<140>;
.reg .b64 %w<140>;
.reg .pred %p;
"""


def registers(count, wide):
    return "{" + ", ".join("%" + "rw"[wide] + str(i) for i in range(max(1, count))) + "}"


def fragment(elements, kind):
    width = 64 if kind == "f64" else 32
    return registers(elements * BITS[kind] // 32 // width, kind == "f64")


def mma():
    shapes = [(m, 8, k) for m in (8, 16) for k in (4, 8, 16, 32, 64, 128, 256)]
    marks = [(lay, "", "") for lay in LAYOUTS]
    marks += [("row.col", pre, "") for pre in [".satfinite"] + ROUNDS]
    marks += [("row.col", "", post) for post in (".xor.popc", ".and.popc")]
    for sp, (m, n, k), (a, b), d, c, (lay, pre, post) in itertools.product(
            ["", ".sp", ".sp::ordered_metadata"], shapes, PAIRS, SUMS, SUMS, marks):
        quad = 4 if (m, k, a) == (8, 4, "f16") else 1
        head = f"mma{sp}.sync.aligned.m{m}n{n}k{k}.{lay}{pre}.{d}.{a}.{b}.{c}{post}"
        operands = [fragment(quad * m * n, d), fragment(quad * m * k // (2 if sp else 1), a),
                    fragment(quad * n * k, b), fragment(quad * m * n, c)]
        yield head, head + " " + ", ".join(operands) + (", %r100, 0" if sp else "")


def wmma():
    shapes = [(16, 16, 16), (8, 32, 16), (32, 8, 16), (16, 16, 8), (8, 8, 4), (8, 8, 32),
              (8, 8, 128), (8, 8, 16), (16, 8, 16)]
    for (m, n, k), lay, d, c in itertools.product(shapes, LAYOUTS, SUMS, SUMS):
        for types, rounding, op, post in itertools.product(
                [("f16", "f16")] + PAIRS, [""] + ROUNDS, ["", ".xor.popc", ".and.popc"],
                ["", ".satfinite"]):
            a, b = types
            middle = f".{d}.{c}" if a == "f16" else f".{d}.{a}.{b}.{c}"
            head = f"wmma.mma{op}.sync.aligned.{lay}.m{m}n{n}k{k}{rounding}{middle}{post}"
            halves = registers(8, False)
            operands = [fragment(m * n, d), halves if a == "f16" else fragment(m * k, a),
                        halves if a == "f16" else fragment(n * k, b), fragment(m * n, c)]
            yield head, head + " " + ", ".join(operands)


def wgmma():
    for sp, n, k, (a, b), d, mod, op, reg in itertools.product(
            ["", ".sp"], list(range(8, 257, 8)) + [4, 12, 264], (8, 16, 32, 64, 128, 256, 512),
            PAIRS, SUMS, ["", ".satfinite"], ["", ".and.popc", ".xor.popc"], (False, True)):
        if (mod and op) or 64 * n * BITS[d] // 4096 > 128:
            continue
        head = f"wgmma.mma_async{sp}.sync.aligned.m64n{n}k{k}{mod}.{d}.{a}.{b}{op}"
        operands = [registers(64 * n * BITS[d] // 4096, d == "f64"),
                    registers(4, False) if reg else "%w0", "%w1"]
        operands += (["%r5", "0"] if sp else []) + ["%p"]
        operands += ["1", "1"] if d in ("f16", "f32") else []
        operands += (["1"] if reg else ["1", "1"]) if a in ("f16", "bf16") else []
        yield head + ("@reg" if reg else "@mem"), head + " " + ", ".join(operands)


def accepted(instructions, folder):
    """Those without an error; ptxas gives the errors of a whole file at once."""
    path = os.path.join(folder, "all.ptx")
    while True:
        with open(path, "w") as file:
            file.write(HEADER + "".join(text + ";\n" for _, text in instructions) + "ret;\n}\n")
        run = subprocess.run(["ptxas", "-arch=sm_90a", path, "-o", os.devnull],
                             capture_output=True, text=True)
        bad = set()
        first = HEADER.count("\n") + 1
        for line, message in re.findall(r"line (\d+); error\s*: (.*)", run.stderr):
            if "__cuda_sm" not in message:  # a missing routine of its own: no line of ours
                bad.add(int(line) - first)
        if not bad:
            return [head for head, _ in instructions]
        instructions = [item for i, item in enumerate(instructions) if i not in bad]


def compared(folder):
    heads = set()
    for name in os.listdir(folder):
        with open(os.path.join(folder, name)) as file:
            text = file.read()
        for head, operands in re.findall(r"^(w?mma[.:\w]*|wgmma\.mma[.:\w]*)\s+(.*);", text, re.M):
            if head.startswith("wgmma"):
                after = operands.split("}", 1)[1].lstrip(", ")
                head += "@reg" if after.startswith("{") else "@mem"
            heads.add(head)
    return heads


def makes_nothing(head):
    """Accepted, but .popc is ignored, there is no machine code, or linking fails."""
    narrow = re.search(r"\.(s4|u4|b1)\.", head)
    if head.startswith("mma"):
        return narrow and "b1" not in head and "popc" in head
    odd = narrow and not re.search(r"m8n8k(32|128)\.", head)
    return head.startswith("wmma") and (odd or ("f64" in head and "m8n8k4" not in head))


def main():
    have = compared(sys.argv[1])
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, source in (("mma", mma), ("wmma", wmma), ("wgmma", wgmma)):
            asked = list(dict(source()).items())
            taken = accepted(asked, folder)
            empty = [head for head in taken if makes_nothing(head)]
            missing = [head for head in taken if head not in have and head not in empty]
            print(f"{name}: {len(asked)} asked, {len(taken)} accepted, {len(empty)} of them "
                  f"make nothing, {len(missing)} of the rest not compared")
            for head in missing:
                print("    not compared:", head)
            status |= bool(missing)
    return status


if __name__ == "__main__":
    sys.exit(main())
