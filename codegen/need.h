/* SPDX-License-Identifier: Apache-2.0
 *
 * need.h - which PTX version and target what is written needs.
 *
 * The rules are those of frontend/ptx/gate.def, the ones that readers apply. Without
 * a version or target of the user's the lowest that fits all of it is collected; with
 * one, what needs more is an error at its place. */
#ifndef SIMTLAB_CODEGEN_NEED_H
#define SIMTLAB_CODEGEN_NEED_H

#include "base/diag.h"
#include "codegen/codegen.h"

struct need {
    struct diags *diags;
    uint32_t errors; /* how many of theirs are from here */
    bool quiet;      /* they are counted only */
    /* What the user asked for, or 0. */
    uint32_t forced_version, forced_sm;
    char forced_suffix;
    /* Where the module comes from; preferred among targets that all fit. */
    uint32_t own_sm;
    char own_suffix;
    /* Collected so far. */
    uint32_t version, sm;
    char suffix;
};

void need_begin(struct need *need, const struct ir_module *module,
                const struct codegen_options *options, struct diags *diags);
/* An instruction as written, without operands: "ld.relaxed.gpu.global.u32". */
void need_instruction(struct need *need, const char *instruction, struct loc at);
/* Whether the version and target that the user wants have it. */
bool need_allows(const struct need *need, const char *instruction);
/* A directive without its dot, or a special register without %. */
void need_directive(struct need *need, const char *word, struct loc at);
void need_special_register(struct need *need, const char *name, struct loc at);
/* Something else, with the name it has in messages. */
void need_feature(struct need *need, const char *what, uint32_t version, uint32_t sm,
                  struct loc at);
/* Settles version, sm and suffix; an error when they do not go together. */
void need_end(struct need *need);

#endif
