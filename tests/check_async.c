/* SPDX-License-Identifier: Apache-2.0
 *
 * check_async.c - asynchronous copies happen at the wait and not before;
 * mbarriers count as the PTX manual says. */
#include "tests/suite.h"

#include <stdio.h>

#include "tests/kernel.h"

/* %a: argument 0, 1024 bytes of 0, 1, 2 ... as u32; %o: results; %t: thread;
 * %m: a shared buffer of 1024 bytes; %f: an mbarrier. */
static const char prologue[] =
    "kir 1\naddress_bits 64\n"
    "shared internal b8 @tile size 1024 align 16\n"
    "shared internal b64 @bar size 16 align 8\n"
    "kernel visible @k {\n"
    "var param u64 &a size 8 align 8 at 0\nvar param u64 &o size 8 align 8 at 8\n"
    "parameters &a &o\n"
    "reg pred %p %q\nreg b32 %t %r %s %m %f %i\nreg b64 %a %o %x %y %z\n^entry:\n"
    "%a = ld.param.u64 [&a]\n%o = ld.param.u64 [&o]\n%t = sreg.b32 $tid_x\n"
    "%m = mov.b32 @tile\n%f = mov.b32 @bar\n";

static void load(struct kernel *k, const char *body, uint32_t **in, uint32_t **out)
{
    kernel_load_body(k, prologue, body);
    *in = kernel_buffer(k, 1024);
    *out = kernel_buffer(k, 1024);
    for (uint32_t i = 0; i < 256; i++)
        (*in)[i] = i + 1000;
}

static void clean(const struct kernel *k)
{
    ck_assert_msg(k->findings.count == 0, "%s",
                  k->findings.count ? k->findings.items[0].message : "");
    ck_assert(k->result.completed);
}

START_TEST(copies_happen_at_the_wait)
{
    for (unsigned observe = 0; observe < 2; observe++) {
        struct kernel k;
        uint32_t *in, *out;
        load(&k, "cp_async [%m], [%a+16], 16, 16\n%r = ld.shared.u32 [%m]\nst.global.u32 [%o], %r\n"
                 "cp_async_commit\n%r = ld.shared.u32 [%m+12]\nst.global.u32 [%o+4], %r\n"
                 "cp_async [%m+16], [%a+4], 4, 4\ncp_async_commit\n"
                 "cp_async [%m+24], [%a+8], 8, 8\n"
                 "cp_async_wait 2\n%r = ld.shared.u32 [%m]\nst.global.u32 [%o+8], %r\n"
                 "cp_async_wait 1\n%r = ld.shared.u32 [%m+12]\nst.global.u32 [%o+12], %r\n"
                 "%r = ld.shared.u32 [%m+16]\nst.global.u32 [%o+16], %r\n"
                 "cp_async_wait 0\n%r = ld.shared.u32 [%m+16]\nst.global.u32 [%o+20], %r\n"
                 "%r = ld.shared.u32 [%m+24]\nst.global.u32 [%o+24], %r\n"
                 "cp_async_wait 0xffffffff\n%r = ld.shared.u32 [%m+28]\nst.global.u32 [%o+28], %r\n",
             &in, &out);
        k.observe = observe;
        kernel_run(&k, 1, 1);
        clean(&k);
        static const uint32_t expected[] = {0, 0, 0, 1007, 0, 1001, 0, 1003};
        for (int i = 0; i < 8; i++)
            ck_assert_uint_eq(out[i], expected[i]);
        kernel_free(&k);
    }
}
END_TEST

