/* SPDX-License-Identifier: Apache-2.0
 *
 * gate.h - what a module's .version and .target allow.
 *
 * PTX grew over the years; an instruction or modifier that is newer than the
 * version or target a module names is refused, as ptxas does. The rules are
 * in gate.def. */
#ifndef SIMTLAB_FRONTEND_PTX_GATE_H
#define SIMTLAB_FRONTEND_PTX_GATE_H

#include "frontend/ptx/syntax.h"

struct gate_row;

struct gate {
    struct gate_row *rows;
    struct map opcodes;                /* opcode to first row + 1 */
    uint32_t by_word[WORD_COUNT];      /* rows for any opcode: first + 1 */
    struct map special_registers;      /* name to row */
    uint32_t version;                  /* of the module */
    struct ptx_target target;
    const struct map *words;
};

/* Also checks that .version and .target exist and go together. */
void gate_begin(struct gate *gate, struct arena *arena,
                const struct ptx_module *module, struct diags *diags);
/* Reports what is too new (or was removed) in the instruction; true: nothing. */
bool gate_instruction(const struct gate *gate, struct diags *diags,
                      const struct ptx_instruction *instruction, struct loc at);
/* A feature that no modifier shows: what names it. */
void gate_feature(const struct gate *gate, struct diags *diags, const char *what,
                  uint32_t version, uint32_t sm, struct loc at);
void gate_directive(const struct gate *gate, struct diags *diags, uint32_t word,
                    struct loc at);
/* name without %. */
void gate_special_register(const struct gate *gate, struct diags *diags,
                           const char *name, struct loc at);

#endif
