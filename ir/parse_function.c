/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_function.c - reads what a function of .kir text declares. The grammar
 * stands in parse.c. */
#include "ir/parser.h"

#include "ir/words.h"

void ir_parse_begin_function(struct ir_parser *p, bool is_kernel)
{
    unsigned linkage = ir_parse_choice(p, ir_linkage_names, IR_LINKAGE_COUNT, "linkage");
    struct ir_scan_name name = ir_parse_sigil_name(p, '@');
    bool noreturn = ir_scan_accept_word(&p->scan, "noreturn");

    ir_scan_expect(&p->scan, '{');
    ir_scan_end_statement(&p->scan);
    if (!ir_parse_declare(p, &p->globals, &name, "name",
                          p->module->function_count | IR_FUNCTION_BIT)) {
        p->state = IR_IN_SKIPPED;
        return;
    }
    p->state = IR_IN_FUNCTION;
    p->current = ir_add_function(p->module, name.text);
    struct ir_function *function = ir_parser_function(p);
    function->is_kernel = is_kernel;
    function->linkage = (uint8_t)linkage;
    function->noreturn = noreturn;
    function->at = name.at;
    p->registers = p->variables = p->blocks = (struct map){0};
    p->block_fixups.count = 0;
    p->parameters.items = p->results.items = NULL;
    p->parameters.count = p->parameters.capacity = 0;
    p->results.count = p->results.capacity = 0;
    p->has_parameter_bytes = p->has_local_bytes = p->placed = p->unplaced = false;
}

static void end_function(struct ir_parser *p)
{
    struct ir_function *f = ir_parser_function(p);
    uint32_t block;

    for (uint32_t i = 0; i < p->block_fixups.count; i++) {
        struct ir_fixup *fixup = &p->block_fixups.items[i];
        if (map_get(&p->blocks, fixup->name.key, fixup->name.key_size, &block))
            f->operands[fixup->index] = ir_operand_make(IR_OPERAND_BLOCK, block);
        else
            diag_error(p->scan.diags, fixup->name.at, "no block named '%s'",
                       fixup->name.text);
    }
    f->parameters = p->parameters.items;
    f->parameter_count = p->parameters.count;
    f->results = p->results.items;
    f->result_count = p->results.count;
    if (p->placed && p->unplaced)
        diag_error(p->scan.diags, f->at, "give the place of all variables or of none");
    if (!p->placed)
        ir_lay_out(f);
    if (p->has_parameter_bytes)
        f->parameter_bytes = p->parameter_bytes;
    if (p->has_local_bytes)
        f->local_bytes = p->local_bytes;
    p->state = IR_IN_MODULE;
}

static void read_variable(struct ir_parser *p)
{
    struct ir_variable variable = {0};
    struct ir_function *f = ir_parser_function(p);

    variable.space = (uint8_t)ir_parse_choice(p, ir_space_names, IR_SPACE_COUNT, "space");
    variable.type = (uint8_t)ir_parse_type(p);
    struct ir_scan_name name = ir_parse_sigil_name(p, '&');
    variable.at = name.at;
    variable.name = ir_parse_keep(p, name.text);
    ir_parse_expect_word(p, "size");
    variable.size = ir_scan_read_number(&p->scan);
    ir_parse_expect_word(p, "align");
    variable.align = ir_parse_u32(p);
    if (ir_scan_accept_word(&p->scan, "at")) {
        variable.offset = ir_scan_read_number(&p->scan);
        p->placed = true;
    } else {
        p->unplaced = true;
    }
    variable.is_array = ir_scan_accept_word(&p->scan, "array");
    if (ir_scan_accept_word(&p->scan, "ptr")) {
        variable.pointer_space =
            (uint8_t)ir_parse_choice(p, ir_space_names, IR_SPACE_COUNT, "space");
        variable.pointer_align = ir_parse_u32(p);
    }
    if (ir_parse_declare(p, &p->variables, &name, "variable", f->variable_count))
        ir_add_variable(p->module, f, &variable);
}

