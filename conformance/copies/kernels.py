#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# kernels.py - writes copies.ptx: a kernel for each tensor copy and each field of
# tensormap.replace.
out=[]
P=out.append
P('.version 8.7\n.target sm_90a\n.address_size 64\n')
P('.extern .shared .align 1024 .b8 dyn[];\n')
def head(name):
    P(f'.visible .entry {name}(.param .align 64 .b8 map[128], .param .b64 pin, .param .b64 pout, .param .b32 c0, .param .b32 c1, .param .b32 c2, .param .b32 c3, .param .b32 c4, .param .b32 o0, .param .b32 o1, .param .b32 o2, .param .b32 soff, .param .b32 words, .param .b32 expect)\n{{\n'
     ' .reg .b64 %rd<12>; .reg .b32 %r<24>; .reg .b32 %c<5>; .reg .b32 %x<3>; .reg .b16 %o<3>; .reg .pred %p<4>;\n'
     ' mov.b64 %rd0, map; cvta.param.u64 %rd1, %rd0;\n ld.param.b64 %rd2, [pin]; ld.param.b64 %rd3, [pout]; cvta.to.global.u64 %rd2, %rd2; cvta.to.global.u64 %rd3, %rd3;\n')
    for i in range(5): P(f' ld.param.b32 %c{i}, [c{i}];\n')
    for i in range(3): P(f' ld.param.b32 %x{i}, [o{i}]; cvt.u16.u32 %o{i}, %x{i};\n')
    P(' ld.param.b32 %r1, [soff]; ld.param.b32 %r2, [words]; ld.param.b32 %r3, [expect];\n'
      ' mov.u32 %r4, dyn; add.u32 %r5, %r4, 1024; add.u32 %r5, %r5, %r1;\n'   # r4 barrier, r5 tile
      ' mov.u32 %r6, %tid.x; setp.eq.u32 %p0, %r6, 0;\n'
      ' add.u32 %r20, %r4, 1024;\n'
      # fill
      ' mov.u32 %r7, %r6;\nFILL: setp.ge.u32 %p1, %r7, %r2; @%p1 bra FILLED;\n mul.wide.u32 %rd4, %r7, 4; add.u64 %rd5, %rd2, %rd4; ld.global.b32 %r8, [%rd5]; shl.b32 %r9, %r7, 2; add.u32 %r9, %r20, %r9; st.shared.b32 [%r9], %r8; add.u32 %r7, %r7, 128; bra FILL;\nFILLED:\n'
      ' @%p0 mbarrier.init.shared.b64 [%r4], 1;\n fence.proxy.async; bar.sync 0;\n')
def coords(r): return '{'+','.join(f'%c{i}' for i in range(r))+'}'
def load(name, mode, r):
    head(name)
    offs = ', {'+','.join(f'%o{i}' for i in range(r-2))+'}' if mode=='im2col' else ''
    P(f' @!%p0 bra ISSUED;\n mbarrier.arrive.expect_tx.shared.b64 _, [%r4], %r3;\n'
      f' cp.async.bulk.tensor.{r}d.shared::cluster.global.{mode}.mbarrier::complete_tx::bytes [%r5], [%rd1, {coords(r)}], [%r4]{offs};\nISSUED:\n'
      ' mov.u32 %r10, 0; mov.u32 %r11, 0;\nWAIT: mbarrier.test_wait.parity.acquire.cta.shared.b64 %p2, [%r4], 0; @%p2 bra DONE; add.u32 %r10, %r10, 1; setp.lt.u32 %p3, %r10, 200000; @%p3 bra WAIT; bra DUMP;\nDONE: mov.u32 %r11, 1;\nDUMP: bar.sync 0;\n'
      ' mov.u32 %r7, %r6;\nDL: setp.ge.u32 %p1, %r7, %r2; @%p1 bra DE;\n mul.wide.u32 %rd4, %r7, 4; add.u64 %rd5, %rd3, %rd4; shl.b32 %r9, %r7, 2; add.u32 %r9, %r20, %r9; ld.shared.b32 %r8, [%r9]; st.global.b32 [%rd5], %r8; add.u32 %r7, %r7, 128; bra DL;\nDE:\n'
      ' mul.wide.u32 %rd4, %r2, 4; add.u64 %rd5, %rd3, %rd4; @%p0 st.global.b32 [%rd5], %r11;\n ret;\n}\n')
