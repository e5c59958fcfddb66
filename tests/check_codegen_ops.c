/* SPDX-License-Identifier: Apache-2.0
 *
 * check_codegen_ops.c - every per-lane operation, written as PTX and run.
 *
 * For each row of ir/ops.def and each mode a kernel of one instruction is made. Codegen
 * must write it, or refuse a mode; what it writes must be PTX that is read again and
 * gives what the row says, on 64 lanes of edge cases and random bits. Odd kernels guard the
 * instruction, so that half of the lanes must keep the old value. SIMTLAB_KEEP=DIR
 * keeps the PTX. */
#include "codegen/codegen.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/random.h"
#include "frontend/ptx/ptx.h"
#include "numeric/video.h"
#include "simtlab/simtlab.h"
#include "tests/suite.h"

enum { LANES = 64, SLOTS = 4, MAX_CASES = 5000 };

/* One kernel. */
struct instance {
    enum ir_row row;
    unsigned mode;
    uint64_t constant; /* the last source, of operations that want it constant */
    bool refused;
};

struct sweep {
    struct arena arena;
    enum ir_op op;
    struct instance items[MAX_CASES];
    uint32_t count;
};

static uint64_t random_next(uint64_t *index)
{
    return random_at(99, (*index)++);
}

/* --- which kernels -------------------------------------------------------- */

static const unsigned modes[] = {
    0, ROUND_ZERO, ROUND_DOWN, ROUND_UP, ROUND_NEAREST_AWAY, MODE_FTZ, MODE_SAT,
    MODE_FTZ | MODE_SAT, MODE_RELU, MODE_NAN, MODE_NAN | MODE_FTZ, MODE_XORSIGN_ABS,
    MODE_FTZ | MODE_NAN | MODE_XORSIGN_ABS, MODE_SATFINITE, MODE_SATFINITE | MODE_RELU,
    MODE_INTEGRAL, MODE_INTEGRAL | ROUND_ZERO, MODE_INTEGRAL | ROUND_UP | MODE_FTZ,
    ROUND_ZERO | MODE_FTZ, ROUND_DOWN | MODE_SAT, ROUND_ZERO | MODE_FTZ | MODE_SAT,
    ROUND_ZERO | MODE_RELU | MODE_SATFINITE, ROUND_NEAREST_AWAY | MODE_SATFINITE,
};

static bool is_video(enum ir_op op)
{
    return op >= IR_OP_vadd && op <= IR_OP_vset4;
}

static bool wants_constant(enum ir_op op)
{
    return is_video(op) || op == IR_OP_lop3 || op == IR_OP_cvt_pack;
}

/* Selectors that PTX can say, from a number. */
static uint64_t selectors(enum ir_op op, uint64_t bits)
{
    uint64_t e = bits & 7; /* signs */

    if (op == IR_OP_vset || op == IR_OP_vset2 || op == IR_OP_vset4)
        e = (bits & 6) | VIDEO_CONDITION(1 + bits % 6);
    if (op == IR_OP_vshl || op == IR_OP_vshr)
        e = (bits & 3) | (bits >> 8 & 1 ? VIDEO_WRAP : 0);
    if (op == IR_OP_vmad)
        e |= (bits >> 8 & 3) == 1   ? VIDEO_PLUS_ONE
             : (bits >> 8 & 3) == 2 ? VIDEO_A_NEGATED
             : (bits >> 8 & 3) == 3 ? VIDEO_C_NEGATED
                                    : 0;
    if (op == IR_OP_vmad)
        e |= (bits >> 10 & 3) == 1 ? VIDEO_SCALE(7) : (bits >> 10 & 3) == 2 ? VIDEO_SCALE(15) : 0;
    if (op <= IR_OP_vset) {
        e |= VIDEO_A_PART((bits >> 12) % 7) | VIDEO_B_PART((bits >> 16) % 7);
        if (op != IR_OP_vmad && bits >> 20 & 1)
            e |= (bits >> 21 & 1) ? VIDEO_D_PART(1 + (bits >> 24) % 6)
                                  : (1 + (bits >> 24) % 3) << 8;
        return e;
    }
    unsigned parts = op <= IR_OP_vset2 ? 2 : 4;
    uint64_t choice = parts == 2 ? 0x3333 : 0x7777;
    e |= bits >> 20 & 1 ? VIDEO_THEN_ADD : 0;
    e |= VIDEO_MASK(1 + (bits >> 24) % (parts == 2 ? 3 : 15));
    e |= VIDEO_A_PARTS(bits >> 32 & choice & (parts == 2 ? 0xff : 0xffff));
    return e | VIDEO_B_PARTS(bits >> 48 & choice & (parts == 2 ? 0xff : 0xffff));
}