static uint32_t read_variable_index(struct ir_parser *p)
{
    struct ir_scan_name name = ir_parse_sigil_name(p, '&');
    uint32_t index;

    if (!map_get(&p->variables, name.key, name.key_size, &index))
        ir_scan_fail(&p->scan, name.at, "no variable named '%s'", name.text);
    return index;
}

static void read_registers(struct ir_parser *p)
{
    enum ir_type width = ir_parse_type(p);
    struct ir_function *f = ir_parser_function(p);

    while (ir_scan_accept(&p->scan, '%')) {
        struct ir_scan_name name = ir_scan_read_name(&p->scan);
        if (ir_parse_declare(p, &p->registers, &name, "register", f->register_count))
            ir_add_register(p->module, f, width, name.text);
    }
}

static void read_label(struct ir_parser *p)
{
    struct ir_function *f = ir_parser_function(p);
    struct ir_scan_name name = ir_scan_read_name(&p->scan);

    ir_scan_expect(&p->scan, ':');
    if (ir_parse_declare(p, &p->blocks, &name, "block", f->block_count))
        ir_add_block(p->module, f, name.empty ? NULL : name.text);
    if (ir_scan_accept_word(&p->scan, "no_unroll"))
        f->blocks[f->block_count - 1].no_unroll = 1;
}

static bool read_triple(struct ir_parser *p, const char *word, uint32_t *value)
{
    if (!ir_scan_accept_word(&p->scan, word))
        return false;
    for (int i = 0; i < 3; i++)
        value[i] = ir_parse_u32(p);
    return true;
}

static bool read_count(struct ir_parser *p, const char *word, uint32_t *value)
{
    if (!ir_scan_accept_word(&p->scan, word))
        return false;
    *value = ir_parse_u32(p);
    return true;
}

static bool read_attribute(struct ir_parser *p)
{
    struct ir_function *f = ir_parser_function(p);

    if (read_triple(p, "max_threads", f->max_threads) ||
        read_triple(p, "required_threads", f->required_threads) ||
        read_triple(p, "required_cluster", f->required_cluster) ||
        read_count(p, "min_blocks_per_sm", &f->min_blocks_per_sm) ||
        read_count(p, "max_registers", &f->max_registers) ||
        read_count(p, "max_cluster_rank", &f->max_cluster_rank))
        return true;
    if (ir_scan_accept_word(&p->scan, "explicit_cluster")) {
        f->explicit_cluster = 1;
    } else if (ir_scan_accept_word(&p->scan, "parameter_bytes")) {
        p->parameter_bytes = ir_scan_read_number(&p->scan);
        p->has_parameter_bytes = true;
    } else if (ir_scan_accept_word(&p->scan, "local_bytes")) {
        p->local_bytes = ir_scan_read_number(&p->scan);
        p->has_local_bytes = true;
    } else {
        return false;
    }
    return true;
}

void ir_parse_function_statement(struct ir_parser *p)
{
    struct ir_scanner *s = &p->scan;

    if (ir_scan_accept(s, '}')) {
        end_function(p);
    } else if (ir_scan_accept(s, '^')) {
        read_label(p);
    } else if (ir_scan_accept_word(s, "var")) {
        read_variable(p);
    } else if (ir_scan_accept_word(s, "reg")) {
        read_registers(p);
    } else if (ir_scan_accept_word(s, "parameters")) {
        while (ir_scan_peek(s) == '&') {
            uint32_t index = read_variable_index(p);
            *ARENA_PUSH(p->arena, &p->parameters) = index;
        }
    } else if (ir_scan_accept_word(s, "results")) {
        while (ir_scan_peek(s) == '&') {
            uint32_t index = read_variable_index(p);
            *ARENA_PUSH(p->arena, &p->results) = index;
        }
    } else if (!read_attribute(p)) {
        ir_parse_inst(p);
    }
    ir_scan_end_statement(s);
}
