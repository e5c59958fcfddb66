/* SPDX-License-Identifier: Apache-2.0
 *
 * print.c - a module as text. The grammar stands in parse.c; printing what was
 * read from a printed module gives the same bytes. */
#include "ir/printer.h"

#include <ctype.h>
#include <string.h>

enum { LINE_WIDTH = 88, BYTES_PER_LINE = 32 };

/* --- names ---------------------------------------------------------------- */

static void tag_repeated(struct arena *scratch, struct map *map, const char *name,
                         uint32_t tag, bool *tags)
{
    uint32_t first;

    if (!name || !*name)
        return;
    if (map_get(map, name, strlen(name), &first))
        tags[first] = tags[tag] = true;
    else
        map_set(scratch, map, name, strlen(name), tag);
}

static void tag_globals(struct ir_printer *p)
{
    const struct ir_module *module = p->module;
    struct map map = {0}, prototypes = {0};

    p->global_tags = ARENA_NEW_ARRAY(
        &p->scratch, (size_t)module->symbol_count + module->function_count, bool);
    for (uint32_t i = 0; i < module->symbol_count; i++)
        tag_repeated(&p->scratch, &map, module->symbols[i].name, i, p->global_tags);
    for (uint32_t i = 0; i < module->function_count; i++)
        tag_repeated(&p->scratch, &map, module->functions[i].name,
                     module->symbol_count + i, p->global_tags);
    p->prototype_tags = ARENA_NEW_ARRAY(&p->scratch, module->prototype_count, bool);
    for (uint32_t i = 0; i < module->prototype_count; i++)
        tag_repeated(&p->scratch, &prototypes, module->prototypes[i].name, i,
                     p->prototype_tags);
}

static void tag_locals(struct ir_printer *p)
{
    const struct ir_function *f = p->function;
    struct map registers = {0}, variables = {0}, blocks = {0};

    p->register_tags = ARENA_NEW_ARRAY(&p->scratch, f->register_count, bool);
    p->variable_tags = ARENA_NEW_ARRAY(&p->scratch, f->variable_count, bool);
    p->block_tags = ARENA_NEW_ARRAY(&p->scratch, f->block_count, bool);
    for (uint32_t i = 0; i < f->register_count; i++)
        tag_repeated(&p->scratch, &registers, f->registers[i].name, i, p->register_tags);
    for (uint32_t i = 0; i < f->variable_count; i++)
        tag_repeated(&p->scratch, &variables, f->variables[i].name, i, p->variable_tags);
    for (uint32_t i = 0; i < f->block_count; i++)
        tag_repeated(&p->scratch, &blocks, f->blocks[i].name, i, p->block_tags);
}

/* --- locations ------------------------------------------------------------ */

/* A caller stands before its callees in the table; anything else is no caller. */
static uint32_t caller_of(const struct ir_printer *p, uint32_t loc)
{
    uint32_t at = p->module->locations[loc].inlined_at;

    return at < loc ? at : 0;
}

static void print_place(struct ir_printer *p, uint32_t loc)
{
    const struct ir_location *location = &p->module->locations[loc];

    text_printf(p->out, "%u:%u:%u", location->file, location->line, location->column);
    if (p->sites[loc])
        text_printf(p->out, "@%u", p->sites[loc]);
}

/* Numbers the inlined call that one location belongs to; that of its caller is
 * numbered already. */
static void number_site(struct ir_printer *p, uint32_t loc)
{
    const struct ir_location *location = &p->module->locations[loc];
    uint32_t caller = caller_of(p, loc);
    const struct ir_location *at = &p->module->locations[caller];

    if (p->sites[loc] || (!caller && !location->function))
        return;
    const char *key = arena_printf(&p->scratch, "%u:%u:%u@%u %s", at->file, at->line,
                                   at->column, p->sites[caller],
                                   location->function ? location->function : "\n");
    if (!map_get(&p->site_map, key, strlen(key), &p->sites[loc])) {
        *ARENA_PUSH(&p->scratch, &p->site_list) = loc;
        p->sites[loc] = p->site_list.count;
        map_set(&p->scratch, &p->site_map, key, strlen(key), p->sites[loc]);
    }
}