/* PTX ISA, "cp.async": src-size smaller than cp-size fills with zeros. */
START_TEST(short_sources_are_padded)
{
    struct kernel k;
    uint32_t *in, *out;

    /* Lane l copies l % 4 * 4 bytes, from an address that may be anything when 0. */
    load(&k, "%r = and.b32 %t, 3\n%p = eq.pred.b32 %r, 0\n%r = mul.u32 %r, 4\n"
             "%s = mul.u32 %t, 16\n%x = mul_wide.u64.u32 %s, 1\n%m = add.u32 %m, %s\n"
             "%y = add.u64 %a, %x\n@%p %y = mov.b64 0\n"
             "%z = mov.b64 -1\nst.shared.u64 [%m], %z\nst.shared.u64 [%m+8], %z\n"
             "cp_async [%m], [%y], 16, %r\ncp_async_wait 0xffffffff\n"
             "%o = add.u64 %o, %x\n%x = ld.shared.u64 [%m]\nst.global.u64 [%o], %x\n"
             "%x = ld.shared.u64 [%m+8]\nst.global.u64 [%o+8], %x\n",
         &in, &out);
    kernel_run(&k, 1, 32);
    clean(&k);
    for (unsigned i = 0; i < 128; i++)
        ck_assert_uint_eq(out[i], i % 4 < i / 4 % 4 ? in[i] : 0);
    kernel_free(&k);
}
END_TEST

START_TEST(faulty_copies_are_reported)
{
    static const struct { const char *body, *kind; } rows[] = {
        {"cp_async [%m], [%a+4], 16, 16\n", "misaligned"},
        {"cp_async [%m+8], [%a], 16, 16\n", "misaligned"},
        {"cp_async [%m], [%a+1024], 16, 16\n", "out-of-bounds"},
        {"cp_async [%m+4096], [%a], 16, 16\n", "out-of-bounds"},
        {"cp_async [%m], [%a+1016], 16, 8\n", "misaligned"},
        {"%y = mov.b64 0\ncp_async [%m], [%y], 4, 4\n", "null"},
        {"cp_async [%m], [%a+1024], 16, 0\n", NULL},
        {"cp_async [%m], [%a], 16, 16\n", NULL}, /* never waited for */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kernel k;
        uint32_t *in, *out;
        load(&k, rows[i].body, &in, &out);
        kernel_run(&k, 1, 1);
        ck_assert_uint_eq(k.findings.count, rows[i].kind != NULL);
        if (rows[i].kind)
            ck_assert_str_eq(k.findings.items[0].kind, rows[i].kind);
        kernel_free(&k);
    }
}
END_TEST

/* --- mbarrier ------------------------------------------------------------------------------ */

/* PTX ISA, "mbarrier": phases, pending counts, parity. Each result is the next
 * word of the output. */
START_TEST(phases_and_counts)
{
    struct kernel k;
    uint32_t *in, *out;

#define PUT "@%p st.global.u32 [%o], 1\n%o = add.u64 %o, 4\n"
    load(&k, "mbarrier_init.shared [%f], 3\n"
             "%p = mbarrier_test:parity.shared.pred [%f], 1\n" PUT /* the phase before: 1 */
             "%p = mbarrier_test:parity.shared.pred [%f], 0\n" PUT /* 0 */
             "%x = mbarrier_arrive.shared.b64 [%f], 1\n"
             "%r = mbarrier_pending.b32.b64 %x\nst.global.u32 [%o], %r\n%o = add.u64 %o, 4\n" /* 3 */
             "%x = mbarrier_arrive.shared.b64 [%f], 1\n"
             "%r = mbarrier_pending.b32.b64 %x\nst.global.u32 [%o], %r\n%o = add.u64 %o, 4\n" /* 2 */
             "%p = mbarrier_test.shared.pred [%f], %x\n" PUT           /* 0 */
             "%y = mbarrier_arrive:drop.shared.b64 [%f], 1\n"          /* completes; 2 from now on */
             "%p = mbarrier_test.shared.pred [%f], %x\n" PUT           /* 1 */
             "%p = mbarrier_test:parity:try.shared.pred [%f], 0\n" PUT /* 1 */
             "%p = mbarrier_test:parity:try.shared.pred [%f], 1\n" PUT /* 0 */
             "%x = mbarrier_arrive.shared.b64 [%f], 2\n"               /* completes phase 1 */
             "%r = mbarrier_pending.b32.b64 %x\nst.global.u32 [%o], %r\n%o = add.u64 %o, 4\n" /* 2 */
             "%p = mbarrier_test:parity.shared.pred [%f], 1\n" PUT     /* 1 */
             "%x = mbarrier_arrive:no_complete.shared.b64 [%f], 1\n"
             "%p = mbarrier_test.shared.pred [%f], %x\n" PUT           /* 0 */
             "mbarrier_inval.shared [%f]\n"
             "mbarrier_init.shared [%f], 1\n"
             "%x = mbarrier_arrive:expect_tx.shared.b64 [%f], 64\n"    /* bytes pending */
             "%p = mbarrier_test.shared.pred [%f], %x\n" PUT           /* 0 */
             "mbarrier_complete_tx.shared [%f], 48\n"
             "%p = mbarrier_test.shared.pred [%f], %x\n" PUT           /* 0 */
             "mbarrier_expect_tx.shared [%f], 16\n"
             "mbarrier_complete_tx.shared [%f], 32\n"
             "%p = mbarrier_test.shared.pred [%f], %x\n" PUT,          /* 1 */
         &in, &out);
    kernel_run(&k, 1, 1);
    clean(&k);
    static const uint32_t expected[] = {1, 0, 3, 2, 0, 1, 1, 0, 2, 1, 0, 0, 0, 1};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        ck_assert_msg(out[i] == expected[i], "result %d is %d", (int)i, (int)out[i]);
    kernel_free(&k);
}
END_TEST

