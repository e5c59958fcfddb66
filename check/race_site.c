/* SPDX-License-Identifier: Apache-2.0
 *
 * race_site.c - what an instruction that accesses memory is to the race checker. */
#include "base/tensor_map.h"
#include "check/race_access.h"

/* ir_inst.cache of ld.global.nc, see the table of cache operators in docs/ir.md. */
enum { CACHE_NC = 8 };

const struct ir_function *race_function_of(const struct ir_module *module,
                                           const struct ir_inst *inst)
{
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ir_function *function = &module->functions[f];
        if (function->inst_count && inst >= function->insts && inst < function->insts + function->inst_count)
            return function;
    }
    return NULL;
}

static bool is_mbarrier(unsigned op)
{
    return op == IR_OP_mbarrier_arrive || op == IR_OP_mbarrier_expect_tx ||
           op == IR_OP_mbarrier_complete_tx || op == IR_OP_mbarrier_test ||
           op == IR_OP_cp_async_mbarrier;
}

static struct site make_site(const struct race_checker *checker, const struct code *code,
                             enum finding_access_kind kind, uint32_t size)
{
    unsigned order = code->order;
    struct site site = {
        .code = code,
        .function = race_function_of(checker->state->launch->image->module, code->ir),
        .size = (uint8_t)size,
        .reads = kind != ACCESS_WRITE,
        .writes = kind == ACCESS_WRITE || kind == ACCESS_ATOMIC,
        .access = kind == ACCESS_READ    ? FINDING_READ
                  : kind == ACCESS_WRITE ? FINDING_WRITE
                                                : FINDING_ATOMIC,
        .copy = happens_beside(code->op),
        /* A tensor map comes by a proxy of its own. */
        .async = is_async_proxy(code->op) && size != TENSOR_MAP_BYTES,
        .map = code->op == IR_OP_tensor && size == TENSOR_MAP_BYTES,
        .barrier = is_mbarrier(code->op),
        /* PTX ISA, "Proxies": texture fetches and .nc loads go another way to memory. */
        .foreign = (code->op == IR_OP_ld && code->ir->cache == CACHE_NC) ||
                   code->op == IR_OP_tex,
    };

    if ((code->op == IR_OP_bulk_reduce || code->op == IR_OP_tensor) && site.reads &&
        site.writes) {
        /* Each element is combined by a relaxed atomic at .gpu scope. */
        site.strong = true;
        site.scope = IR_SCOPE_GPU;
        return site;
    }
    if (code->op == IR_OP_red_async && site.reads && site.writes) {
        site.strong = site.mute = true;
        site.scope = IR_SCOPE_CLUSTER;
        return site;
    }
    if (site.barrier) {
        /* Operations on an mbarrier never race with each other. */
        site.strong = true;
        site.scope = IR_SCOPE_SYS;
        return site;
    }
    if (code->op == IR_OP_sured) { /* as a red */
        site.strong = site.mute = true;
        site.scope = IR_SCOPE_GPU;
        return site;
    }
    if (code->op != IR_OP_ld && code->op != IR_OP_st && code->op != IR_OP_atom)
        return site;
    site.strong = order != IR_ORDER_WEAK || code->op == IR_OP_atom;
    site.scope = code->scope != IR_SCOPE_NONE ? code->scope : IR_SCOPE_GPU;
    site.mute = code->op == IR_OP_atom && !code->destinations;
    site.acquires = site.reads && !site.mute &&
                    (order == IR_ORDER_ACQUIRE || order == IR_ORDER_ACQ_REL ||
                     order == IR_ORDER_SC);
    site.releases = site.writes && (order == IR_ORDER_RELEASE || order == IR_ORDER_ACQ_REL ||
                                    order == IR_ORDER_SC);
    return site;
}

uint32_t race_site_new(struct race_checker *checker, const struct code *code,
                       enum finding_access_kind kind, uint32_t size)
{
    uint32_t *hash = race_site_hash(checker, code);
    uint32_t index = checker->sites.count;
    struct site *site = ARENA_PUSH(&checker->arena, &checker->sites);

    *site = make_site(checker, code, kind, size);
    site->next = *hash;
    checker->proxies |= site->foreign;
    return *hash = index;
}