/* Inlined calls are numbered in the order in which instructions name them, so
 * that the numbers do not depend on how the table came about. */
static void number_sites(struct ir_printer *p)
{
    const struct ir_module *module = p->module;
    struct { uint32_t *items; uint32_t count, capacity; } chain = {0};

    p->sites = ARENA_NEW_ARRAY(&p->scratch, (size_t)module->location_count + 1, uint32_t);
    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t i = 0; i < module->functions[f].inst_count; i++) {
            uint32_t loc = module->functions[f].insts[i].loc;
            if (loc >= module->location_count)
                continue;
            chain.count = 0;
            for (; loc && !p->sites[loc]; loc = caller_of(p, loc))
                *ARENA_PUSH(&p->scratch, &chain) = loc;
            while (chain.count)
                number_site(p, chain.items[--chain.count]);
        }
}

static void print_sites(struct ir_printer *p)
{
    for (uint32_t i = 0; i < p->site_list.count; i++) {
        uint32_t loc = p->site_list.items[i];
        const char *name = p->module->locations[loc].function;
        text_printf(p->out, "inline %u ", i + 1);
        if (name)
            ir_print_quoted(p->out, name);
        else
            text_putc(p->out, '-');
        text_putc(p->out, ' ');
        print_place(p, caller_of(p, loc));
        text_putc(p->out, '\n');
    }
}

/* --- functions ------------------------------------------------------------ */

static void print_triple(struct text *out, const char *word, const uint32_t *value)
{
    if (value[0] || value[1] || value[2])
        text_printf(out, "    %s %u %u %u\n", word, value[0], value[1], value[2]);
}

static void print_count(struct text *out, const char *word, uint64_t value)
{
    if (value)
        text_printf(out, "    %s %llu\n", word, (unsigned long long)value);
}

static void print_variable(struct ir_printer *p, uint32_t i)
{
    const struct ir_variable *v = &p->function->variables[i];

    text_printf(p->out, "    var %s %s ", ir_name_of(ir_space_names, IR_SPACE_COUNT, v->space),
                ir_type_name(v->type));
    ir_print_operand(p, ir_operand_make(IR_OPERAND_VARIABLE, i));
    text_printf(p->out, " size %llu align %u at %llu", (unsigned long long)v->size,
                v->align, (unsigned long long)v->offset);
    if (v->is_array)
        text_puts(p->out, " array");
    if (v->pointer_space != IR_SPACE_GENERIC || v->pointer_align)
        text_printf(p->out, " ptr %s %u",
                    ir_name_of(ir_space_names, IR_SPACE_COUNT, v->pointer_space),
                    v->pointer_align);
    text_putc(p->out, '\n');
}

static void print_variable_list(struct ir_printer *p, const char *word,
                                const uint32_t *list, uint32_t count)
{
    if (!count)
        return;
    text_printf(p->out, "    %s", word);
    for (uint32_t i = 0; i < count; i++) {
        text_putc(p->out, ' ');
        ir_print_operand(p, ir_operand_make(IR_OPERAND_VARIABLE, list[i]));
    }
    text_putc(p->out, '\n');
}

/* Runs of one width share lines. */
static void print_registers(struct ir_printer *p)
{
    const struct ir_function *f = p->function;
    size_t begin = 0;

    for (uint32_t i = 0; i < f->register_count; i++) {
        bool same = i && f->registers[i].width == f->registers[i - 1].width;
        if (!same || p->out->size - begin > LINE_WIDTH) {
            if (i)
                text_putc(p->out, '\n');
            begin = p->out->size;
            text_printf(p->out, "    reg %s", ir_type_name(f->registers[i].width));
        }
        text_putc(p->out, ' ');
        ir_print_operand(p, ir_operand_make(IR_OPERAND_REGISTER, i));
    }
    if (f->register_count)
        text_putc(p->out, '\n');
}

