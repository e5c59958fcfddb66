#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py - random PTX programs that are well defined, end, and have one result.

    generate.py [--index tests/data/golden.idx] FIRST [COUNT] -o FOLDER
    generate.py --job FIRST COUNT       the job file for simtlab-record

Writes FOLDER/sSEED.ptx for each seed: one kernel, k(raw, sums, cells, own, n, k, f, st),
launched with 2 blocks of 64 threads (ARGUMENTS below). Each thread ends by writing all its
registers to its 64 words of `raw` and a sum over them to its word of `sums`.

What a program is made of: the instruction variants of the index, with the operand types
that it names, and what has none there: products and sums without a rounding modifier,
comparisons, carry chains, packing, memory of every space, calls, branches and loops that
diverge, and, where all lanes are together, barriers, shuffles, votes, atomics and matrices.

What it is not made of: division by zero, registers that were not written, results that
depend on an order, and guards on the instructions whose guard ptxas loses
(docs/hardware-notes.md). Of NaNs PTX leaves the payload open: in 19 programs of 20
every place where such bits could be seen makes them one NaN first.

Every register is written at the start, so a program from which lines are removed is still
well defined: compare.py cuts programs down so.
"""
import argparse
import os
import re

BLOCK = 64
WORDS = 64  # of a thread in raw
ARGUMENTS = ["u64[8192]=0", "u64[128]=0", "u64[32]=0", "u64[512]=0", "3", "0xfedcba9876543210",
             "1.5", "hex:807f00ff3412cdab0000c03f0000807fffffffffffffefff"]
OUTPUTS = 4  # the first arguments

# Register classes: width, letter, how many. "sh" holds shift amounts.
CLASSES = {
    "b16": (16, "h", 6), "b32": (32, "r", 10), "b64": (64, "q", 6), "f32": (32, "f", 8),
    "f64": (64, "d", 5), "f16": (16, "x", 4), "bf16": (16, "y", 3), "f16x2": (32, "v", 4),
    "bf16x2": (32, "w", 3), "sh": (32, "s", 4),
}
CLASS_OF = {"s8": "b16", "u8": "b16", "s16": "b16", "u16": "b16", "s32": "b32", "u32": "b32",
            "s64": "b64", "u64": "b64", "P": "P"}
PREDICATES = 6
SPARE = 8  # registers of each width for NaNs made the same
COMPARE_FLOAT = "eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split()
COMPARE_SIGNED = "eq ne lt le gt ge".split()
COMPARE_UNSIGNED = "eq ne lo ls hi hs lt le gt ge".split()
CALL = ("{ .param .b32 ca; .param .b32 cb; .param .b32 cc; .param .b64 cd; "
        ".param .align 8 .b8 ce[8]; .param .align 8 .b8 cv[16];")
SHAPE = ("shape: .callprototype (.param .align 8 .b8 _[16]) _ (.param .b32 _, .param .b32 _, "
         ".param .b32 _, .param .b64 _, .param .align 8 .b8 _[8]);")
KEEP = " //"
MASK64 = (1 << 64) - 1


class Random:
    """splitmix64: the same programs with every version of Python."""

    def __init__(self, seed):
        self.state = seed * 0x9E3779B97F4A7C15 & MASK64

    def word(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK64
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK64
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK64
        return z ^ z >> 31

    def below(self, n):
        return (self.word() >> 11) % n

    def chance(self, percent):
        return self.below(100) < percent

    def pick(self, items):
        return items[self.below(len(items))]

    def weighted(self, items):
        at = self.below(sum(weight for weight, _ in items))
        for weight, item in items:
            at -= weight
            if at < 0:
                return item


def read_index(path):
    """Instruction variants by the first word of their name: (name, sources, result)."""
    roots = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            match = re.match(r"OP (\S+)>(\S+) (\S+) ", line)
            if match:
                name = match[3]
                root = name.split(".")[0]
                if root == "cvt":
                    root = "cvt " + name.split(".")[-2][:1] + name.split(".")[-1][:1]
                roots.setdefault(root, []).append((name, match[1].split(","), match[2]))
    return roots


# --- values ---------------------------------------------------------------------------------

EDGES = {
    16: [0, 1, 2, 3, 7, 8, 15, 16, 31, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0x8001, 0xFFFE,
         0xFFFF],
    32: [0, 1, 2, 3, 31, 32, 33, 63, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0xFFFFFF,
         0x7FFFFFFE, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x80808080],
    64: [0, 1, 2, 63, 64, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x100000000,
         0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0x8000000000000001, MASK64, MASK64 - 1],
}
FORMAT = {"f32": (8, 23), "f64": (11, 52), "f16": (5, 10), "bf16": (8, 7)}


def float_bits(random, kind, nan=True):
    exponent, fraction = FORMAT[kind]
    sign = random.below(2) << exponent + fraction
    top = (1 << exponent) - 1
    bias = top >> 1
    piece = random.word() & (1 << fraction) - 1
    how = random.below(16)
    if how < 8:
        return sign | bias + random.below(7) - 3 << fraction | piece
    if how < 9:
        return sign | bias + random.below(5) << fraction | piece & ~0 << max(fraction - 4, 0)
    if how == 9:
        return sign  # a zero
    if how == 10:
        return sign | piece >> random.below(fraction)  # subnormal
    if how == 11:
        return sign | top << fraction | (piece | 1 if nan and random.chance(60) else 0)
    if how == 12:
        return sign | (1 << fraction) + random.below(4) - 2  # about the smallest normal one
    if how == 13:
        return sign | (top << fraction) - 1 - random.below(3)  # about the largest
    bits = random.word() & (1 << 1 + exponent + fraction) - 1
    if not nan and bits >> fraction & top == top:
        bits &= ~(1 << fraction)
    return bits


def class_bits(random, kind, nan=True):
    if kind in FORMAT:
        return float_bits(random, kind, nan)
    if kind.endswith("x2"):
        return float_bits(random, kind[:-2]) | float_bits(random, kind[:-2]) << 16
    width = CLASSES[kind][0]
    if kind == "sh":
        return random.pick([random.below(36), random.below(72), random.below(256),
                            random.word() & 0xFFFFFFFF])
    if random.chance(40):
        return random.pick(EDGES[width])
    return (random.word() & (1 << width) - 1) >> random.pick([0, 0, 0, width // 2, width - 6])


# --- bodies ---------------------------------------------------------------------------------

class Body:
    """The text of a kernel or function."""

    def __init__(self, program, function=None):
        self.program = program
        self.random = program.random
        self.lines = []
        self.function = function
        self.together = function is None  # all lanes of the warp are here
        self.depth = 0
        self.labels = 0
        self.counters = 0
        self.checkpoints = 0
        self.turn = 0

    def emit(self, text):
        self.lines.append(text)

    def joined(self, write):
        """What write() emits as one line: the reducer takes all of it away or nothing."""
        start = len(self.lines)
        write()
        self.lines[start:] = [" ".join(self.lines[start:])]

    def label(self, name="L"):
        self.labels += 1
        return f"{name}{self.labels}"

    def counter(self):
        self.counters += 1
        return f"%c{self.counters - 1}"

    def register(self, kind):
        if kind == "P":
            return self.predicate()
        return f"%{CLASSES[kind][1]}{self.random.below(CLASSES[kind][2])}"

    def several(self, kind, count):
        """Different registers, to be written by one instruction."""
        free = list(range(CLASSES[kind][2]))
        return [f"%{CLASSES[kind][1]}{free.pop(self.random.below(len(free)))}"
                for _ in range(count)]

    def predicate(self):
        return f"%p{self.random.below(PREDICATES)}"

    def guard(self, percent=12):
        if not self.random.chance(percent):
            return ""
        return "@" + ("!" if self.random.chance(40) else "") + self.predicate() + " "

    def immediate(self, kind):
        bits = class_bits(self.random, kind, nan=False)
        if kind == "f32":
            return f"0f{bits:08X}"
        if kind == "f64":
            return f"0d{bits:016X}"
        if kind == "b16":
            return str(bits & 0x7FFF)
        return hex(bits)

    def source(self, kind, immediates=True):
        if immediates and kind in ("b16", "b32", "b64", "f32", "f64", "sh") and \
                self.random.chance(40 if kind == "sh" else 12):
            return self.immediate(kind)
        return self.register(kind)

    # Instructions of the index.

    def table_instruction(self):
        program = self.program
        root = self.random.pick(program.roots)
        name, sources, result = self.random.pick(program.index[root])
        kinds = [CLASS_OF.get(one, one) for one in sources]
        result = CLASS_OF.get(result, result)
        name, _, extra = name.partition("|")
        # ptxas computes approximate instructions of constants by rules of its own.
        immediates = root[0] != "v" and not root.startswith("cvt") and \
            ".approx" not in name and ".full" not in name
        place = self.random.below(len(kinds)) if immediates else -1
        operands = [self.source(kind, i == place) for i, kind in enumerate(kinds)]
        if root in ("div", "rem") and kinds[1][0] == "b":
            width = kinds[1][1:]
            self.emit(f"or.b{width} %t{width}, {self.register(kinds[1])}, 1;")
            operands[1] = f"%t{width}"
        if root in ("bfe", "bfi"):  # ptxas refuses immediates above 255 here
            operands = [re.sub("^0x[0-9a-f]+(?=..$)", "0x", one) if i >= len(operands) - 2 else one
                        for i, one in enumerate(operands)]
        if root == "lop3":
            extra = str(self.random.below(256))
        if root == "copysign" or "xorsign" in name:
            operands = [self.canonical(one) for one in operands]
        if root in ("min", "max") and kinds[0] not in ("b16", "b32", "b64"):
            while operands[0] == operands[1]:  # ptxas makes the operand of them, NaN or not
                operands[0] = self.register(kinds[0])
        free = root in ("testp", "set") or re.match("v.*[24]", root) or \
            root in ("neg", "abs") and kinds[0] == "f32"
        self.emit(("" if free else self.guard()) + f"{name} {self.register(result)}, " +
                  ", ".join(operands) + (f", {extra}" if extra else "") + ";")

    def canonical(self, register):
        """A register with the number, its NaN made the one NaN where the program does that."""
        if not self.program.canonical or register[0] != "%":
            return register
        kind = next((kind for kind, one in CLASSES.items() if one[1] == register[1]), "")
        self.turn = (self.turn + 2) % SPARE
        wide, word, half, other = (f"%n{self.turn}", f"%m{self.turn}", f"%l{self.turn}",
                                   f"%l{self.turn + 1}")
        if kind == "f64":
            self.emit(f"testp.notanumber.f64 %pn, {register}; "
                      f"selp.b64 {wide}, 0x7ff8000000000000, {register}, %pn;")
            return wide
        if kind == "f32":
            self.emit(f"testp.notanumber.f32 %pn, {register}; "
                      f"selp.b32 {word}, 0x7fffffff, {register}, %pn;")
            return word
        if kind in ("f16", "bf16"):
            self.emit(f"setp.nan.{kind} %pn, {register}, {register}; "
                      f"selp.b16 {half}, 0x7fff, {register}, %pn;")
            return half
        if kind.endswith("x2"):
            self.emit(f"setp.nan.{kind} %pn|%pm, {register}, {register}; "
                      f"mov.b32 {{{half}, {other}}}, {register}; selp.b16 {half}, 0x7fff, {half}, "
                      f"%pn; selp.b16 {other}, 0x7fff, {other}, %pm; "
                      f"mov.b32 {word}, {{{half}, {other}}};")
            return word
        return register

    # Instructions that the index has not.

    def loose_float(self):
        """Products and sums that may be contracted, a few of them on few registers."""
        kind = self.random.pick(["f32", "f32", "f32", "f64", "f64", "f16", "f16x2", "bf16",
                                 "bf16x2"])
        modifier = ""
        if kind == "f32":
            modifier = self.random.pick(["", "", "", ".ftz", ".ftz", ".sat"])
        elif kind.startswith("f16"):
            modifier = self.random.pick(["", "", "", ".ftz", ".sat"])
        last = None
        for _ in range(2 + self.random.below(4)):
            operation = self.random.pick(["mul", "mul", "add", "add", "sub", "fma", "neg", "mov"])
            if operation == "mul":
                last_modifier = modifier if self.random.chance(85) else ""
            else:
                last_modifier = modifier
            operands = [self.source(kind) if i == 0 else self.register(kind) for i in range(2)]
            if last and self.random.chance(75):
                operands[self.random.below(2)] = last
            if self.random.chance(25):
                operands.reverse()
            out = self.register(kind)
            guard = self.guard(8) if operation != "neg" else ""
            if operation == "fma":
                third = self.register(kind)
                rounding = ".rn"
                if "sat" in last_modifier and kind.startswith("bf"):
                    last_modifier = ""
                self.emit(f"{guard}fma{rounding}{last_modifier}.{kind} {out}, {operands[0]}, "
                          f"{operands[1]}, {third};")
            elif operation == "neg":
                if operands[0][0] != "%":
                    continue
                self.emit(f"neg.{kind} {out}, {operands[0]};")
            elif operation == "mov":
                self.emit(f"{guard}mov.b{CLASSES[kind][0]} {out}, {self.register(kind)};")
            else:
                rounding = ".rn" if self.random.chance(10) else ""
                self.emit(f"{guard}{operation}{rounding}{last_modifier}.{kind} {out}, "
                          f"{operands[0]}, {operands[1]};")
            last = out

    def loose_integer(self):
        """Adds, shifts and logic as address arithmetic has them."""
        width = self.random.pick([16, 32, 32, 32, 64])
        kind = f"b{width}"
        last = None
        for _ in range(1 + self.random.below(4)):
            operation = self.random.pick(
                [f"add.u{width}", f"sub.s{width}", f"mul.lo.s{width}", f"and.b{width}",
                 f"or.b{width}", f"xor.b{width}", f"shl.b{width}", f"shr.s{width}",
                 f"shr.u{width}", f"not.b{width}", f"min.s{width}", f"max.u{width}",
                 f"mad.lo.u{width}", f"add.s{width}", f"cnot.b{width}", f"neg.s{width}"])
            operands = [self.register(kind)]
            if last and self.random.chance(70):
                operands = [last]
            if operation.startswith("sh"):
                operands.append(self.source("sh"))
            elif operation.split(".")[0] not in ("not", "cnot", "neg"):
                operands.append(self.source(kind))
                if operation.startswith("mad"):
                    operands.append(self.source(kind))
            last = self.register(kind)
            self.emit(f"{self.guard()}{operation} {last}, {', '.join(operands)};")

    def extra_integer(self):
        """What the index lacks: bit field insertion, packing with saturation, parts of words."""
        how = self.random.below(6)
        if how == 0:
            width = self.random.pick([32, 64])
            kind = f"b{width}"
            last = [self.random.pick([self.register("sh"), str(self.random.below(80))])
                    for _ in range(2)]
            self.emit(f"{self.guard()}bfi.b{width} {self.register(kind)}, {self.source(kind)}, "
                      f"{self.register(kind)}, {', '.join(last)};")
        elif how == 1:
            target = self.random.pick(["u16", "s16"])
            self.emit(f"{self.guard()}cvt.pack.sat.{target}.s32 {self.register('b32')}, "
                      f"{self.register('b32')}, {self.register('b32')};")
        elif how == 2:
            target = self.random.pick(["u8", "s8", "u4", "s4", "u2", "s2"])
            self.emit(f"{self.guard()}cvt.pack.sat.{target}.s32.b32 {self.register('b32')}, "
                      f"{self.register('b32')}, {self.register('b32')}, {self.register('b32')};")
        elif how == 3:
            part = lambda: self.random.pick(["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"])
            operation = self.random.pick(["vadd", "vsub", "vabsdiff", "vmin", "vmax"])
            types = ".".join(self.random.pick("us") + "32" for _ in range(3))
            sat = self.random.pick(["", ".sat"])
            a, b, c = (self.register("b32") for _ in range(3))
            if self.random.chance(50):
                second = self.random.pick(["add", "min", "max"])
                self.emit(f"{self.guard()}{operation}.{types}{sat}.{second} "
                          f"{self.register('b32')}, {a}{part()}, {b}{part()}, {c};")
            else:
                place = part()
                self.emit(f"{self.guard()}{operation}.{types}{sat} {self.register('b32')}{place}, "
                          f"{a}{part()}, {b}{part()}{', ' + c if place else ''};")
        elif how == 4:
            part = lambda: self.random.pick(["", ".b0", ".b3", ".h1"])
            compare = self.random.pick(["eq", "ne", "lt", "le", "gt", "ge"])
            types = ".".join(self.random.pick("us") + "32" for _ in range(2))
            self.emit(f"{self.guard()}vset.{types}.{compare} {self.register('b32')}, "
                      f"{self.register('b32')}{part()}, {self.register('b32')}{part()};")
        else:
            base, space = self.random.pick([("%lag", "local"), ("%lag", "shared"),
                                            ("%lag", "global")])
            self.emit(f"isspacep.{space} {self.predicate()}, {base};")

    def special(self):
        """What a thread knows of itself, fences, and logic with a predicate beside."""
        how = self.random.below(4)
        if how == 0:
            name = self.random.pick(["%laneid", "%lanemask_lt", "%lanemask_le", "%lanemask_eq",
                                     "%lanemask_gt", "%tid.x", "%ntid.x", "%ctaid.x", "%nctaid.x"])
            self.emit(f"{self.guard()}mov.u32 {self.register('b32')}, {name};")
        elif how == 1:
            self.emit(self.random.pick(["membar.cta;", "membar.gl;", "fence.acq_rel.gpu;",
                                        "fence.sc.cta;"]))
        else:
            operation = self.random.pick(["and", "or"])
            a, b, c = (self.register("b32") for _ in range(3))
            self.emit(f"lop3.{operation}.b32 {self.register('b32')}|{self.predicate()}, {a}, {b}, "
                      f"{c}, {self.random.below(256)}, {self.predicate()};")

    def comparison(self):
        kind = self.random.pick(["s16", "u16", "s32", "u32", "s64", "u64", "b32", "b64", "b16",
                                 "f32", "f32", "f64", "f16", "bf16", "f16x2", "bf16x2"])
        holder = CLASS_OF.get(kind, kind)
        compare = self.random.pick(COMPARE_FLOAT if "f" in kind else COMPARE_SIGNED
                                   if kind[0] == "s" else COMPARE_UNSIGNED if kind[0] == "u"
                                   else ["eq", "ne"])
        combine, tail = "", ""
        if self.random.chance(30):
            combine = "." + self.random.pick(["and", "or", "xor"])
            tail = ", " + ("!" if self.random.chance(30) else "") + self.predicate()
        ftz = ".ftz" if kind in ("f32", "f16", "f16x2") and self.random.chance(30) else ""
        first = self.random.below(PREDICATES)
        out, use = f"%p{first}", ""
        if kind.endswith("x2") or self.random.chance(20) and "f16" not in kind:
            out += f"|%p{(first + 1 + self.random.below(PREDICATES - 1)) % PREDICATES}"
        if kind.endswith("x2"):  # ptxas compares the low halves when only the second is used
            use = f" @%p{first} add.u64 %hash, %hash, 1;"
        self.emit(f"{self.guard()}setp.{compare}{combine}{ftz}.{kind} {out}, "
                  f"{self.register(holder)}, {self.source(holder)}{tail};{use}")

    def selection(self):
        kind = self.random.pick(["b16", "b32", "b64", "f32", "f64", "f16", "f16x2"])
        width = CLASSES[kind][0]
        guard = self.guard()
        a, b = self.source(kind), self.register(kind)
        out = self.register(kind)
        how = self.random.below(3)
        if how == 0 and width > 16 or width == 16:
            self.emit(f"{guard}selp.b{width} {out}, {a}, {b}, {self.predicate()};")
        elif how == 1:
            self.emit(f"{guard}slct.b{width}.s32 {out}, {a}, {b}, {self.register('b32')};")
        else:
            ftz = self.random.pick(["", ".ftz"])
            self.emit(f"{guard}slct{ftz}.b{width}.f32 {out}, {a}, {b}, {self.register('f32')};")

    def predicate_logic(self):
        operation = self.random.pick(["and", "or", "xor", "not", "mov", "selp", "lane"])
        a, b, out = self.predicate(), self.predicate(), self.predicate()
        if operation == "selp":
            self.emit(f"{self.guard()}selp.b32 {self.register('b32')}, 1, 0, {a};")
        elif operation == "lane":
            self.emit(f"and.b32 %t32, {self.random.pick(['%gid', self.register('b32')])}, "
                      f"{1 << self.random.below(5)};")
            self.emit(f"setp.ne.u32 {out}, %t32, 0;")
        elif operation in ("not", "mov"):
            self.emit(f"{self.guard()}{operation}.pred {out}, {a};")
        else:
            self.emit(f"{self.guard()}{operation}.pred {out}, {a}, {b};")

    def packing(self):
        """Bits from one class to another, halves to words and back."""
        how = self.random.below(8)
        several, put = self.several, self.register
        get = lambda kind: self.canonical(self.register(kind))
        small = lambda: self.random.pick(["b16", "f16", "bf16"])
        middle = lambda: self.random.pick(["b32", "b32", "f32", "f16x2", "bf16x2"])
        guard = self.guard()
        if how == 0:
            self.emit(f"{guard}mov.b32 {put(middle())}, {{{get(small())}, {get(small())}}};")
        elif how == 1:
            a, b = several(small(), 2)
            self.emit(f"{guard}mov.b32 {{{a}, {b}}}, {get(middle())};")
        elif how == 2:
            self.emit(f"{guard}mov.b64 {put('b64')}, {{{get(middle())}, {get(middle())}}};")
        elif how == 3:
            a, b = several(middle(), 2)
            self.emit(f"{guard}mov.b64 {{{a}, {b}}}, {get('b64')};")
        elif how == 4:
            self.emit(f"{guard}mov.b64 {put('b64')}, {{{get('b16')}, {get('f16')}, "
                      f"{get('b16')}, {get('bf16')}}};")
        elif how == 5:
            a, b, c, d = several("b16", 4)
            self.emit(f"{guard}mov.b64 {{{a}, {b}, {c}, {d}}}, {get('b64')};")
        elif how == 6:
            self.emit(f"{guard}mov.b32 {put(middle())}, {get(middle())};")
        else:
            self.emit(f"{guard}mov.b64 {put('b64')}, {get('f64')};")

    def carry(self):
        width = self.random.pick([32, 32, 64])
        kind = f"b{width}"
        sign = self.random.pick("us")
        get = lambda: self.source(kind)
        reg = lambda: self.register(kind)
        how = self.random.below(3)
        length = 1 + self.random.below(3)
        if how < 2:
            operation = "add" if how == 0 else "sub"
            first = [f"{operation}.cc.{sign}{width} {reg()}, {reg()}, {get()};"]
            middle = [f"{operation}c.cc.{sign}{width} {reg()}, {reg()}, {get()};"
                      for _ in range(length - 1)]
            last = [f"{operation}c.{sign}{width} {reg()}, {reg()}, {get()};"]
        else:
            lo = lambda: self.random.pick(["lo", "hi"])
            first = [f"mad.{lo()}.cc.{sign}{width} {reg()}, {reg()}, {get()}, {reg()};"]
            middle = [f"madc.{lo()}.cc.{sign}{width} {reg()}, {reg()}, {get()}, {reg()};"
                      for _ in range(length - 1)]
            last = [f"madc.{lo()}.{sign}{width} {reg()}, {reg()}, {get()}, {reg()};"]
        # One line: a chain from which the reducer takes a link is another program.
        self.emit(" ".join(first + middle + last))

    def refresh(self):
        """A new value from a table."""
        kind = self.random.pick(list(CLASSES))
        self.load_table(kind, self.register(kind), f"%gid" if self.random.chance(50)
                        else self.register("b32"))

    def load_table(self, kind, register, lane):
        width = CLASSES[kind][0]
        scale = self.random.pick([0, 1, 1, 3, 5, 7, 11, 13])
        space = self.program.space[kind]
        self.emit(f"mad.lo.u32 %t32, {lane}, {scale}, {self.random.below(64)}; "
                  f"and.b32 %t32, %t32, 63; mul.wide.u32 %t64, %t32, {width // 8}; "
                  f"mov.u64 %u64, tab_{kind}; add.u64 %t64, %t64, %u64; "
                  f"ld.{space}.b{width} {register}, [%t64];")

    def parameter(self):
        """A piece of the struct, or a scalar."""
        if self.function:
            return self.refresh()
        how = self.random.below(5)
        if how == 0:
            size = self.random.pick([1, 2, 4, 8])
            at = self.random.below(24 // size) * size
            self.emit(self.load("param", f"st+{at}", size))
        elif how == 1:
            a, b = self.several("b32", 2)
            self.emit(f"ld.param.v2.b32 {{{a}, {b}}}, [st+{8 * self.random.below(3)}];")
        elif how == 2:
            self.emit(f"ld.param.u32 {self.register('b32')}, [n];")
        elif how == 3:
            self.emit(f"ld.param.b64 {self.register('b64')}, [k];")
        else:
            self.emit(f"ld.param.f32 {self.register('f32')}, [f];")

    # Memory.

    def ordered(self, space, orders):
        if space not in ("shared", "global", "gen") or not self.random.chance(15):
            return space
        return f"{self.random.pick(orders)}.{space}"

    def load(self, space, address, size):
        sign = self.random.pick("us")
        kind = {1: ["b16", "b32", "b64"], 2: ["b16", "b32", "b64", "f16", "bf16"],
                4: ["b32", "b32", "b64", "f32", "f16x2"], 8: ["b64", "b64", "f64"]}[size]
        kind = self.random.pick(kind)
        if kind[0] == "f" or kind == "bf16":
            sign = "b"
        register, whole = self.register(kind), ""
        if 8 * size < CLASSES[kind][0]:
            # All bits are used: ptxas takes the wrong ones when only the extension is.
            whole = (f" cvt.u64.u{CLASSES[kind][0]} %u64, {register}; "
                     "mad.lo.u64 %hash, %hash, 5, %u64;").replace("cvt.u64.u64", "mov.b64")
        space = self.ordered(space, ["volatile", "relaxed.cta", "acquire.gpu", "relaxed.sys"])
        return f"{self.guard()}ld.{space}.{sign}{8 * size} {register}, [{address}];{whole}"

    def store(self, space, address, size):
        kind = {1: ["b16", "b32", "b64"], 2: ["b16", "b32", "b64", "f16", "bf16"],
                4: ["b32", "b32", "b64", "f32", "bf16x2"], 8: ["b64", "b64", "f64"]}[size]
        kind = self.random.pick(kind)
        sign = "b" if "f" in kind else self.random.pick("us")
        value = self.canonical(self.register(kind))
        space = self.ordered(space, ["volatile", "relaxed.cta", "release.gpu", "relaxed.sys"])
        return f"{self.guard()}st.{space}.{sign}{8 * size} [{address}], {value};"

    def vector(self, space, address_of, store):
        size = self.random.pick([1, 1, 2, 2, 4, 8])
        count = self.random.pick([2, 4]) if size < 8 else 2
        kind = {1: "b16", 2: self.random.pick(["b16", "f16"]), 4: self.random.pick(["b32", "f32"]),
                8: "b64"}[size]
        if size == 1 and self.random.chance(40):
            kind = "b32"
        sign = "b" if kind[0] == "f" else self.random.pick("us")
        address = address_of(size * count)
        if store:
            values = [self.canonical(self.register(kind)) for _ in range(count)]
            return (f"{self.guard()}st.{space}.v{count}.{sign}{8 * size} [{address}], "
                    f"{{{', '.join(values)}}};")
        return (f"{self.guard()}ld.{space}.v{count}.{sign}{8 * size} "
                f"{{{', '.join(self.several(kind, count))}}}, [{address}];")

    def memory(self):
        """A place of the thread's own: local, shared, global, by window or generic."""
        where = self.random.pick(["local", "local", "shared", "global"])
        if self.function:
            where = "local"
        base, size = {"local": ("%la", 64), "shared": ("%sa", 16), "global": ("%ga", 32)}[where]
        space = where
        if self.random.chance(25):
            base, space = base + "g", ""

        def address_of(bytes_):
            places = size // bytes_
            if self.random.chance(50) or places == 1:
                offset = self.random.below(places) * bytes_
                return f"{base}+{offset}" if offset else base
            self.emit(f"and.b32 %t32, {self.register('b32')}, {places - 1}; "
                      f"mad.wide.u32 %t64, %t32, {bytes_}, {base};")
            return "%t64"

        store = self.random.chance(50)
        dot = space or "gen"
        if self.random.chance(30):
            text = self.vector(dot, address_of, store)
        else:
            bytes_ = self.random.pick([1, 2, 4, 8])
            text = (self.store if store else self.load)(dot, address_of(bytes_), bytes_)
        self.emit(text.replace(".gen.", "."))

    def copy(self):
        """Asynchronously from the thread's own global words to its own shared ones."""
        if self.function:
            return self.memory()
        size = self.random.pick([4, 8, 16])
        kind = ".cg" if size == 16 and self.random.chance(50) else ".ca"
        self.emit(f"cp.async{kind}.shared.global [%sa+{self.random.below(16 // size) * size}], "
                  f"[%ga+{self.random.below(32 // size) * size}], {size}; " +
                  self.random.pick(["cp.async.wait_all;",
                                    "cp.async.commit_group; cp.async.wait_group 0;"]))

    def own_atomic(self):
        """An atomic on a word that no other thread touches: its old value is known."""
        if self.function:
            return self.memory()
        base, space = self.random.pick([("%sa", ".shared"), ("%ga", ".global"), ("%gag", ""),
                                        ("%sag", "")])
        how = self.random.below(6)
        word, at = 4 * self.random.below(4), 8 * self.random.below(2)
        scope = self.random.pick(["", ".relaxed.cta", ".acq_rel.gpu", ".relaxed.sys"])
        head = f"{self.guard()}atom{scope}{space}"
        if how == 0:
            operation = self.random.pick(["add.u32", "min.s32", "max.u32", "and.b32", "or.b32",
                                          "xor.b32", "exch.b32", "inc.u32", "dec.u32",
                                          "min.u32", "max.s32"])
            self.emit(f"{head}.{operation} {self.register('b32')}, [{base}+{word}], "
                      f"{self.source('b32')};")
        elif how == 1:
            operation = self.random.pick(["add.u64", "min.s64", "max.u64", "and.b64", "or.b64",
                                          "xor.b64", "exch.b64"])
            self.emit(f"{head}.{operation} {self.register('b64')}, [{base}+{at}], "
                      f"{self.register('b64')};")
        elif how == 2:
            self.emit(f"{head}.cas.b32 {self.register('b32')}, [{base}+{word}], "
                      f"{self.register('b32')}, {self.register('b32')};")
        elif how == 3:
            self.emit(f"{head}.cas.b64 {self.register('b64')}, [{base}+{at}], "
                      f"{self.register('b64')}, {self.register('b64')};")
        elif how == 4:
            self.emit(f"{head}.add.f32 {self.register('f32')}, [{base}+{word}], "
                      f"{self.register('f32')};")
        else:
            kind = self.random.pick(["f16x2", "bf16x2"])
            self.emit(f"{head}.add.noftz.{kind} {self.register(kind)}, [{base}+{word}], "
                      f"{self.register(kind)};")

    def shared_cell(self):
        """A reduction that comes out the same in any order; nobody reads it before the end."""
        if self.function:
            return self.memory()
        cell = self.random.below(16)
        operation = self.program.cell_operation[cell]
        value = self.register("b64" if operation.endswith("64") else "b32")
        self.emit(f"{self.guard()}red.global.{operation} [%cells+{8 * cell}], {value};")

    # Control flow.

    def block(self, budget):
        while budget > 0:
            budget -= self.statement(budget)

    def apart(self, budget):
        together, self.together = self.together, False
        self.depth += 1
        self.block(budget)
        self.depth -= 1
        self.together = together

    def branch_condition(self):
        if self.random.chance(40):
            self.comparison()
        elif self.random.chance(30):
            self.predicate_logic()
        return ("!" if self.random.chance(40) else "") + self.predicate()

    def if_else(self, budget):
        condition = self.branch_condition()
        other, end = self.label(), self.label()
        both = self.random.chance(60)
        self.emit(f"@{condition} bra {other if both else end};")
        self.apart(budget // 2)
        if both:
            self.emit(f"bra {end};")
            self.emit(f"{other}:")
            self.apart(budget // 2)
        self.emit(f"{end}:")

    def rolled(self):
        """Turns of an unrolled loop are contracted and ordered each by itself."""
        return '.pragma "nounroll"; ' if self.program.rolled else ""

    def loop(self, budget):
        """Bounded, by a count that is the same for all lanes or not; with ways out and back."""
        count, top, end, back = self.counter(), self.label(), self.label(), self.label()
        uniform = self.random.chance(40)
        if uniform:
            if self.random.chance(50) and not self.function:
                self.emit(f"ld.param.u32 {count}, [n];")
            else:
                self.emit(f"mov.u32 {count}, {1 + self.random.below(5)};")
        else:
            self.emit(f"and.b32 {count}, {self.register('b32')}, {self.random.pick([1, 3, 3, 7])}; "
                      f"add.u32 {count}, {count}, 1;")
        self.emit(self.rolled() + f"{top}:")
        run = self.block if uniform and self.together else self.apart
        self.depth += 1
        run(budget // 2)
        if self.random.chance(35) and run == self.apart:
            self.emit(f"@{self.branch_condition()} bra {end};")
            run(budget // 3)
        if self.random.chance(30) and run == self.apart:
            self.emit(f"@{self.branch_condition()} bra {back};")
            run(budget // 3)
        self.depth -= 1
        self.emit(f"{back}: sub.u32 {count}, {count}, 1; setp.gt.s32 %pn, {count}, 0; "
                  f"@%pn bra {top};")
        self.emit(f"{end}:")

    def jumble(self, budget):
        """Pieces with branches forward to any later piece, and bounded ones back."""
        pieces = 3 + self.random.below(4)
        names = [self.label() for _ in range(pieces)]
        fuel = None
        if self.random.chance(40):
            fuel = self.counter()
            self.emit(f"and.b32 {fuel}, {self.register('b32')}, 3;")
        for i in range(pieces):
            self.emit((self.rolled() if fuel else "") + f"{names[i]}:")
            if i == pieces - 1:
                break
            self.apart(budget // pieces)
            if self.random.chance(75):
                target = names[i + 1 + self.random.below(pieces - 1 - i)]
                self.emit(f"@{self.branch_condition()} bra {target};")
            if fuel and i and self.random.chance(40):
                self.emit(f"sub.s32 {fuel}, {fuel}, 1; setp.ge.s32 %pn, {fuel}, 0; "
                          f"@%pn bra {names[self.random.below(i + 1)]};")
            if self.random.chance(25):
                self.emit(f"bra {names[i + 1 + self.random.below(pieces - 1 - i)]};")

    def switch(self, budget):
        count = self.random.pick([2, 3, 4])
        names = [self.label() for _ in range(count)]
        end, table = self.label(), self.label("T")
        self.emit(f"{table}: .branchtargets {', '.join(names)};")
        self.emit(f"and.b32 %t32, {self.register('b32')}, {1 if count < 4 else 3}; "
                  f"brx.idx %t32, {table};")
        for name in names:
            self.emit(f"{name}:")
            self.apart(budget // count)
            if self.random.chance(70):
                self.emit(f"bra {end};")
        self.emit(f"{end}:")

    def call(self):
        functions = self.program.functions
        known = len(functions)
        if self.function:  # functions call earlier ones only, and themselves
            known = self.function["number"]
        if not known:
            return self.table_instruction()
        target = self.random.below(known)
        name = f"f{target}"
        lane = self.random.pick(["%gid", self.register("b32")])
        value = self.canonical(self.register("f64"))
        text = (f"st.param.b32 [ca], {lane}; st.param.b32 [cb], {self.random.below(4)}; "
                f"st.param.b32 [cc], {self.register('f32')}; st.param.b64 [cd], {value}; "
                f"st.param.b32 [ce+4], {self.register('b32')}; "
                f"st.param.b16 [ce+2], {self.register('f16')}; "
                f"st.param.b8 [ce+1], {self.register('b16')}; st.param.b8 [ce], 7;")
        take = (f"ld.param.b64 {self.register('b64')}, [cv]; ld.param.b32 "
                f"{self.register('f32')}, [cv+8]; ld.param.b16 {self.register('b16')}, [cv+14];")
        if self.random.chance(35):
            other = self.random.below(known)
            self.emit(f"mov.u64 %fp, f{target}; mov.u64 %t64, f{other}; "
                      f"selp.b64 %fp, %t64, %fp, {self.predicate()};")
            self.emit(f"{CALL} {text} call (cv), %fp, (ca, cb, cc, cd, ce), shape; {take} }}")
        else:
            self.emit(f"{CALL} {text} call (cv), {name}, (ca, cb, cc, cd, ce); {take} }}")

    # Where all lanes are together.

    def gather(self):
        self.emit("bar.warp.sync 0xffffffff;")

    def shuffle(self):
        mode = self.random.pick(["up", "down", "bfly", "idx"])
        kind = self.random.pick(["b32", "b32", "f32", "f16x2"])
        lane = self.random.pick([str(self.random.below(33)), self.register("sh"),
                                 self.register("b32")])
        limit = 0 if mode == "up" else 31
        clamp = self.random.pick([limit, limit, limit | self.random.pick([16, 24, 28, 30]) << 8])
        out = self.register(kind)
        if self.random.chance(40):
            out += f"|{self.predicate()}"
        self.emit(f"shfl.sync.{mode}.b32 {out}, {self.register(kind)}, {lane}, {clamp}, "
                  "0xffffffff;")

    def vote(self):
        how = self.random.below(7)
        if how < 3:
            mode = self.random.pick(["all", "any", "uni"])
            self.emit(f"vote.sync.{mode}.pred {self.predicate()}, "
                      f"{self.random.pick(['', '!'])}{self.predicate()}, 0xffffffff;")
        elif how == 3:
            self.emit(f"vote.sync.ballot.b32 {self.register('b32')}, {self.predicate()}, "
                      "0xffffffff;")
        elif how == 4:
            width = self.random.pick([32, 64])
            self.emit(f"match.any.sync.b{width} {self.register('b32')}, "
                      f"{self.register(f'b{width}')}, 0xffffffff;")
        elif how == 5:
            width = self.random.pick([32, 64])
            self.emit(f"match.all.sync.b{width} {self.register('b32')}|{self.predicate()}, "
                      f"{self.register(f'b{width}')}, 0xffffffff;")
        else:
            operation = self.random.pick(["add.u32", "add.s32", "min.s32", "min.u32", "max.s32",
                                          "max.u32", "and.b32", "or.b32", "xor.b32"])
            self.emit(f"redux.sync.{operation} {self.register('b32')}, {self.register('b32')}, "
                      "0xffffffff;")

    def some_lanes(self):
        """Those for which a predicate holds, behind a branch, by their mask."""
        mask, end = "%m0", self.label()
        register = self.register("b32")
        what = self.random.pick([
            f"redux.sync.add.s32 {self.register('b32')}, {register}, {mask};",
            f"bfind.u32 %t32, {mask}; shfl.sync.idx.b32 {self.register('b32')}, {register}, %t32, "
            f"31, {mask};",
            f"match.any.sync.b32 {self.register('b32')}, {register}, {mask};",
            f"vote.sync.ballot.b32 {self.register('b32')}, {self.predicate()}, {mask};",
            f"vote.sync.all.pred {self.predicate()}, {self.predicate()}, {mask};"])
        chosen = self.predicate()
        self.emit(f"vote.sync.ballot.b32 {mask}, {chosen}, 0xffffffff; @!{chosen} bra {end}; "
                  f"{what} {end}:")

    def exchange(self):
        """Through shared memory, between barriers."""
        size = self.random.pick([1, 2, 4, 8])
        at = self.random.below(16 // size) * size
        self.gather()
        self.emit(f"bar.sync 0; {self.store('shared', f'%sa+{at}', size)} bar.sync 0;"
                  if self.random.chance(50) else "bar.sync 0;")
        lane = self.random.pick([f"xor.b32 %t32, %gid, {1 + self.random.below(63)};",
                                 f"add.u32 %t32, %gid, {self.random.below(64)};",
                                 f"xor.b32 %t32, %gid, {self.register('b32')};"])
        self.emit(f"{lane} and.b32 %t32, %t32, 63; mov.u64 %u64, sh; "
                  f"mad.wide.u32 %t64, %t32, 16, %u64; {self.load('shared', f'%t64+{at}', size)}")
        self.gather()
        self.emit("bar.sync 0;")

    def barrier_vote(self):
        self.gather()
        how = self.random.below(3)
        if how == 0:
            self.emit(f"barrier.sync.aligned {self.random.below(4)};")
        elif how == 1:
            self.emit(f"barrier.red.popc.aligned.u32 {self.register('b32')}, "
                      f"{self.random.below(4)}, {self.predicate()};")
        else:
            self.emit(f"barrier.red.{self.random.pick(['and', 'or'])}.aligned.pred "
                      f"{self.predicate()}, {self.random.below(4)}, {self.predicate()};")

    def matrix(self):
        self.gather()
        how = self.random.below(7)
        words = lambda kind, count, see=lambda one: one: \
            "{" + ", ".join(see(self.register(kind)) for _ in range(count)) + "}"
        out = lambda kind, count: "{" + ", ".join(self.several(kind, count)) + "}"
        if how == 0:
            kind = self.random.pick(["f16", "bf16"])
            self.emit(f"mma.sync.aligned.m16n8k16.row.col.f32.{kind}.{kind}.f32 "
                      f"{out('f32', 4)}, {words(kind + 'x2', 4)}, {words(kind + 'x2', 2)}, "
                      f"{words('f32', 4)};")
        elif how == 1:
            self.emit(f"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {out('f16x2', 2)}, "
                      f"{words('f16x2', 2)}, {words('f16x2', 1)}, {words('f16x2', 2)};")
        elif how == 2:
            a, b = self.random.pick("us"), self.random.pick("us")
            self.emit(f"mma.sync.aligned.m16n8k32.row.col{self.random.pick(['', '.satfinite'])}"
                      f".s32.{a}8.{b}8.s32 {out('b32', 4)}, {words('b32', 4)}, "
                      f"{words('b32', 2)}, {words('b32', 4)};")
        elif how == 3:
            self.emit(f"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {out('f32', 4)}, "
                      f"{words('f32', 2)}, {words('f32', 1)}, {words('f32', 4)};")
        elif how == 5:
            self.emit(f"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {out('f64', 2)}, "
                      f"{words('f64', 1)}, {words('f64', 1)}, {words('f64', 2)};")
        elif how == 4:
            self.emit(f"movmatrix.sync.aligned.m8n8.trans.b16 {self.register('f16x2')}, "
                      f"{self.register('f16x2')};")
        else:
            count = self.random.pick([1, 2, 4])
            trans = self.random.pick(["", ".trans"])
            self.emit("bar.sync 0;")
            if self.random.chance(50):
                self.emit(f"stmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 [%sa], "
                          f"{words('f16x2', count, self.canonical)}; bar.sync 0;")
            self.emit(f"ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 "
                      f"{out('f16x2', count)}, [%sa];")
            self.gather()
            self.emit("bar.sync 0;")

    def checkpoint(self):
        kind = self.random.pick(list(CLASSES))
        value = self.canonical(self.register(kind))
        width = CLASSES[kind][0]
        if self.function or self.checkpoints == 8 or self.random.chance(40):
            self.fold(kind, value)
            return
        # A loop comes here several times; the last one counts.
        self.emit(f"st.global.b{width} [%raw+{8 * (55 + self.checkpoints)}], {value};")
        self.checkpoints += 1

    def fold(self, kind, value):
        width = CLASSES[kind][0]
        move = {16: f"cvt.u64.u16 %t64, {value};", 32: f"cvt.u64.u32 %t64, {value};",
                64: f"mov.b64 %t64, {value};"}[width]
        self.emit(f"{move} mad.lo.u64 %hash, %hash, 0x9E3779B97F4A7C15, %t64;")

    def statement(self, budget):
        """One statement; what it took of the budget."""
        choices = [(30, self.table_instruction), (11, self.loose_float), (10, self.loose_integer),
                   (8, self.comparison), (3, self.extra_integer), (5, self.selection),
                   (3, self.predicate_logic), (6, self.packing), (3, self.carry),
                   (9, self.refresh), (3, self.parameter), (10, self.memory), (2, self.special),
                   (1, self.copy), (3, self.own_atomic), (2, self.shared_cell),
                   (3, self.checkpoint)]
        if self.together:
            choices += [(4, self.shuffle), (4, self.vote), (2, self.some_lanes), (3, self.exchange),
                        (1, self.barrier_vote), (2, self.matrix)]
        if self.depth < 3 and budget >= 5:
            flow = [(6, self.if_else), (4, self.loop), (4, self.jumble), (2, self.switch)]
            choices += flow
        if self.depth < 2:
            choices.append((3, self.call))
        what = self.random.weighted(choices)
        if what in (self.if_else, self.loop, self.jumble, self.switch):
            part = 3 + self.random.below(min(budget, 24))
            what(part)
            return part
        if what in (self.loose_float, self.loose_integer):
            what()
        else:
            self.joined(what)
        return 1

    # Beginning and end.

    def declare(self):
        for width, letter, count in CLASSES.values():
            self.emit(f".reg .b{width} %{letter}<{count}>;")
        self.emit(f".reg .pred %p<{PREDICATES}>, %pn, %pm; "
                  f".reg .b16 %t16, %l<{SPARE}>; .reg .b32 %t32, %gid, %m<{SPARE}>; "
                  ".reg .b64 %t64, %u64, %hash, %fp; "
                  f".reg .b64 %n<{SPARE}>;")
        self.emit(".reg .b64 %la, %lag, %sa, %sag, %ga, %gag, %raw, %cells;")
        self.emit(f".reg .b32 %c<{max(self.counters, 1)}>;")
        self.emit(".local .align 16 .b8 loc[64];")
        self.emit(SHAPE)

    def fill(self):
        """A value for every register."""
        for kind, (_, letter, count) in CLASSES.items():
            for i in range(count):
                self.load_table(kind, f"%{letter}{i}", "%gid")
        self.emit("mov.b64 %fp, 0; mov.b32 %t32, 0; setp.ne.u32 %pm, %t32, 0; "
                  "setp.ne.u32 %pn, %t32, 0; mov.b64 %hash, 1; mov.b16 %t16, 1;")
        for i in range(SPARE):
            self.emit(f"mov.b64 %n{i}, 0; mov.b32 %m{i}, 0; mov.b16 %l{i}, 0;")
        for i in range(PREDICATES):
            self.emit(f"and.b32 %t32, %r{i}, {1 << self.random.below(6)}; "
                      f"setp.ne.u32 %p{i}, %t32, 0;")
        self.emit("mov.u64 %la, loc; cvta.local.u64 %lag, %la;")
        for at in range(0, 64, 16):
            self.emit(f"st.local.v2.b64 [%la+{at}], {{%q{self.random.below(6)}, "
                      f"%q{self.random.below(6)}}};")


class Program:
    def __init__(self, seed, index):
        self.random = Random(seed)
        self.seed = seed
        self.index = index
        self.canonical = not self.random.chance(5)
        self.rolled = not self.random.chance(20)
        # A program draws on some of the instructions, so that they meet more often.
        names = sorted(index)
        self.roots = [self.random.pick(names) for _ in range(24)]
        self.space = {kind: self.random.pick(["global", "global.nc", "const"])
                      for kind in CLASSES}
        self.cell_operation = [self.random.pick(
            ["add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "add.u64",
             "min.u64", "max.s64", "xor.b64", "min.u32", "max.s32"]) for _ in range(16)]
        self.functions = []

    def tables(self):
        out = []
        for kind, (width, _, _) in CLASSES.items():
            space = "const" if self.space[kind] == "const" else "global"
            values = [hex(class_bits(self.random, kind)) for _ in range(64)]
            out.append(f".{space} .align 8 .b{width} tab_{kind}[64] = {{{', '.join(values)}}};")
        return out

    def function_head(self, number):
        return (f".func (.param .align 8 .b8 v[16]) f{number}(.param .b32 a, .param .b32 b, "
                ".param .b32 c, .param .b64 d, .param .align 8 .b8 e[8])")

    def finish(self, body, kept):
        """Declarations and text; a comment marks the lines that the reducer has to keep."""
        start = Body(self)
        start.counters = body.counters
        start.declare()
        for i in range(body.counters):
            start.emit(f"mov.b32 %c{i}, 0;")
        lines = start.lines + body.lines[:kept]
        return [line + KEEP for line in lines] + body.lines[kept:-1] + [body.lines[-1] + KEEP]

    def function(self, number):
        """A function of a lane's number, a depth, a float, a double and a struct."""
        recursive = self.random.chance(30)
        body = Body(self, {"number": number})
        body.emit("ld.param.b32 %gid, [a];")
        body.fill()
        body.emit("ld.param.b32 %f0, [c]; ld.param.b64 %d0, [d]; ld.param.b32 %r0, [e+4];")
        body.emit("ld.param.b16 %x0, [e+2]; ld.param.s8 %h0, [e+1];")
        kept = len(body.lines)
        end = body.label("END")
        if recursive:
            body.emit(f"ld.param.b32 %r1, [b]; and.b32 %r1, %r1, 3; setp.eq.u32 %pn, %r1, 0; "
                      f"@%pn bra {end}; sub.u32 %t32, %r1, 1; {CALL} st.param.b32 [ca], %r2; "
                      "st.param.b32 [cb], %t32; st.param.b32 [cc], %f1; "
                      "st.param.b64 [cd], %q1; st.param.b64 [ce], %q2; "
                      f"call (cv), f{number}, (ca, cb, cc, cd, ce); ld.param.b64 %q0, [cv]; "
                      "ld.param.b32 %f2, [cv+8]; ld.param.s16 %r3, [cv+12]; }")
        body.block(4 + self.random.below(14))
        if self.random.chance(30):
            body.emit(f"@{body.predicate()} bra {end};")
            body.block(3)
        body.emit(f"{end}:")
        for kind in ("b32", "f32", "f16x2"):
            body.fold(kind, body.canonical(body.register(kind)))
        half = body.canonical(body.register("f16"))
        body.emit(f"st.param.b64 [v], %hash; st.param.b32 [v+8], {body.register('f32')}; "
                  f"st.param.b16 [v+12], {body.register('b16')}; "
                  f"st.param.b16 [v+14], {half}; ret;")
        return [self.function_head(number) + KEEP, "{" + KEEP] + self.finish(body, kept) + \
            ["}" + KEEP]

    def kernel(self):
        body = Body(self)
        body.emit("ld.param.u64 %raw, [raw]; ld.param.u64 %cells, [cells]; "
                  "ld.param.u64 %ga, [own];")
        body.emit("mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; "
                  "mad.lo.u32 %gid, %r0, %r1, %r2;")
        body.emit(f"mad.wide.u32 %raw, %gid, {8 * WORDS}, %raw; "
                  "mad.wide.u32 %ga, %gid, 32, %ga; cvta.to.global.u64 %ga, %ga; "
                  "cvta.global.u64 %gag, %ga;")
        body.emit("mov.u64 %sa, sh; mad.wide.u32 %sa, %r2, 16, %sa; cvta.shared.u64 %sag, %sa;")
        body.fill()
        body.emit("st.shared.v2.b64 [%sa], {%q0, %q1};")
        body.emit("st.global.v2.b64 [%ga], {%q2, %q3}; st.global.v2.b64 [%ga+16], {%q4, %q5};")
        if self.random.chance(50):
            body.emit("ld.param.b64 %q0, [k]; ld.param.u32 %r0, [n]; mov.u32 %r1, %ctaid.x; "
                      "ld.param.b32 %f0, [f];")
        kept = len(body.lines)
        body.block(30 + self.random.below(70))
        slot = 0
        for kind, (width, letter, count) in CLASSES.items():
            for i in range(count):
                value = body.canonical(f"%{letter}{i}")
                body.fold(kind, value)
                body.emit(f"st.global.b{width} [%raw+{8 * slot}], {value};")
                slot += 1
        for i in range(PREDICATES):
            body.emit(f"selp.b32 %t32, 1, 0, %p{i}; st.global.b8 [%raw+{8 * slot + i}], %t32;")
            body.emit("cvt.u64.u32 %t64, %t32; mad.lo.u64 %hash, %hash, 3, %t64;")
        body.emit("ld.param.u64 %t64, [sums]; mad.wide.u32 %t64, %gid, 8, %t64; "
                  "st.global.b64 [%t64], %hash;")
        body.emit("ret;")
        return [".visible .entry k(.param .u64 raw, .param .u64 sums, .param .u64 cells, "
                ".param .u64 own, .param .u32 n, .param .u64 k, .param .f32 f, "
                ".param .align 8 .b8 st[24])" + KEEP, "{" + KEEP,
                ".shared .align 16 .b8 sh[1024];" + KEEP] + self.finish(body, kept) + ["}" + KEEP]

    def text(self):
        out = [f"// Random program {self.seed}.", ".version 9.0", ".target sm_90",
               ".address_size 64"]
        out += self.tables()
        out = [line + KEEP for line in out]
        count = self.random.pick([0, 1, 2, 3])
        bodies = []
        for number in range(count):
            bodies += self.function(number)
            self.functions.append(number)
        return "\n".join(line for line in out + bodies + self.kernel() if line) + "\n"


def uncontracted(text):
    """The program with a rounding modifier on every product and sum."""
    return re.sub(r"(?<![.\w])(mul|add|sub)((?:\.ftz|\.sat)*)\.((?:b?f16(?:x2)?|f32|f64)\b)",
                  r"\1.rn\2.\3", text)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="random PTX programs")
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int, nargs="?", default=1)
    parser.add_argument("--index", default=os.path.join(here, "../data/golden.idx"))
    parser.add_argument("--job", action="store_true", help="a job file on standard output")
    parser.add_argument("-o", dest="folder", default=".")
    options = parser.parse_args()
    if not options.job:
        index = read_index(options.index)
    for seed in range(options.first, options.first + options.count):
        if options.job:
            print(f"job random {seed}\nptx s{seed}.ptx\nkernel k\ngrid 2\nblock 64")
            print("\n".join("arg " + one for one in ARGUMENTS))
            print("output 1 2\n")
            continue
        with open(os.path.join(options.folder, f"s{seed}.ptx"), "w", encoding="ascii") as file:
            file.write(Program(seed, index).text())


if __name__ == "__main__":
    main()
