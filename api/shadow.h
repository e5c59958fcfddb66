/* SPDX-License-Identifier: Apache-2.0
 *
 * shadow.h - what the same launch gives in a wider format. */
#ifndef SIMTLAB_API_SHADOW_H
#define SIMTLAB_API_SHADOW_H

#include <stdio.h>

#include "api/arguments.h"
#include "emu/engine.h"

/* An observer for a launch, NULL when format is. format: "f32" or "f64"; threshold: a
 * relative error, NULL for 0.01. Returns false with a line in error. Freed with
 * shadow_free. */
bool shadow_open(const char *format, const char *threshold, struct observer **observer,
                 struct text *error);
void shadow_free(struct observer *observer);
/* Its results: lines for people, and the member "shadow" of the JSON report, from malloc.
 * chosen says which arguments are looked at. */
void shadow_print(FILE *to, const struct observer *observer, const char *format,
                  const struct prepared_argument *arguments, const bool *chosen, size_t count);
char *shadow_json(const struct observer *observer, const char *format,
                  const struct prepared_argument *arguments, const bool *chosen, size_t count);

#endif