static void add(struct sweep *sweep, enum ir_row row, unsigned mode, uint64_t constant)
{
    ck_assert(sweep->count < MAX_CASES);
    sweep->items[sweep->count++] = (struct instance){row, mode, constant, false};
}

static void find_instances(struct sweep *sweep)
{
    uint64_t random = 1000 * sweep->op;

    for (int r = 0; r < IR_ROW_COUNT; r++) {
        if (ir_rows[r].op != sweep->op)
            continue;
        if (is_video(sweep->op)) {
            for (int i = 0; i < 24; i++)
                add(sweep, r, i % 3 == 2 ? MODE_SAT : 0,
                    selectors(sweep->op, random_next(&random)));
        } else if (sweep->op == IR_OP_lop3) {
            for (unsigned table = 0; table < 256; table += 15)
                add(sweep, r, 0, table);
        } else if (sweep->op == IR_OP_cvt_pack) {
            for (unsigned bits = 2; bits <= 16; bits *= 2) {
                add(sweep, r, 0, bits);
                add(sweep, r, 0, bits | 256);
            }
        } else {
            for (size_t m = 0; m < (ir_rows[r].moded ? sizeof modes / sizeof *modes : 1); m++)
                add(sweep, r, modes[m], 0);
        }
    }
}

/* --- the kernels ---------------------------------------------------------- */

/* The builder with what every kernel has in hand. */
struct build {
    struct ir_module *module;
    struct ir_function *function;
    uint32_t location;
};

static ir_operand reg(struct build *b, enum ir_type width)
{
    char name[16];

    snprintf(name, sizeof name, "r%u", b->function->register_count);
    return ir_add_register(b->module, b->function, width, arena_strdup(b->module->arena, name));
}

static ir_operand constant(struct build *b, uint64_t value)
{
    return ir_add_constant(b->module, b->function, value);
}

static void emit(struct build *b, struct ir_inst inst, const ir_operand *to,
                 const ir_operand *from)
{
    inst.loc = b->location;
    ir_add_inst(b->module, b->function, &inst, to, from);
}

static ir_operand lane(struct build *b, enum ir_op op, enum ir_type type, enum ir_type type2,
                       unsigned count, const ir_operand *from)
{
    ir_operand to = reg(b, ir_type_register(type));

    emit(b, (struct ir_inst){.op = op, .type = type, .type2 = type2, .destinations = 1,
                             .sources = (uint16_t)count}, &to, from);
    return to;
}

/* The address of this lane's slots in the buffer that a parameter points to. */
static ir_operand slots(struct build *b, unsigned parameter, unsigned bytes, ir_operand thread)
{
    ir_operand pointer = reg(b, IR_b64);
    ir_operand from[2] = {ir_operand_make(IR_OPERAND_VARIABLE, parameter), constant(b, 0)};

    emit(b, (struct ir_inst){.op = IR_OP_ld, .type = IR_u64, .type2 = IR_u64,
                             .space = IR_SPACE_PARAM, .vector = 1, .destinations = 1,
                             .sources = 2}, &pointer, from);
    ir_operand product[2] = {thread, constant(b, bytes)};
    ir_operand sum[2] = {pointer, lane(b, IR_OP_mul_wide, IR_u64, IR_u32, 2, product)};
    return lane(b, IR_OP_add, IR_u64, IR_u64, 2, sum);
}

static ir_operand load(struct build *b, ir_operand in, unsigned slot, enum ir_type type)
{
    enum ir_type width = ir_type_register(type);
    enum ir_type from = width == IR_pred ? IR_b32 : width;
    ir_operand value = reg(b, from), place[2] = {in, constant(b, 8 * slot)};

    emit(b, (struct ir_inst){.op = IR_OP_ld, .type = from, .type2 = from,
                             .space = IR_SPACE_GLOBAL, .vector = 1, .destinations = 1,
                             .sources = 2}, &value, place);
    if (width != IR_pred)
        return value;
    ir_operand pair[2] = {value, constant(b, 0)};
    return lane(b, IR_OP_ne, IR_pred, IR_b32, 2, pair);
}