static void print_body(struct ir_printer *p)
{
    const struct ir_function *f = p->function;

    for (uint32_t b = 0; b < f->block_count; b++) {
        ir_print_operand(p, ir_operand_make(IR_OPERAND_BLOCK, b));
        text_puts(p->out, f->blocks[b].no_unroll ? ": no_unroll\n" : ":\n");
        for (uint32_t i = 0; i < f->blocks[b].count; i++) {
            const struct ir_inst *inst = &f->insts[f->blocks[b].first + i];
            text_puts(p->out, "    ");
            ir_print_inst_with(p, inst);
            const struct ir_location *l = inst->loc < p->module->location_count
                                              ? &p->module->locations[inst->loc]
                                              : &p->module->locations[0];
            uint32_t loc = (uint32_t)(l - p->module->locations);
            if (l->file || l->line || l->column || p->sites[loc]) {
                text_puts(p->out, " !");
                print_place(p, loc);
            }
            text_putc(p->out, '\n');
        }
    }
}

static void print_function(struct ir_printer *p, const struct ir_function *f)
{
    struct text *out = p->out;

    p->function = f;
    tag_locals(p);
    text_printf(out, "%s %s ", f->is_kernel ? "kernel" : "function",
                ir_name_of(ir_linkage_names, IR_LINKAGE_COUNT, f->linkage));
    ir_print_operand(p, ir_operand_make(IR_OPERAND_FUNCTION,
                                        (uint32_t)(f - p->module->functions)));
    text_puts(out, f->noreturn ? " noreturn {\n" : " {\n");
    print_triple(out, "max_threads", f->max_threads);
    print_triple(out, "required_threads", f->required_threads);
    print_count(out, "min_blocks_per_sm", f->min_blocks_per_sm);
    print_count(out, "max_registers", f->max_registers);
    print_triple(out, "required_cluster", f->required_cluster);
    print_count(out, "max_cluster_rank", f->max_cluster_rank);
    if (f->explicit_cluster)
        text_puts(out, "    explicit_cluster\n");
    print_count(out, "parameter_bytes", f->parameter_bytes);
    print_count(out, "local_bytes", f->local_bytes);
    for (uint32_t i = 0; i < f->variable_count; i++)
        print_variable(p, i);
    print_variable_list(p, "parameters", f->parameters, f->parameter_count);
    print_variable_list(p, "results", f->results, f->result_count);
    print_registers(p);
    print_body(p);
    text_puts(out, "}\n");
}

/* --- the module ----------------------------------------------------------- */

static void print_bytes(struct text *out, const struct ir_symbol *symbol)
{
    for (uint64_t at = 0; symbol->bytes && at < symbol->size; at += BYTES_PER_LINE) {
        uint64_t end = at + BYTES_PER_LINE < symbol->size ? at + BYTES_PER_LINE
                                                         : symbol->size;
        bool zero = true;
        for (uint64_t i = at; i < end; i++)
            zero = zero && !symbol->bytes[i];
        if (zero)
            continue; /* what is not said is zero */
        text_printf(out, "    bytes %llu ", (unsigned long long)at);
        for (uint64_t i = at; i < end; i++)
            text_printf(out, "%02x", symbol->bytes[i]);
        text_putc(out, '\n');
    }
}

static void print_relocation(struct ir_printer *p, const struct ir_relocation *r)
{
    text_printf(p->out, "    address %llu size %u ", (unsigned long long)r->offset, r->bytes);
    ir_print_operand(p, r->target);
    if (r->addend)
        text_printf(p->out, "%+lld", (long long)r->addend);
    if (r->generic)
        text_puts(p->out, " generic");
    if (r->shift)
        text_printf(p->out, " shift %u", r->shift);
    text_putc(p->out, '\n');
}

