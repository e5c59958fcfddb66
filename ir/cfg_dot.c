/* SPDX-License-Identifier: Apache-2.0
 *
 * cfg_dot.c - the control-flow graph as a picture, in Graphviz's language. */
#include "ir/printer.h"

/* A line of a label: quotes and braces have a meaning there. */
static void add_line(struct text *out, const char *line)
{
    for (const char *c = line; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_putc(out, '\\');
        text_putc(out, *c);
    }
    text_puts(out, "\\l");
}

void ir_cfg_print_dot(struct text *out, const struct ir_module *module,
                      const struct ir_function *function)
{
    struct arena scratch = {0};
    struct text line = {0};
    struct ir_cfg *cfg = ir_cfg_build(&scratch, function);
    struct ir_printer p = {.out = &line, .module = module, .function = function};

    text_puts(out, "digraph ");
    ir_print_quoted(out, function->name);
    text_puts(out, " {\n    node [shape=box fontname=monospace]\n");
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_block *block = &function->blocks[b];
        text_printf(out, "    b%u [label=\"", b);
        line.size = 0;
        ir_print_operand(&p, ir_operand_make(IR_OPERAND_BLOCK, b));
        text_putc(&line, ':');
        add_line(out, text_string(&line));
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            line.size = 0;
            text_puts(&line, "  ");
            ir_print_inst_with(&p, &function->insts[i]);
            add_line(out, text_string(&line));
        }
        text_puts(out, "\"]\n");
    }
    for (uint32_t b = 0; b < function->block_count; b++) {
        for (uint32_t e = cfg->first_successor[b]; e < cfg->first_successor[b + 1]; e++)
            text_printf(out, "    b%u -> b%u\n", b, cfg->successors[e]);
        /* Dashed: where lanes that part here meet again. */
        if (cfg->first_successor[b + 1] - cfg->first_successor[b] > 1 &&
            cfg->post_dominator[b] != cfg->block_count)
            text_printf(out, "    b%u -> b%u [style=dashed constraint=false color=gray]\n",
                        b, cfg->post_dominator[b]);
    }
    text_puts(out, "}\n");
    text_free(&line);
    arena_free(&scratch);
}
