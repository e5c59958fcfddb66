/* SPDX-License-Identifier: Apache-2.0
 *
 * ops_doc.c - see ops_doc.h. */
#include "ir/ops_doc.h"

#include "ir/ops.h"

static const struct {
    const char *title, *text;
} groups[] = {
    [IR_GROUP_LANE] = {"Each lane alone", "Typings: `t` where the result and all sources have "
                       "the type t; `d(a)` where the result is d and all sources are a; "
                       "`d(a, b, c)` source by source. `a/b` are alternatives."},
    [IR_GROUP_WARP] = {"Lanes of a warp together", NULL},
    [IR_GROUP_MEMORY] = {"Memory", NULL},
    [IR_GROUP_CONTROL] = {"Control", NULL},
};

static bool is_uniform(const struct ir_row_info *row)
{
    for (unsigned i = 1; i < row->sources; i++)
        if (row->source[i] != row->source[0])
            return false;
    return true;
}

/* Rows of one op stand together; those with one result and uniform sources make
 * one entry. */
static void print_typings(struct text *out, unsigned op)
{
    const char *separator = "";
    unsigned first = 0;

    while (first < IR_ROW_COUNT && ir_rows[first].op != op)
        first++;
    for (unsigned r = first; r < IR_ROW_COUNT && ir_rows[r].op == op; r++) {
        const struct ir_row_info *row = &ir_rows[r];
        text_printf(out, "%s%s", separator, ir_types[row->type].name);
        separator = " ";
        if (!is_uniform(row)) {
            for (unsigned i = 0; i < row->sources; i++)
                text_printf(out, "%s%s", i ? ", " : "(", ir_types[row->source[i]].name);
            text_putc(out, ')');
            continue;
        }
        unsigned end = r + 1;
        while (end < IR_ROW_COUNT && ir_rows[end].op == op &&
               ir_rows[end].type == row->type && is_uniform(&ir_rows[end]))
            end++;
        if (end == r + 1 && row->source[0] == row->type)
            continue;
        for (unsigned i = r; i < end; i++)
            text_printf(out, "%s%s", i > r ? "/" : "(", ir_types[ir_rows[i].source[0]].name);
        text_putc(out, ')');
        r = end - 1;
    }
}

/* A bar ends a cell, so it is written as an entity. */
static void print_cell(struct text *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '|')
            text_puts(out, "&#124;");
        else
            text_putc(out, *c);
    }
}

static void print_count(struct text *out, int count)
{
    if (count == IR_ANY)
        text_puts(out, "any");
    else
        text_printf(out, "%d", count);
}

static void print_flags(struct text *out, unsigned flags)
{
    static const struct {
        unsigned flag;
        const char *text;
    } words[] = {{IR_FLAG_COMMUTES, "commutes"}, {IR_FLAG_ENDS, "ends block"},
                 {IR_FLAG_CALL, "call"},         {IR_FLAG_READS, "reads"},
                 {IR_FLAG_WRITES, "writes"},     {IR_FLAG_SYNC, "waits"}};
    const char *separator = "";

    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (flags & words[i].flag) {
            text_printf(out, "%s%s", separator, words[i].text);
            separator = ", ";
        }
}

void ir_print_op_tables(struct text *out)
{
    for (unsigned g = 0; g < sizeof groups / sizeof *groups; g++) {
        bool is_lane = g == IR_GROUP_LANE;
        text_printf(out, "\n### %s\n\n", groups[g].title);
        if (groups[g].text)
            text_printf(out, "%s\n\n", groups[g].text);
        text_printf(out, "| op | results | sources | flags | meaning |%s\n",
                    is_lane ? " typings |" : "");
        text_printf(out, "| --- | --- | --- | --- | --- |%s\n", is_lane ? " --- |" : "");
        for (unsigned op = 0; op < IR_OP_COUNT; op++) {
            if (ir_ops[op].group != g)
                continue;
            text_printf(out, "| `%s` | ", ir_ops[op].name);
            print_count(out, ir_ops[op].destinations);
            text_puts(out, " | ");
            print_count(out, ir_ops[op].sources);
            text_puts(out, " | ");
            print_flags(out, ir_ops[op].flags);
            text_puts(out, " | ");
            print_cell(out, ir_ops[op].meaning);
            text_puts(out, " |");
            if (is_lane) {
                text_puts(out, " ");
                print_typings(out, op);
                text_puts(out, " |");
            }
            text_putc(out, '\n');
        }
    }
    text_putc(out, '\n');
}
