/* SPDX-License-Identifier: Apache-2.0
 *
 * texture.c - textures and surfaces. A handle is a word of 64 bits; that of a .texref or
 * .surfref of the module is its address (globals.c). */
#include "ir/texture.h"
#include "codegen/assembly.h"
#include "codegen/memory.h"

static const char *geometry_name(unsigned sub)
{
    static const char *const names[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
    unsigned bit = 0;

    while (!(sub >> bit & 1))
        bit++;
    return names[bit];
}

static unsigned dimensions(unsigned sub)
{
    return sub & (IR_TEXTURE_1D | IR_TEXTURE_1D_LAYERED)   ? 1
           : sub & (IR_TEXTURE_2D | IR_TEXTURE_2D_LAYERED) ? 2
                                                           : 3;
}

/* {...} of so many; where PTX has no vector of three, the last one stands twice. */
static void vector(struct assembly *a, const ir_operand *list, unsigned count, enum ir_type type)
{
    ir_operand four[4];

    for (unsigned i = 0; i < 4; i++)
        four[i] = list[i < count ? i : count - 1];
    assembly_fragment(a, four, count == 3 ? 4 : count, type);
}

/* The .texref or the like whose handle a register is, where nothing else is written to it;
 * NULL else. The driver finds only those that an instruction names. */
static const char *reference_name(struct gen *g, ir_operand handle)
{
    const struct ir_function *function = g->function;
    const char *name = NULL;
    unsigned writers = 0;

    for (uint32_t i = 0; i < function->inst_count; i++) {
        const struct ir_inst *inst = &function->insts[i];
        for (unsigned d = 0; d < inst->destinations; d++) {
            if (ir_destinations(function, inst)[d] != handle)
                continue;
            name = memory_reference(g, inst);
            writers++;
        }
    }
    return writers == 1 ? name : NULL;
}

static void handle(struct assembly *a)
{
    ir_operand operand = gen_source(a->g, 0);
    const char *name = reference_name(a->g, operand);

    if (name)
        assembly_text(a, "%s", name);
    else
        assembly_plain_value(a, gen_value(a->g, operand, IR_b64));
}

/* [handle, {layer, x, y, z}] */
static void place(struct assembly *a, enum ir_type type)
{
    struct gen *g = a->g;
    unsigned sub = g->inst->sub, dims = dimensions(sub);
    bool layered = sub & (IR_TEXTURE_1D_LAYERED | IR_TEXTURE_2D_LAYERED | IR_TEXTURE_CUBE_LAYERED);
    unsigned count = dims + layered == 3 ? 4 : dims + layered;

    assembly_text(a, "%s[", a->operands++ ? ", " : " ");
    handle(a);
    assembly_text(a, ", {");
    for (unsigned i = 0; i < count; i++) {
        bool is_layer = layered && i == 0;
        unsigned axis = i - layered < dims ? i - layered : dims - 1;
        ir_operand from = gen_source(g, is_layer ? IR_TEXTURE_LAYER : IR_TEXTURE_X + axis);
        assembly_text(a, i ? ", " : "");
        assembly_plain_value(a, gen_value(g, from, is_layer ? IR_b32 : ir_type_register(type)));
    }
    assembly_text(a, "}]");
}

static void fetch(struct gen *g)
{
    static const char *const channels[] = {"r", "g", "b", "a"};
    const struct ir_inst *inst = g->inst;
    const ir_operand *more = ir_sources(g->function, inst) + IR_TEXTURE_SOURCES;
    unsigned sub = inst->sub, dims = dimensions(sub), channel = 0;
    struct assembly a;

    if (sub & ~(unsigned)(IR_TEXTURE_GEOMETRY | IR_TEXTURE_LEVEL | IR_TEXTURE_GRAD |
                          IR_TEXTURE_OFFSET | IR_TEXTURE_GATHER)) {
        gen_refuse(g, "this form of a texture fetch cannot be written");
        return;
    }
    if (sub & IR_TEXTURE_GATHER) {
        while (!(sub & IR_TEXTURE_GATHER_R << channel))
            channel++;
        assembly_begin(&a, g, ASSEMBLY_MEMORY, "tld4.%s.%s.v4.%s.%s", channels[channel],
                       geometry_name(sub), ir_types[inst->type].name,
                       ir_types[inst->type2].name);
    } else {
        assembly_begin(&a, g, ASSEMBLY_MEMORY, "tex%s.%s.v%u.%s.%s",
                       sub & IR_TEXTURE_LEVEL  ? ".level"
                       : sub & IR_TEXTURE_GRAD ? ".grad"
                                               : "",
                       geometry_name(sub), inst->destinations, ir_types[inst->type].name,
                       ir_types[inst->type2].name);
    }
    assembly_fragment_to(&a, ir_destinations(g->function, inst), inst->destinations, inst->type);
    place(&a, inst->type2);
    if (sub & IR_TEXTURE_LEVEL)
        assembly_value(&a, gen_value(g, *more++, IR_b32));
    for (unsigned i = 0; sub & IR_TEXTURE_GRAD && i < 2; i++, more += 3)
        vector(&a, more, dims, IR_b32);
    if (sub & IR_TEXTURE_OFFSET)
        vector(&a, more, dims, IR_b32);
    assembly_end(&a);
}

static void query(struct gen *g)
{
    static const char *const names[] = {
#define X(NAME, text) [IR_QUERY_##NAME] = #text,
        IR_TEXTURE_QUERIES(X)
#undef X
    };
    struct assembly a;
    bool level = g->inst->sources > 1;

    assembly_begin(&a, g, ASSEMBLY_MEMORY, "%s%s.%s.b32", ir_ops[g->inst->op].name,
                   level ? ".level" : "", names[g->inst->sub]);
    assembly_output(&a, gen_destination(g, 0), IR_b32);
    assembly_text(&a, ", [");
    handle(&a);
    assembly_text(&a, "]");
    if (level)
        assembly_value(&a, gen_value(g, ir_sources(g->function, g->inst)[1], IR_b32));
    assembly_end(&a);
}

static const char *edge(unsigned sub)
{
    return sub & IR_SURFACE_CLAMP ? ".clamp" : sub & IR_SURFACE_ZERO ? ".zero" : ".trap";
}

/* Bits of a surface have no sign, numbers of a reduction do. */
static const char *element_type(const struct ir_inst *inst)
{
    static const char *const bits[] = {[1] = "b8", [2] = "b16", [4] = "b32", [8] = "b64"};

    if (inst->op == IR_OP_sured || inst->sub & IR_SURFACE_FORMATTED)
        return ir_types[inst->type].name;
    return bits[ir_type_bytes(inst->type)];
}

static void surface_load(struct gen *g)
{
    static const char *const vectors[] = {"", "", ".v2", "", ".v4"};
    const struct ir_inst *inst = g->inst;
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_MEMORY, "suld.b.%s%s.%s%s", geometry_name(inst->sub),
                   vectors[inst->destinations], element_type(inst), edge(inst->sub));
    assembly_fragment_to(&a, ir_destinations(g->function, inst), inst->destinations, inst->type);
    place(&a, IR_b32);
    assembly_end(&a);
}