/* Two warps hand over data, phase after phase; the waiting one polls. */
START_TEST(waits_for_others)
{
    struct kernel k;
    uint32_t *in, *out;

    load(&k, "%p = eq.pred.b32 %t, 0\n@%p mbarrier_init.shared [%f], 32\n"
             "@%p mbarrier_init.shared [%f+8], 32\nbarrier_sync:aligned 0\n"
             "%s = shr.u32.u32 %t, 5\n%p = eq.pred.b32 %s, 0\n%i = mov.b32 0\n"
             "%r = and.b32 %t, 31\n%r = mul.u32 %r, 4\n%m = add.u32 %m, %r\n"
             "%x = mul_wide.u64.u32 %r, 1\n%o = add.u64 %o, %x\nbr %p, ^consume, ^produce\n"
             "^produce:\n"
             "%r = mul.u32 %i, 100\n%r = add.u32 %r, %t\nst.shared.u32 [%m], %r\n"
             "_ = mbarrier_arrive.shared.release@cta.b64 [%f], 1\nbra ^full\n"
             "^full:\n%s = and.b32 %i, 1\n"
             "%q = mbarrier_test:parity:try.shared.acquire@cta.pred [%f+8], %s\n"
             "br %q, ^again, ^full\n"
             "^again:\n%i = add.u32 %i, 1\n%q = lt.pred.u32 %i, 5\nbr %q, ^produce, ^end\n"
             "^consume:\nbra ^wait\n"
             "^wait:\n%s = and.b32 %i, 1\n"
             "%q = mbarrier_test:parity:try.shared.acquire@cta.pred [%f], %s\n"
             "br %q, ^got, ^wait\n"
             "^got:\n%r = ld.shared.u32 [%m]\nst.global.u32 [%o], %r\n%o = add.u64 %o, 128\n"
             "_ = mbarrier_arrive.shared.release@cta.b64 [%f+8], 1\n"
             "%i = add.u32 %i, 1\n%q = lt.pred.u32 %i, 5\nbr %q, ^wait, ^end\n"
             "^end:\n",
         &in, &out);
    kernel_run(&k, 1, 64);
    clean(&k);
    for (uint32_t phase = 0; phase < 5; phase++)
        for (uint32_t lane = 0; lane < 32; lane++)
            ck_assert_uint_eq(out[32 * phase + lane], 100 * phase + 32 + lane);
    kernel_free(&k);
}
END_TEST