static void store(struct build *b, ir_operand out, ir_operand value, enum ir_type type)
{
    enum ir_type width = ir_type_register(type);
    ir_operand choice[3] = {constant(b, 1), constant(b, 0), value};

    if (width == IR_pred) {
        value = lane(b, IR_OP_selp, IR_b32, IR_b32, 3, choice);
        width = IR_b32;
    }
    ir_operand from[3] = {out, constant(b, 0), value};
    emit(b, (struct ir_inst){.op = IR_OP_st, .type = width, .type2 = width,
                             .space = IR_SPACE_GLOBAL, .vector = 1, .sources = 3}, NULL, from);
}

static void add_parameter(struct build *b, const char *name, uint32_t *list)
{
    struct ir_variable variable = {.name = name, .size = 8, .align = 8,
                                   .space = IR_SPACE_PARAM, .type = IR_u64};

    *list = ir_operand_index(ir_add_variable(b->module, b->function, &variable));
}

static void kernel(struct ir_module *module, const struct instance *instance, uint32_t index)
{
    const struct ir_row_info *row = &ir_rows[instance->row];
    enum ir_type width = ir_type_register(row->type);
    uint32_t number = ir_add_function(module, arena_printf(module->arena, "k%u", index));
    struct build b = {module, &module->functions[number],
                      ir_add_location(module, &(struct ir_location){.at = {index + 1, 1}})};
    uint32_t *parameters = ARENA_NEW_ARRAY(module->arena, 2, uint32_t);
    ir_operand from[SLOTS], thread, special = ir_operand_make(IR_OPERAND_SREG, IR_SREG_tid_x);

    b.function->is_kernel = 1;
    b.function->linkage = IR_LINKAGE_VISIBLE;
    add_parameter(&b, "in", &parameters[0]);
    add_parameter(&b, "out", &parameters[1]);
    b.function->parameters = parameters;
    b.function->parameter_count = 2;
    ir_add_block(module, b.function, "entry");
    thread = reg(&b, IR_b32);
    emit(&b, (struct ir_inst){.op = IR_OP_sreg, .type = IR_b32, .type2 = IR_b32,
                              .destinations = 1, .sources = 1}, &thread, &special);
    ir_operand in = slots(&b, parameters[0], 8 * SLOTS, thread);
    ir_operand out = slots(&b, parameters[1], 8, thread);
    for (unsigned s = 0; s < row->sources; s++)
        from[s] = wants_constant(row->op) && s == row->sources - 1u
                      ? constant(&b, instance->constant)
                      : load(&b, in, s, row->source[s]);
    ir_operand to = reg(&b, width), old = constant(&b, 1), guard = 0;
    emit(&b, (struct ir_inst){.op = IR_OP_mov, .type = width, .type2 = width,
                              .destinations = 1, .sources = 1}, &to, &old);
    if (index & 1) {
        ir_operand odd[2] = {thread, constant(&b, 1)};
        odd[0] = lane(&b, IR_OP_and, IR_b32, IR_b32, 2, odd);
        guard = lane(&b, IR_OP_eq, IR_pred, IR_b32, 2, odd);
    }
    emit(&b, (struct ir_inst){.op = row->op, .type = row->type, .type2 = row->source[0],
                              .mode = (uint16_t)instance->mode, .destinations = 1,
                              .sources = row->sources, .guard = guard}, &to, from);
    store(&b, out, to, row->type);
    emit(&b, (struct ir_inst){.op = IR_OP_ret}, NULL, NULL);
    ir_lay_out(b.function);
}

/* All kernels that are not refused; those that are get marked. NULL when some were,
 * for then there is no text. */
static char *write_all(struct sweep *sweep, uint32_t target, size_t *size)
{
    struct ir_module *module = ir_module_new(&sweep->arena, "sweep");
    struct diags diags = {.arena = &sweep->arena, .name = "sweep", .limit = MAX_CASES};
    struct codegen_options options = {.target = target};
    struct text out = {0};
    char *copy = NULL;

    module->address_bits = 64;
    for (uint32_t i = 0; i < sweep->count; i++)
        if (!sweep->items[i].refused)
            kernel(module, &sweep->items[i], i);
    ck_assert(ir_verify(module, &diags));
    if (codegen_write(module, &options, &out, &diags)) {
        *size = out.size;
        copy = arena_copy(&sweep->arena, text_string(&out), out.size);
    }
    for (uint32_t d = 0; d < diags.count; d++) {
        ck_assert_msg(diags.items[d].at.line, "%s: %s", ir_ops[sweep->op].name,
                      diags.items[d].text);
        sweep->items[diags.items[d].at.line - 1].refused = true;
    }
    text_free(&out);
    return copy;
}

/* --- running them --------------------------------------------------------- */

