/* SPDX-License-Identifier: Apache-2.0
 *
 * ops_doc.h - the operation tables of docs/ir.md, made from ops.def. */
#ifndef SIMTLAB_IR_OPS_DOC_H
#define SIMTLAB_IR_OPS_DOC_H

#include "base/text.h"

/* One Markdown table for each group of operations. */
void ir_print_op_tables(struct text *out);

#endif
