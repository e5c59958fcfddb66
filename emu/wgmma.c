/* SPDX-License-Identifier: Apache-2.0
 *
 * wgmma.c - products of a warpgroup, with operands in shared memory.
 *
 * Four warps compute 64 rows, each its own sixteen; B, and A where it is not in
 * registers, lie in shared memory as a matrix descriptor says. PTX ISA,
 * "Asynchronous Warpgroup Level Matrix Instructions".
 *
 * A product may be computed at any time between its issue and the wait for its
 * group. It is computed at issue. To observers the reading of shared memory is a
 * copy (emu/observe.h): it lasts until the wait. */
#include <inttypes.h>
#include <stdlib.h>

#include "emu/access.h"
#include "emu/matrix.h"
#include "emu/memory_ops.h"
#include "emu/team.h"
#include "ir/matrix.h"
#include "numeric/tensor_block.h"

/* LINE_WORDS: of a column of B beside a sparse A; half of them else, and in A. */
enum { LINE_WORDS = 16, CHUNK = 16, LINES_MAX = 256, GROUP_WARPS = 4 };

/* --- the matrix descriptor ---------------------------------------------------------------- */

/* PTX ISA, "Matrix Descriptor Format". */
struct descriptor {
    uint32_t start, leading, stride; /* bytes */
    unsigned base_offset;            /* of the swizzle's pattern, in units of 128 bytes */
    unsigned swizzle;                /* bytes: 128, 64, 32 or 16 for none */
};

static struct descriptor descriptor_of(uint64_t word)
{
    static const uint8_t swizzles[] = {16, 128, 64, 32};

    return (struct descriptor){
        .start = (uint32_t)(word & 0x3fff) << 4,
        .leading = (uint32_t)(word >> 16 & 0x3fff) << 4,
        .stride = (uint32_t)(word >> 32 & 0x3fff) << 4,
        .base_offset = word >> 49 & 7,
        .swizzle = swizzles[word >> 62],
    };
}

/* The sixteen bytes number `chunk` of line number `line`. Lines are rows of A or columns of
 * B when k runs along them, two chunks each, of B beside a sparse A four; else they are steps of k, and chunks run along
 * the rows or columns. Addresses are those of the layouts of "Strides" and "Shared Memory
 * Matrix Layout" in the PTX ISA: atoms of eight lines as wide as the swizzle. */
static uint32_t chunk_address(const struct descriptor *d, bool along_k, unsigned line,
                              unsigned chunk)
{
    unsigned width = d->swizzle / CHUNK;
    uint32_t address = d->start + line % 8 * d->swizzle;

    if (along_k || width > 1)
        address += line / 8 * d->stride + chunk / width * d->leading + chunk % width * CHUNK;
    else
        address += line / 8 * d->leading + chunk * d->stride;
    uint32_t phase = ((address >> 7) - d->base_offset) & (width - 1);
    return address ^ phase << 4;
}

/* --- reading shared memory ---------------------------------------------------------------- */

struct reading {
    const struct team *team;
    struct fragment *fragment;
    struct access access;
    unsigned count;             /* chunks gathered for the next access */
    unsigned char *target[LANES];
};

/* The chunks that wait are read, one by each lane. */
static void read_now(struct reading *r)
{
    struct warp *warp = r->team->warp;

    if (!r->count)
        return;
    uint32_t mask = r->count == LANES ? LANES_ALL : (UINT32_C(1) << r->count) - 1;
    access_resolve(&r->access, warp, r->fragment, r->team->code, IR_SPACE_SHARED, mask);
    access_report(&r->access, warp, r->team->code, ACCESS_READ, r->access.mask);
    FOR_LANES (lane, r->access.mask)
        memcpy(r->target[lane], r->access.host[lane], CHUNK);
    r->count = 0;
}

static void read_chunk(struct reading *r, uint32_t address, unsigned char *target)
{
    const struct block *block = r->team->warp->block;
    uint32_t base = block->state->executable->shared_base;

    memset(target, 0, CHUNK);
    if (!block->state->observed && address >= base &&
        address - base + CHUNK <= block->shared_bytes) {
        memcpy(target, block->shared + (address - base), CHUNK);
        return;
    }
    if (!r->count) /* resolving turns addresses into places: start anew */
        r->access = (struct access){.kind = FINDING_READ, .size = CHUNK};
    r->access.address[r->count] = address;
    r->target[r->count] = target;
    if (++r->count == LANES)
        read_now(r);
}

