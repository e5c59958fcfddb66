#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare.py - random programs on the emulator and on a GPU, bit for bit.

    compare.py FIRST --scan SECONDS --reduce SECONDS [--jobs N] [-o FOLDER]

Needs simtlab, ptxas and the CUDA driver. Workers make programs (generate.py), compile them
with ptxas -O3, every third with -O0 as well, run both sides and compare all outputs. Then,
for as long as --reduce says, programs that differ are cut down to what still differs:
FOLDER/sSEED.O3.ptx, what differs in a comment at its top.

Each worker has a process that holds the GPU; one that does not answer is ended, and a
new one started.
"""
import argparse
import ctypes
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
from multiprocessing import Process, Queue

sys.dont_write_bytecode = True  # the folder is distributed
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import generate  # noqa: E402

SIZES = [65536, 1024, 256, 4096]
NAMES = ["raw", "sums", "cells", "own"]


# --- the process that holds the GPU ----------------------------------------------------------

def check(code, what):
    if code:
        print(f"fault {code} {what}", flush=True)
        os._exit(1)


def serve():
    """Lines of CUBIN OUT on standard input; `ok` when the outputs are in OUT."""
    cuda = ctypes.CDLL("libcuda.so.1")
    context, device = ctypes.c_void_p(), ctypes.c_int()
    check(cuda.cuInit(0), "cuInit")
    check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "context")
    check(cuda.cuCtxSetCurrent(context), "current")
    check(cuda.cuCtxSetLimit(0, ctypes.c_size_t(8192)), "stack")
    buffers = [ctypes.c_uint64() for _ in SIZES]
    for buffer, size in zip(buffers, SIZES):
        check(cuda.cuMemAlloc_v2(ctypes.byref(buffer), ctypes.c_size_t(size)), "memory")
    struct = (ctypes.c_char * 24).from_buffer_copy(bytes.fromhex(generate.ARGUMENTS[7][4:]))
    values = buffers + [ctypes.c_uint32(3), ctypes.c_uint64(0xFEDCBA9876543210),
                        ctypes.c_float(1.5), struct]
    pointers = (ctypes.c_void_p * len(values))(
        *[ctypes.cast(ctypes.byref(value), ctypes.c_void_p).value for value in values])
    print("ready", flush=True)
    for line in sys.stdin:
        cubin, out = line.split()
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        check(cuda.cuModuleLoad(ctypes.byref(module), cubin.encode()), "load")
        check(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"k"), "kernel")
        for buffer, size in zip(buffers, SIZES):
            check(cuda.cuMemsetD8_v2(buffer, 0, ctypes.c_size_t(size)), "memset")
        check(cuda.cuLaunchKernel(kernel, 2, 1, 1, generate.BLOCK, 1, 1, 0, None, pointers, None),
              "launch")
        check(cuda.cuCtxSynchronize(), "run")
        with open(out, "wb") as file:
            for buffer, size in zip(buffers, SIZES):
                host = ctypes.create_string_buffer(size)
                check(cuda.cuMemcpyDtoH_v2(host, buffer, ctypes.c_size_t(size)), "copy")
                file.write(host.raw)
        check(cuda.cuModuleUnload(module), "unload")
        print("ok", flush=True)


class Gpu:
    def __init__(self, folder):
        self.folder = folder
        self.process = None

    def answer(self, seconds):
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline().strip() if ready else "fault -1 no answer"
        if line not in ("ok", "ready"):
            self.stop()
        return line or "fault -2 died"

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def run(self, cubin):
        """The outputs, or the fault as text."""
        if not self.process:
            self.process = subprocess.Popen(
                [sys.executable, os.path.abspath(__file__), "--serve"], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1)
            line = self.answer(40)
            if line != "ready":
                return line
        out = os.path.join(self.folder, "gpu.bin")
        self.process.stdin.write(f"{cubin} {out}\n")
        self.process.stdin.flush()
        line = self.answer(10)
        if line != "ok":
            return line
        with open(out, "rb") as file:
            return split(file.read())


def split(data):
    out, at = [], 0
    for size in SIZES:
        out.append(data[at:at + size])
        at += size
    return out


# --- the other side --------------------------------------------------------------------------

class Machine:
    """Everything one worker runs programs with."""

    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.gpu = Gpu(folder)
        self.steps = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, text):
        with open(self.path("p.ptx"), "w", encoding="ascii") as file:
            file.write(text)

    def compile(self, level):
        done = subprocess.run([self.options.ptxas, "-arch=sm_90", f"-O{level}",
                               self.path("p.ptx"), "-o", self.path("p.cubin")],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60,
                              text=True)
        return "" if done.returncode == 0 else (done.stderr or "?").splitlines()[0]

    def emulate(self, command="run", more=()):
        """The outputs, or what the emulator said."""
        words = [self.options.simtlab, command, self.path("p.ptx"), "k", "-g", "2", "-b", "64",
                 "--threads", "1", *more]
        for i in range(generate.OUTPUTS):
            words += ["-o", f"{i}={self.path(f'o{i}.npy')}"]
        done = subprocess.run(words + ["--"] + generate.ARGUMENTS, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60)
        match = re.search(r"(\d+) warp instructions", done.stdout)
        self.steps += int(match[1]) if match else 0
        if done.returncode:
            return done.stdout or f"exit {done.returncode}"
        out = []
        for i in range(generate.OUTPUTS):
            with open(self.path(f"o{i}.npy"), "rb") as file:
                out.append(file.read()[-SIZES[i]:])
        return out

    def hardware(self, text, level):
        fault = self.compile(level)
        if fault:
            return "ptxas: " + fault
        if self.options.fake:
            if re.search(self.options.fake, text):
                return [b"\1" * size for size in SIZES]
            return self.emulate("run", ("--seed", "3"))
        return self.gpu.run(self.path("p.cubin"))

    def differs(self, text, level, refused=""):
        """What differs, as text, empty for nothing; refused where it does not compile."""
        self.write(text)
        real = self.hardware(text, level)
        if isinstance(real, str) and real.startswith("ptxas"):
            return refused
        return differences(self.emulate(), real)


def differences(ours, real):
    if isinstance(ours, str) or isinstance(real, str):
        if isinstance(real, str):
            return f"GPU: {real}"
        return f"emulator: {ours}"
    if ours == real:
        return ""
    lines = []
    for name, a, b in zip(NAMES, ours, real):
        if a == b:
            continue
        places = [i for i in range(0, len(a), 8) if a[i:i + 8] != b[i:i + 8]]
        words = {}
        for i in places:
            word = i // 8 % generate.WORDS if name == "raw" else 0
            words.setdefault(word, []).append(i)
        for word, all_ in sorted(words.items()):
            i = all_[0]
            label = f"raw {slot(word)}" if name == "raw" else name
            lines.append(f"{label}: {len(all_)} differ, place {i // 8} "
                         f"emulator {a[i:i + 8][::-1].hex()} GPU {b[i:i + 8][::-1].hex()}")
    return "\n".join(lines)


def slot(word):
    for _, letter, count in generate.CLASSES.values():
        if word < count:
            return f"%{letter}{word}"
        word -= count
    return f"word {word}"


# --- reduction -------------------------------------------------------------------------------

def reduce(text, still, deadline):
    """Takes lines away, as long as still(text); those marked KEEP stay."""
    lines = text.split("\n")
    free = [i for i, line in enumerate(lines) if line and not line.endswith(generate.KEEP)]
    size = max(len(free) // 2, 1)
    while free and time.time() < deadline:
        at, removed = 0, False
        while at < len(free) and time.time() < deadline:
            gone = set(free[at:at + size])
            if still("\n".join("" if i in gone else line for i, line in enumerate(lines))):
                for i in gone:
                    lines[i] = ""
                free = free[:at] + free[at + size:]
                removed = True
            else:
                at += size
        if size > 1:
            size = max(size // 2, 1)
        elif not removed:
            break
    return "\n".join(line for line in lines if line) + "\n"


# --- workers ---------------------------------------------------------------------------------

def work(options, number, queue, start):
    index = generate.read_index(options.index)
    count = {"programs": 0, "runs": 0, "instructions": 0, "words": 0, "differ": 0,
             "contracted": 0, "refused": 0, "checked": 0}
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(options, folder)
        seed = options.first + number
        while time.time() < start + options.scan:
            text = generate.Program(seed, index).text()
            machine.write(text)
            ours = machine.emulate()
            count["programs"] += 1
            count["instructions"] += sum(line.count(";") for line in text.split("\n")
                                         if line[:1] not in ".")
            if isinstance(ours, str):
                queue.put(("note", f"{seed}: emulator: {ours[:300]}"))
            if seed % 4 == 1:
                count["checked"] += 1
                report = machine.emulate("check", ("--threads", "3", "--seed", "9"))
                if isinstance(report, str):
                    queue.put(("note", f"{seed}: check: {report[:600]}"))
                elif report != ours:
                    queue.put(("note", f"{seed}: check --threads 3 --seed 9 differs"))
            for level in [3, 0] if seed % 3 == 0 else [3]:
                if level == 0:  # which contracts nothing
                    text = generate.uncontracted(text)
                    machine.write(text)
                    ours = machine.emulate()
                real = machine.hardware(text, level)
                if isinstance(real, str) and real.startswith("ptxas"):
                    count["refused"] += 1
                    queue.put(("note", f"{seed} -O{level}: {real}"))
                    continue
                count["runs"] += 1
                count["words"] += sum(SIZES) // 8
                what = differences(ours, real)
                if what and level == 3 and \
                        not machine.differs(generate.uncontracted(text), 3, "refused"):
                    # What ptxas contracts is its own choice: contract.c follows the most.
                    count["contracted"] += 1
                    if count["contracted"] <= 2:
                        queue.put(("note", f"{seed} contracted: {what.split(chr(10))[0]}"))
                    machine.write(text)
                elif what:
                    count["differ"] += 1
                    bad.append((seed, level))
                    head = "; ".join(what.split("\n")[:4])
                    queue.put(("note", f"{seed} -O{level} differs: {head}"))
            seed += options.jobs
        count["steps"] = machine.steps
        end = start + options.scan + options.reduce
        done = set()
        for seed, level in bad:
            if seed in done or time.time() > end - 3:
                continue
            done.add(seed)
            text = generate.Program(seed, index).text()
            if level == 0:
                text = generate.uncontracted(text)
            small = reduce(text, lambda one, level=level: machine.differs(one, level) != "",
                           min(end, time.time() + options.each))
            what = machine.differs(small, level)
            with open(os.path.join(options.folder, f"s{seed}.O{level}.ptx"), "w",
                      encoding="ascii") as file:
                file.write("".join(f"// {line}\n" for line in what.split("\n")[:8]) + small)
        machine.gpu.stop()
    queue.put(("count", count))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="random programs, emulator against a GPU")
    parser.add_argument("first", type=int, nargs="?", default=1)
    parser.add_argument("--scan", type=float, default=60)
    parser.add_argument("--reduce", type=float, default=60)
    parser.add_argument("--each", type=float, default=25, help="seconds for one reduction")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--index", default=os.path.join(here, "../data/golden.idx"))
    parser.add_argument("--simtlab", default="simtlab")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--fake", help="no GPU: programs with this text differ")
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("-o", dest="folder", default="reduced")
    options = parser.parse_args()
    if options.serve:
        serve()
        return 0
    os.makedirs(options.folder, exist_ok=True)
    queue, start, total = Queue(), time.time(), {}
    workers = [Process(target=work, args=(options, i, queue, start)) for i in range(options.jobs)]
    for worker in workers:
        worker.start()
    left = len(workers)
    limit = start + options.scan + options.reduce + 30
    while left and time.time() < limit:
        try:
            kind, value = queue.get(timeout=1)
        except Exception:  # nothing came within a second
            left = left if any(worker.is_alive() for worker in workers) else 0
            continue
        if kind == "note":
            print(value, flush=True)
        else:
            left -= 1
            for name, number in value.items():
                total[name] = total.get(name, 0) + number
    for worker in workers:
        if worker.is_alive():
            os.kill(worker.pid, signal.SIGKILL)
    print(total, f"{time.time() - start:.1f} s", flush=True)
    return 1 if total.get("differ") else 0


if __name__ == "__main__":
    sys.exit(main())