static uint64_t value_for(enum ir_type type, unsigned lane, unsigned source, uint64_t *random)
{
    static const uint64_t words[] = {0, 1, 0x80000000, 0x7fffffff, 0xffffffff, 0x7f800000,
                                     0xff800000, 0x7fc00000, 0x3f800000, 0xbf000000, 0x00000001,
                                     0x807fffff, 0x40490fdb, 0x4b000000, 0x7f7fffff, 0x1f};
    static const uint64_t longs[] = {0, 1, 0x8000000000000000, 0x7fffffffffffffff,
                                     0x7ff0000000000000, 0x7ff8000000000000,
                                     0x3ff0000000000000, 0xbfe0000000000000,
                                     0x800fffffffffffff, 0x4330000000000000, 0x3f, 0x20};
    uint64_t bits = random_next(random);
    unsigned pick = lane * 7 + source * 3;

    if (type == IR_pred)
        return bits & 1;
    if (lane < 40) {
        switch (ir_types[type].bits) {
        case 8: return pick & 0xff;
        case 16: return (words[pick % 16] >> (pick & 16)) & 0xffff;
        case 32: return words[pick % 16];
        default: return longs[pick % 12];
        }
    }
    return bits >> (64 - ir_types[type].bits);
}

/* 8-bit values live extended. */
static uint64_t in_register(enum ir_type type, uint64_t value)
{
    return type == IR_s8 ? (uint16_t)(int8_t)value : value;
}

static void run(struct sweep *sweep, sl_context *context, sl_module *module, uint32_t index)
{
    const struct instance *instance = &sweep->items[index];
    const struct ir_row_info *row = &ir_rows[instance->row];
    const char *name = arena_printf(&sweep->arena, "k%u", index);
    uint64_t in[LANES][SLOTS] = {0}, out[LANES], random = 1000 * index, address[2];
    unsigned width = ir_types[ir_type_register(row->type)].bits;
    sl_buffer *buffers[2];
    sl_kernel *kernel;
    sl_report *report;

    for (unsigned l = 0; l < LANES; l++)
        for (unsigned s = 0; s < row->sources; s++)
            in[l][s] = wants_constant(row->op) && s == row->sources - 1u
                           ? instance->constant
                           : in_register(row->source[s],
                                         value_for(row->source[s], l, s, &random));
    memset(out, 0, sizeof out);
    ck_assert(sl_module_find(module, name, &kernel) == SL_OK);
    ck_assert(sl_buffer_create(context, sizeof in, in, &buffers[0]) == SL_OK);
    ck_assert(sl_buffer_create(context, sizeof out, out, &buffers[1]) == SL_OK);
    address[0] = sl_buffer_address(buffers[0]);
    address[1] = sl_buffer_address(buffers[1]);
    const void *values[2] = {&address[0], &address[1]};
    ck_assert(sl_launch(kernel, (uint32_t[3]){1, 1, 1}, (uint32_t[3]){LANES, 1, 1}, 0, values, 2,
                        &report) == SL_OK);
    ck_assert_msg(!sl_report_problems(report), "%s", sl_report_text(report));
    sl_buffer_read(buffers[1], 0, out, sizeof out);
    for (unsigned l = 0; l < LANES; l++) {
        bool active = !(index & 1) || l & 1;
        uint64_t want = active ? ir_row_eval(instance->row, in[l], instance->mode) : 1;
        if (width < 64 && width > 1)
            want &= (UINT64_C(1) << width) - 1;
        ck_assert_msg(out[l] == want,
                      "%s.%s.%s mode %u constant %llx lane %u: %llx %llx %llx gives %llx, not %llx",
                      ir_ops[row->op].name, ir_types[row->type].name,
                      ir_types[row->source[0]].name, instance->mode,
                      (unsigned long long)instance->constant, l, (unsigned long long)in[l][0],
                      (unsigned long long)in[l][1], (unsigned long long)in[l][2],
                      (unsigned long long)out[l], (unsigned long long)want);
    }
    sl_report_destroy(report);
    sl_buffer_destroy(buffers[0]);
    sl_buffer_destroy(buffers[1]);
}