/* sust and sured. */
static void surface_store(struct gen *g)
{
    static const char *const vectors[] = {"", "", ".v2", "", ".v4"};
    static const char *const operations[] = {".add", ".min", ".max", ".and", ".or"};
    const struct ir_inst *inst = g->inst;
    unsigned count = inst->sources - (unsigned)IR_TEXTURE_SOURCES, operation = 0;
    bool reduces = inst->op == IR_OP_sured;
    struct assembly a;

    while (reduces && !(inst->sub & IR_SURFACE_ADD << operation))
        operation++;
    assembly_begin(&a, g, ASSEMBLY_MEMORY, "%s.%c%s.%s%s.%s%s", ir_ops[inst->op].name,
                   inst->sub & IR_SURFACE_FORMATTED ? 'p' : 'b',
                   reduces ? operations[operation] : "", geometry_name(inst->sub),
                   vectors[count], element_type(inst), edge(inst->sub));
    place(&a, IR_b32);
    if (reduces)
        assembly_value(&a, gen_value(g, gen_source(g, IR_TEXTURE_SOURCES),
                                     ir_type_register(inst->type)));
    else
        assembly_fragment(&a, ir_sources(g->function, inst) + IR_TEXTURE_SOURCES, count,
                          inst->type);
    assembly_end(&a);
}

void gen_texture(struct gen *g)
{
    switch (g->inst->op) {
    case IR_OP_tex: fetch(g); return;
    case IR_OP_txq:
    case IR_OP_suq: query(g); return;
    case IR_OP_suld: surface_load(g); return;
    default: surface_store(g); return;
    }
}