static void print_symbol(struct ir_printer *p, uint32_t i)
{
    static const struct ir_function nothing;
    const struct ir_symbol *s = &p->module->symbols[i];

    p->function = &nothing;
    text_printf(p->out, "%s %s %s ", ir_name_of(ir_space_names, IR_SPACE_COUNT, s->space),
                ir_name_of(ir_linkage_names, IR_LINKAGE_COUNT, s->linkage),
                ir_type_name(s->type));
    ir_print_operand(p, ir_operand_make(IR_OPERAND_SYMBOL, i));
    text_printf(p->out, " size %llu align %u", (unsigned long long)s->size, s->align);
    if (s->managed)
        text_puts(p->out, " managed");
    if (s->reference)
        text_printf(p->out, " %s", ir_reference_names[s->reference]);
    if (s->owner && s->owner <= p->module->function_count) {
        text_puts(p->out, " owner ");
        ir_print_operand(p, ir_operand_make(IR_OPERAND_FUNCTION, s->owner - 1));
    }
    if (s->bytes || s->relocation_count) {
        text_puts(p->out, " {\n");
        print_bytes(p->out, s);
        for (uint32_t r = 0; r < s->relocation_count; r++)
            print_relocation(p, &s->relocations[r]);
        text_putc(p->out, '}');
    }
    text_putc(p->out, '\n');
}

static void print_prototype(struct ir_printer *p, uint32_t i)
{
    const struct ir_prototype *prototype = &p->module->prototypes[i];

    text_puts(p->out, "prototype ");
    ir_print_name(p->out, prototype->name, p->prototype_tags[i], i);
    text_puts(p->out, " results");
    for (uint32_t n = 0; n < prototype->result_count; n++)
        text_printf(p->out, " %llu", (unsigned long long)prototype->result_sizes[n]);
    text_puts(p->out, " parameters");
    for (uint32_t n = 0; n < prototype->parameter_count; n++)
        text_printf(p->out, " %llu", (unsigned long long)prototype->parameter_sizes[n]);
    text_puts(p->out, prototype->noreturn ? " noreturn\n" : "\n");
}

static void print_header(struct ir_printer *p)
{
    const struct ir_module *module = p->module;

    text_puts(p->out, "kir 1\n");
    if (module->version)
        text_printf(p->out, "ptx %u.%u\n", module->version / 10, module->version % 10);
    if (module->target)
        text_printf(p->out, "target sm_%u%.*s\n", module->target,
                    isalpha((unsigned char)module->target_suffix) ? 1 : 0,
                    &module->target_suffix);
    text_printf(p->out, "address_bits %u\n", module->address_bits);
    if (module->debug)
        text_puts(p->out, "debug\n");
    for (uint32_t i = 1; i < module->file_count; i++) {
        text_printf(p->out, "file %u ", i);
        ir_print_quoted(p->out, module->files[i]);
        text_putc(p->out, '\n');
    }
    print_sites(p);
    if (module->symbol_count || module->prototype_count)
        text_putc(p->out, '\n');
}

void ir_print(struct text *out, const struct ir_module *module)
{
    struct ir_printer p = {.out = out, .module = module};

    tag_globals(&p);
    number_sites(&p);
    print_header(&p);
    for (uint32_t i = 0; i < module->symbol_count; i++)
        print_symbol(&p, i);
    for (uint32_t i = 0; i < module->prototype_count; i++)
        print_prototype(&p, i);
    for (uint32_t i = 0; i < module->function_count; i++) {
        text_putc(out, '\n');
        print_function(&p, &module->functions[i]);
    }
    arena_free(&p.scratch);
}

void ir_print_function(struct text *out, const struct ir_module *module,
                       const struct ir_function *function)
{
    struct ir_printer p = {.out = out, .module = module};

    tag_globals(&p);
    number_sites(&p);
    print_function(&p, function);
    arena_free(&p.scratch);
}
