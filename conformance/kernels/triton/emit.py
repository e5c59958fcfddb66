# SPDX-License-Identifier: Apache-2.0
"""Writes the PTX that Triton makes of the kernels below (3.9.0 made the files here):
    python3 emit.py
Its line tables are left out; the kernels take two pointers to scratch memory at their
end, which may be null."""
import re
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def add(x, y, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    tl.store(o + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@triton.jit
def softmax(o, x, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + r * n + c, mask=m, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(o + r * n + c, e / tl.sum(e, axis=0), mask=m)


@triton.jit
def layernorm(o, x, w, b, n, eps, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    v = tl.load(x + r * n + c, mask=m, other=0.0).to(tl.float32)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(m, v - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
    tl.store(o + r * n + c, d * scale * tl.load(w + c, mask=m) + tl.load(b + c, mask=m), mask=m)


@triton.jit
def gemm(a, b, c, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
        right = tl.load(b + (k + rk)[:, None] * N + rn[None, :])
        acc = tl.dot(left, right, acc)
    tl.store(c + rm[:, None] * N + rn[None, :], acc)


@triton.jit
def hist(o, x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    tl.atomic_add(o + (tl.load(x + i, mask=m, other=0) & 63), 1, mask=m)


@triton.jit
def scan(o, x, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.cumsum(tl.load(x + i), axis=0))


@triton.jit
def sort(o, x, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.sort(tl.load(x + i)))


@triton.jit
def argmax(o, x, n, B: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, B)
    v = tl.load(x + r * n + c, mask=c < n, other=-float("inf"))
    tl.store(o + r, tl.argmax(v, axis=0))


@triton.jit
def transpose(o, x, M, N, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    c = tl.program_id(1) * B + tl.arange(0, B)
    v = tl.load(x + r[:, None] * N + c[None, :])
    tl.store(o + c[:, None] * M + r[None, :], tl.trans(v))


@triton.jit
def rng(o, seed, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.randn(seed, i))


@triton.jit
def gelu(o, x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    m = i < n
    v = tl.load(x + i, mask=m).to(tl.float32)
    tl.store(o + i, (0.5 * v * (1 + tl.erf(v * 0.70710678))), mask=m)


@triton.jit
def attention(o, q, k, v, n, D: tl.constexpr, B: tl.constexpr):
    r = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    left = tl.load(q + r[:, None] * D + d[None, :])
    most = tl.full((B,), -float("inf"), tl.float32)
    total = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for s in range(0, n, B):
        c = s + tl.arange(0, B)
        score = tl.dot(left, tl.trans(tl.load(k + c[:, None] * D + d[None, :]))) * 0.25
        top = tl.maximum(most, tl.max(score, axis=1))
        p = tl.exp(score - top[:, None])
        keep = tl.exp(most - top)
        total = total * keep + tl.sum(p, axis=1)
        acc = acc * keep[:, None]
        acc = tl.dot(p.to(tl.float16), tl.load(v + c[:, None] * D + d[None, :]), acc)
        most = top
    tl.store(o + r[:, None] * D + d[None, :], acc / total[:, None])


def pointers(kind, *names):
    return {name: "*" + kind for name in names}


SPECS = [
    ("add_f32", add, {**pointers("fp32", "x", "y", "o"), "n": "i32"}, dict(B=512)),
    ("add_bf16", add, {**pointers("bf16", "x", "y", "o"), "n": "i32"}, dict(B=256)),
    ("softmax", softmax, {**pointers("fp32", "o", "x"), "n": "i32"}, dict(B=256)),
    ("layernorm", layernorm, {**pointers("fp16", "o", "x", "w", "b"), "n": "i32", "eps": "fp32"}, dict(B=256)),
    ("gemm_f16", gemm, {**pointers("fp16", "a", "b"), "c": "*fp32", "N": "i32", "K": "i32"}, dict(BM=32, BN=32, BK=16)),
    ("gemm_f32", gemm, {**pointers("fp32", "a", "b", "c"), "N": "i32", "K": "i32"}, dict(BM=16, BN=16, BK=16)),
    ("hist", hist, {**pointers("i32", "o", "x"), "n": "i32"}, dict(B=256)),
    ("scan", scan, pointers("i32", "o", "x"), dict(B=256)),
    ("sort", sort, pointers("fp32", "o", "x"), dict(B=128)),
    ("argmax", argmax, {"o": "*i32", "x": "*fp32", "n": "i32"}, dict(B=256)),
    ("transpose", transpose, {**pointers("fp32", "o", "x"), "M": "i32", "N": "i32"}, dict(B=16)),
    ("rng", rng, {"o": "*fp32", "seed": "i32"}, dict(B=128)),
    ("gelu", gelu, {"o": "*fp32", "x": "*fp16", "n": "i32"}, dict(B=256)),
    ("attention", attention, {**pointers("fp16", "q", "k", "v"), "o": "*fp32", "n": "i32"}, dict(D=16, B=16)),
]

for name, kernel, types, constants in SPECS:
    names = [p for p in kernel.arg_names]
    signature = {p: types.get(p, "constexpr") for p in names}
    divisible = {(names.index(p),): [["tt.divisibility", 16]] for p in types
                 if types[p][0] == "*" or p in "MNK"}
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants, attrs=divisible)
    # Plain mma and not wgmma, which only sm_90a has.
    target = GPUTarget("cuda", 80 if name.startswith(("gemm", "attention")) else 90, 32)
    options = dict(num_warps=4, num_stages=2, ptx_version=83, enable_fp_fusion=True)
    ptx = triton.compile(source, target=target, options=options).asm["ptx"]
    ptx = re.sub(r"(?ms)^\s*\.section.*", "", ptx)
    ptx = re.sub(r"(?m)^\s*(\.loc\s|\.file|//).*\n|^\$L__(tmp|func).*\n|^\s*\n|\s*// .*$", "", ptx)
    with open(name + ".ptx", "w") as out:
        out.write(ptx.rstrip() + "\n")