/* PTX ISA, "cp.async.mbarrier.arrive": with .noinc it counts as an arrival. */
START_TEST(copies_arrive)
{
    struct kernel k;
    uint32_t *in, *out;

    load(&k, "%p = eq.pred.b32 %t, 0\n@%p mbarrier_init.shared [%f], 33\nbarrier_sync:aligned 0\n"
             "%r = mul.u32 %t, 4\n%x = mul_wide.u64.u32 %r, 1\n%a = add.u64 %a, %x\n"
             "%m = add.u32 %m, %r\ncp_async [%m], [%a], 4, 4\n"
             "cp_async_mbarrier.shared [%f]\ncp_async_mbarrier:noinc.shared [%f]\n"
             "@%p _ = mbarrier_arrive.shared.b64 [%f], 1\n"
             "bra ^wait\n^wait:\n%q = mbarrier_test:parity:try.shared.pred [%f], 0\n"
             "br %q, ^done, ^wait\n^done:\n%r = xor.b32 %r, 124\n%m = mov.b32 @tile\n"
             "%m = add.u32 %m, %r\n%s = ld.shared.u32 [%m]\n%o = add.u64 %o, %x\n"
             "st.global.u32 [%o], %s\n",
         &in, &out);
    kernel_run(&k, 1, 32);
    clean(&k);
    for (uint32_t lane = 0; lane < 32; lane++)
        ck_assert_uint_eq(out[lane], 1031 - lane);
    kernel_free(&k);
}
END_TEST

/* Every block of a cluster arrives at the barrier of block 0. */
START_TEST(arrives_from_other_blocks)
{
    struct kernel k;
    uint32_t *in, *out;

    load(&k, "%r = sreg.b32 $cluster_ctarank\n%p = eq.pred.b32 %r, 0\n"
             "@%p mbarrier_init.shared [%f], 4\ncluster_arrive\ncluster_wait\n"
             "%s = mapa.cluster.u32 %f, 0\n"
             "mbarrier_arrive.cluster.release@cluster.b64 [%s], 1\n"
             "br %p, ^wait, ^end\n"
             "^wait:\n%q = mbarrier_test:parity:try.shared.acquire@cluster.pred [%f], 0\n"
             "br %q, ^done, ^wait\n^done:\nst.global.u32 [%o], 1\nbra ^end\n^end:\n"
             "cluster_arrive\ncluster_wait\n",
         &in, &out);
    k.launch.cluster[0] = 4;
    k.launch.cluster[1] = k.launch.cluster[2] = 1;
    kernel_run(&k, 4, 1);
    clean(&k);
    ck_assert_uint_eq(out[0], 1);
    kernel_free(&k);
}
END_TEST

START_TEST(misuse_is_reported)
{
    static const struct { const char *body, *kind; } rows[] = {
        {"_ = mbarrier_arrive.shared.b64 [%f], 1\n", "mbarrier-uninitialised"},
        {"%p = mbarrier_test:parity.shared.pred [%f], 0\n", "mbarrier-uninitialised"},
        {"mbarrier_init.shared [%f], 1\nmbarrier_inval.shared [%f]\n"
         "%p = mbarrier_test:parity.shared.pred [%f], 0\n", "mbarrier-invalidated"},
        {"mbarrier_init.shared [%f], 0\n", "mbarrier-count"},
        {"mbarrier_init.shared [%f], 1048576\n", "mbarrier-count"},
        {"mbarrier_init.shared [%f], 1048575\n", NULL},
        {"mbarrier_init.shared [%f], 2\n_ = mbarrier_arrive.shared.b64 [%f], 3\n",
         "mbarrier-count"},
        {"mbarrier_init.shared [%f], 1\n_ = mbarrier_arrive:no_complete.shared.b64 [%f], 1\n",
         "mbarrier-count"},
        {"mbarrier_init.shared [%f], 1\nmbarrier_expect_tx.shared [%f], 1048575\n"
         "mbarrier_expect_tx.shared [%f], 1\n", "mbarrier-tx-count"},
        {"mbarrier_init.shared [%f+4], 1\n", "misaligned"},
        {"mbarrier_init.generic [%a], 1\n", "mbarrier-space"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kernel k;
        uint32_t *in, *out;
        load(&k, rows[i].body, &in, &out);
        kernel_run(&k, 1, 1);
        ck_assert_msg(k.findings.count == (rows[i].kind != NULL), "%s", rows[i].body);
        if (rows[i].kind)
            ck_assert_str_eq(k.findings.items[0].kind, rows[i].kind);
        kernel_free(&k);
    }
}
END_TEST

SUITE("async", {
    TEST(copies_happen_at_the_wait);
    TEST(short_sources_are_padded);
    TEST(faulty_copies_are_reported);
    TEST(phases_and_counts);
    TEST(waits_for_others);
    TEST(copies_arrive);
    TEST(arrives_from_other_blocks);
    TEST(misuse_is_reported);
})