/* Lines first to first + count of a matrix, each as so many words along k. */
static void read_lines(struct reading *r, uint64_t descriptor, bool along_k, unsigned bytes,
                       unsigned first, unsigned count, unsigned words,
                       uint32_t lines[][LINE_WORDS])
{
    struct descriptor d = descriptor_of(descriptor);
    unsigned char chunk[LINES_MAX / 8][2 * LINE_WORDS][CHUNK];

    if (along_k) {
        for (unsigned line = 0; line < count; line++)
            for (unsigned c = 0; c < 4 * words / CHUNK; c++)
                read_chunk(r, chunk_address(&d, true, first + line, c),
                           (unsigned char *)lines[line] + c * CHUNK);
        read_now(r);
        return;
    }
    /* Elements of two bytes. */
    unsigned steps = 4 * words / bytes, each = CHUNK / bytes;
    for (unsigned c = 0; c < count / each; c++)
        for (unsigned k = 0; k < steps; k++)
            read_chunk(r, chunk_address(&d, false, k, first / each + c), chunk[c][k]);
    read_now(r);
    for (unsigned line = 0; line < count; line++)
        for (unsigned k = 0; k < steps; k++)
            memcpy((unsigned char *)lines[line] + k * bytes,
                   chunk[line / each][k] + line % each * bytes, bytes);
}

/* --- signs ----------------------------------------------------------------------------------- */

static void negate(uint32_t *words, unsigned count, enum tensor_type type)
{
    unsigned bits = tensor_type_bits(type);
    uint32_t sign = bits == 32 ? 0x80000000 : bits == 16 ? 0x80008000 : 0x80808080;

    for (unsigned w = 0; w < count; w++)
        words[w] ^= sign;
}

/* --- one warp's part ---------------------------------------------------------------------------- */

static void gather_sums(struct tensor_block *block, const struct ir_wgmma *w,
                        const struct team *team, const uint32_t *operands)
{
    uint32_t words[LANES];

    for (unsigned r = 0; r < 4 / w->d_elements; r++) {
        team_row(team, operands[r], words);
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned group = lane >> 2, t = lane & 3;
            if (w->d_elements == 2) {
                block->c[group + 8 * r][2 * t] = words[lane] & 0xffff;
                block->c[group + 8 * r][2 * t + 1] = words[lane] >> 16;
            } else {
                block->c[group + 8 * (r >> 1)][2 * t + (r & 1)] = words[lane];
            }
        }
    }
}

static void scatter_sums(const struct tensor_block *block, const struct ir_wgmma *w,
                         const struct team *team, const uint32_t *operands)
{
    uint32_t words[LANES];

    for (unsigned r = 0; r < 4 / w->d_elements; r++) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned group = lane >> 2, t = lane & 3;
            words[lane] = w->d_elements == 2
                ? block->d[group + 8 * r][2 * t] | block->d[group + 8 * r][2 * t + 1] << 16
                : block->d[group + 8 * (r >> 1)][2 * t + (r & 1)];
        }
        team_write_row(team, operands[r], words);
    }
}

static void read_a(struct reading *r, const struct ir_wgmma *w, const uint32_t *operands,
                   bool negated, struct tensor_block *block)
{
    const struct team *team = r->team;
    uint32_t words[LANES], lines[TENSOR_ROWS][LINE_WORDS];

    if (w->a_in_registers) {
        for (unsigned i = 0; i < 4; i++) {
            team_row(team, operands[i], words);
            for (unsigned lane = 0; lane < LANES; lane++)
                lines[(lane >> 2) + 8 * (i & 1)][(lane & 3) + 4 * (i >> 1)] = words[lane];
        }
    } else {
        uint64_t descriptor = team_read(team, operands[0], 8, lane_first(team->lanes));
        read_lines(r, descriptor, !w->a_column, tensor_type_bits(w->a) / 8,
                   TENSOR_ROWS * (team->warp->index % GROUP_WARPS), TENSOR_ROWS,
                   LINE_WORDS / 2, lines);
    }
    for (unsigned i = 0; i < TENSOR_ROWS; i++) {
        if (negated)
            negate(lines[i], LINE_WORDS / 2, w->a);
        memcpy(block->a[i], lines[i], sizeof lines[i] / 2);
    }
}

/* Columns of B number n and on, lines of `words` words, into a block. */
static void fill_b(struct tensor_block *block, const struct ir_wgmma *w, bool negated,
                   uint32_t (*lines)[LINE_WORDS], unsigned words)
{
    for (unsigned i = 0; i < TENSOR_COLUMNS; i++) {
        if (negated)
            negate(lines[i], words, w->b);
        memcpy(block->b[i], lines[i], 4 * words);
    }
}