/* Without a rounding ptxas may make one operation of a product and a sum. PTX ISA, "add". */
static void check_roundings(const char *text)
{
    static const char *const opcodes[] = {"add.", "sub.", "mul.", "fma."};
    static const char *const roundings[] = {".rn.", ".rz.", ".rm.", ".rp."};

    for (const char *word = text; *word; word += strspn(word, " \t\n")) {
        size_t size = strcspn(word, " \t\n");
        char copy[80] = "";
        bool sums = false, rounds = false;
        if (size < sizeof copy)
            memcpy(copy, word, size);
        for (size_t o = 0; o < sizeof opcodes / sizeof *opcodes; o++)
            sums |= !strncmp(copy, opcodes[o], 4);
        for (size_t r = 0; r < sizeof roundings / sizeof *roundings; r++)
            rounds |= strstr(copy, roundings[r]) != NULL;
        ck_assert_msg(!sums || rounds || (!strstr(copy, ".f") && !strstr(copy, ".bf")),
                      "%s has no rounding", copy);
        word += size;
    }
}

static void keep(struct sweep *sweep, const char *text, size_t size)
{
    const char *folder = getenv("SIMTLAB_KEEP");
    FILE *file = folder ? fopen(arena_printf(&sweep->arena, "%s/%s.ptx", folder,
                                             ir_ops[sweep->op].name), "w")
                        : NULL;

    if (!file)
        return;
    fwrite(text, 1, size, file);
    fclose(file);
}

START_TEST(operation)
{
    struct sweep *sweep = calloc(1, sizeof *sweep);
    sl_context *context;
    sl_module *module;
    uint32_t refused = 0;
    size_t size = 0;

    sweep->op = (enum ir_op)_i;
    find_instances(sweep);
    /* For any target, and then for one that the emulator has. */
    for (int attempt = 0; attempt < 2 && sweep->count; attempt++)
        write_all(sweep, 0, &size);
    for (uint32_t i = 0; i < sweep->count; i++)
        refused += sweep->items[i].refused;
    /* Modes that PTX does not have are refused, operations are not. */
    for (uint32_t i = 0; i < sweep->count; i++)
        ck_assert_msg(!sweep->items[i].refused || sweep->items[i].mode ||
                          ir_rows[sweep->items[i].row].moded,
                      "%s.%s.%s is refused", ir_ops[sweep->op].name,
                      ir_types[ir_rows[sweep->items[i].row].type].name,
                      ir_types[ir_rows[sweep->items[i].row].source[0]].name);
    char *text = sweep->count > refused ? write_all(sweep, 90, &size) : NULL;
    if (sweep->count > refused && !text)
        text = write_all(sweep, 90, &size);
    if (text) {
        check_roundings(text);
        keep(sweep, text, size);
        ck_assert(sl_context_create("sm_90", &context) == SL_OK);
        ck_assert_msg(sl_module_load(context, SL_FORMAT_PTX, "sweep.ptx", text, size, &module) ==
                          SL_OK,
                      "%s", sl_context_error(context));
        for (uint32_t i = 0; i < sweep->count; i++)
            if (!sweep->items[i].refused)
                run(sweep, context, module, i);
        sl_context_destroy(context);
    }
    arena_free(&sweep->arena);
    free(sweep);
}
END_TEST

/* --- the other operations ------------------------------------------------- */

static bool has_operation(struct arena *arena, const char *name, enum ir_op op)
{
    char *path = arena_printf(arena, "%s/tests/codegen/%s.ptx", SIMTLAB_SOURCE_DIR, name);
    const char *problem;
    size_t size;
    char *text = file_read(arena, path, &size, &problem);
    struct diags diags = {.arena = arena, .name = path, .source = text, .source_size = size};

    ck_assert_msg(text != NULL, "%s: %s", path, problem);
    struct ir_module *module = ptx_read(arena, path, text, size, &diags);
    ck_assert_msg(module && !diags.errors, "%s is not read", path);
    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t i = 0; i < module->functions[f].inst_count; i++)
            if (module->functions[f].insts[i].op == op)
                return true;
    return false;
}

/* Those that are not per-lane stand in a file of forms, all of which check_codegen
 * writes, reads again and compares. */
START_TEST(has_forms)
{
    static const char *const files[] = {"directives", "forms", "tensor_maps", "textures", "values",
                                         "warpgroups"};
    enum ir_op op = (enum ir_op)_i;
    struct arena arena = {0};
    bool found = ir_ops[op].group == IR_GROUP_LANE;

    for (size_t f = 0; f < sizeof files / sizeof *files && !found; f++)
        found = has_operation(&arena, files[f], op);
    ck_assert_msg(found, "no file in tests/codegen has '%s'", ir_ops[op].name);
    arena_free(&arena);
}
END_TEST

SUITE("codegen operations", {
    LOOP_TEST(operation, 0, IR_OP_COUNT);
    LOOP_TEST(has_forms, 0, IR_OP_COUNT);
})