def store(name, mode, r, red):
    head(name)
    ins = f'cp.reduce.async.bulk.tensor.{r}d.global.shared::cta.{red}.{mode}.bulk_group' if red else f'cp.async.bulk.tensor.{r}d.global.shared::cta.{mode}.bulk_group'
    P(f' @!%p0 bra END;\n {ins} [%rd1, {coords(r)}], [%r5];\n cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n mul.wide.u32 %rd4, %r2, 4; add.u64 %rd5, %rd3, %rd4; mov.u32 %r11, 1; st.global.b32 [%rd5], %r11;\nEND: ret;\n}}\n')
for r in range(1,6): load(f'load_tile_{r}','tile',r)
for r in range(3,6): load(f'load_im2col_{r}','im2col',r)
for r in range(1,6): store(f'store_tile_{r}','tile',r,None)
for r in range(3,6): store(f'store_im2col_{r}','im2col_no_offs',r,None)
reds=['add','min','max','inc','dec','and','or','xor']
for red in reds:
    for r in range(1,6): store(f'{red}_tile_{r}','tile',r,red)
    for r in range(3,6): store(f'{red}_im2col_{r}','im2col_no_offs',r,red)
# tensormap.replace
names=[]
def rep(name, text):
    names.append(name)
    P(f'.visible .entry {name}(.param .align 64 .b8 map[128], .param .b64 pout, .param .b64 value)\n{{\n .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p;\n .shared .align 128 .b8 tm[128];\n'
      ' ld.param.b64 %rd2, [pout]; cvta.to.global.u64 %rd2, %rd2; ld.param.b64 %rd3, [value]; cvt.u32.u64 %r3, %rd3; mov.u32 %r4, tm;\n')
    for i in range(16): P(f' ld.param.b64 %rd4, [map+{8*i}]; st.shared.b64 [%r4+{8*i}], %rd4;\n')
    P(f' {text}\n')
    for i in range(16): P(f' ld.shared.b64 %rd4, [%r4+{8*i}]; st.global.b64 [%rd2+{8*i}], %rd4;\n')
    P(' ret;\n}\n')
pre='tensormap.replace.tile.'
rep('rep_address', pre+'global_address.shared::cta.b1024.b64 [%r4], %rd3;')
rep('rep_rank', pre+'rank.shared::cta.b1024.b32 [%r4], %r3;')
for i in range(5):
    rep(f'rep_box{i}', pre+f'box_dim.shared::cta.b1024.b32 [%r4], {i}, %r3;')
    rep(f'rep_dim{i}', pre+f'global_dim.shared::cta.b1024.b32 [%r4], {i}, %r3;')
    if i<4: rep(f'rep_stride{i}', pre+f'global_stride.shared::cta.b1024.b64 [%r4], {i}, %rd3;')
    rep(f'rep_estride{i}', pre+f'element_stride.shared::cta.b1024.b32 [%r4], {i}, %r3;')
for i in range(13): rep(f'rep_type_{i}', pre+f'elemtype.shared::cta.b1024.b32 [%r4], {i};')
for i in range(3): rep(f'rep_interleave_{i}', pre+f'interleave_layout.shared::cta.b1024.b32 [%r4], {i};')
for i in range(4): rep(f'rep_swizzle_{i}', pre+f'swizzle_mode.shared::cta.b1024.b32 [%r4], {i};')
for i in range(2): rep(f'rep_fill_{i}', pre+f'fill_mode.shared::cta.b1024.b32 [%r4], {i};')
open('copies.ptx','w').write(''.join(out))
