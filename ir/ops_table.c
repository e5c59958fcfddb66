/* SPDX-License-Identifier: Apache-2.0
 *
 * ops_table.c - a program that prints the operation tables of docs/ir.md;
 * `make docs-ir` puts them in place. */
#include <stdio.h>

#include "ir/ops_doc.h"

int main(void)
{
    struct text out = {0};

    ir_print_op_tables(&out);
    fputs(text_string(&out), stdout);
    text_free(&out);
    return fflush(stdout) ? 1 : 0;
}
