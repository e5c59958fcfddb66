/* SPDX-License-Identifier: Apache-2.0
 *
 * verifier.h - what the parts of the verifier share: verify.c checks modules and
 * functions, verify_inst.c one instruction, verify_operand.c its operands. */
#ifndef SIMTLAB_IR_VERIFIER_H
#define SIMTLAB_IR_VERIFIER_H

#include "ir/ir.h"

struct ir_verifier {
    const struct ir_module *module;
    const struct ir_function *function;
    const struct ir_inst *inst;
    struct diags *diags;
};

/* Reports against the instruction, which is quoted before the message. */
void ir_verify_fail(struct ir_verifier *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Can the instruction be looked at at all? If not, that is reported. */
bool ir_verify_shape(struct ir_verifier *v);
/* One instruction of good shape; whether it may stand at this place of its block
 * is checked by the caller. */
void ir_verify_inst(struct ir_verifier *v);
/* Counts, kinds and widths of its operands. */
void ir_verify_operands(struct ir_verifier *v);

#endif