static void multiply(struct reading *r, const struct ir_wgmma *w)
{
    const struct team *team = r->team;
    const struct launch_state *state = team->warp->block->state;
    const struct code *code = team->code;
    const uint32_t *sums = code->operands + code->destinations, *a = sums + w->d_registers;
    const uint32_t *b = a + (w->a_in_registers ? 4 : 1), *rest = b + (w->sparse ? 3 : 1);
    unsigned first = lane_first(team->lanes), step = 4 / w->d_elements;
    bool add = team_read(team, rest[0], 4, first) != 0;
    unsigned signs = (unsigned)team_read(team, rest[1], 4, first);
    unsigned words = w->sparse ? LINE_WORDS : LINE_WORDS / 2;
    uint32_t lines[LINES_MAX][LINE_WORDS];
    const struct tensor_chip *chip = tensor_chip_of(state->launch->profile->number);
    struct tensor_block block = {
        .a_type = w->a, .b_type = w->b, .rows = TENSOR_ROWS, .k = w->k,
        .c_is_f16 = w->d == TENSOR_F16, .d_is_f16 = w->d == TENSOR_F16, .group = true,
        .saturate = code->ir->mode & MODE_SATFINITE, .sparse = w->sparse};

    read_a(r, w, a, signs & IR_WGMMA_NEGATE_A, &block);
    read_lines(r, team_read(team, b[0], 8, first), !w->b_row, tensor_type_bits(w->b) / 8, 0, w->n,
               words, lines);
    if (w->sparse) {
        uint32_t metadata[LANES];
        team_row(team, b[1], metadata);
        ir_mma_sp_rows(w->a, w->selectors, (unsigned)team_read(team, b[2], 4, first), w->k,
                       metadata, block.from);
    }
    for (unsigned n = 0; n < w->n; n += TENSOR_COLUMNS) {
        fill_b(&block, w, signs & IR_WGMMA_NEGATE_B, lines + n, words);
        if (add)
            gather_sums(&block, w, team, sums + n / 8 * step);
        else
            memset(block.c, 0, sizeof block.c);
        state->tensor_loops->block(chip, &block);
        scatter_sums(&block, w, team, code->operands + n / 8 * step);
    }
}

/* --- groups --------------------------------------------------------------------------------------- */

static void tell(const struct team *team, uint64_t number, bool done)
{
    OBSERVE(team->warp->block->state, copy,
            &(struct copy_event){.warp = team->warp, .code = team->code, .mask = team->lanes,
                                 .number = number, .done = done});
}

/* A warpgroup is four warps, the first one's number a multiple of four. */
static bool in_warpgroup(const struct team *team, struct fragment *fragment)
{
    const struct warp *warp = team->warp;
    uint32_t first = warp->index & ~(uint32_t)(GROUP_WARPS - 1);
    struct finding finding = {.category = FINDING_SYNC, .kind = "warpgroup",
                              .severity = FINDING_ERROR};

    if (first + GROUP_WARPS <= warp->block->warp_count)
        return true;
    report_at(team->warp, team->code, fragment, lane_first(team->lanes), finding,
              "wgmma in warp %" PRIu32 ", but the block has %" PRIu32
              " warps: a warpgroup is four, from a multiple of four on",
              warp->index, warp->block->warp_count);
    return false;
}

/* A wgmma is one operation of four warps: it is not done before all of them have come to it,
 * and so no warp passes the wait for it before. A warp that has ended is not waited for. */
bool wgmma_unfinished(struct warp *warp, const struct code *code, unsigned char *const base[2])
{
    uint32_t first = warp->index & ~(uint32_t)(GROUP_WARPS - 1);
    uint32_t pending = *(const uint32_t *)operand_at(base, code->operands[0]);
    uint32_t groups = async_groups(warp);

    if (first + GROUP_WARPS > warp->block->warp_count || groups <= pending)
        return false;
    for (uint32_t w = first; w < first + GROUP_WARPS; w++) {
        struct warp *other = &warp->block->warps[w];
        if (other->live && async_groups(other) < groups - pending)
            return true;
    }
    return false;
}

void wgmma_execute(const struct team *team, struct fragment *fragment)
{
    const struct code *code = team->code;
    struct ir_wgmma wgmma;

    switch (code->op) {
    case IR_OP_wgmma_fence:
        break;
    case IR_OP_wgmma_commit:
        async_group_commit(team->warp);
        break;
    case IR_OP_wgmma_wait: {
        uint32_t pending = (uint32_t)team_read(team, code->operands[0], 4,
                                               lane_first(team->lanes));
        for (uint64_t number; async_group_done(team->warp, pending, &number);)
            tell(team, number, true);
        OBSERVE(team->warp->block->state, copies_waited, team->warp, team->lanes);
        break;
    }
    default:
        if (!ir_wgmma_read(code->op, code->sub, code->type, &wgmma) || !in_warpgroup(team, fragment))
            break;
        struct reading reading = {.team = team, .fragment = fragment};
        tell(team, async_group_issue(team->warp), false);
        multiply(&reading, &wgmma);
        break;
    }
}
