/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx.h - the PTX front end: text in, kernel IR out. */
#ifndef SIMTLAB_FRONTEND_PTX_PTX_H
#define SIMTLAB_FRONTEND_PTX_PTX_H

#include "ir/ir.h"

/* Reads a PTX module. All of its errors go to diags, each with its place;
 * NULL when there are any. The module lives in the arena and lends the text
 * (module->source), which must stay as long. */
struct ir_module *ptx_read(struct arena *arena, const char *name,
                           const char *text, size_t size,
                           struct diags *diags);

#endif
