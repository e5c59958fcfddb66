/* SPDX-License-Identifier: Apache-2.0
 *
 * report.h - the text and JSON reports of one test. */
#ifndef SIMTLAB_MEMMODEL_REPORT_H
#define SIMTLAB_MEMMODEL_REPORT_H

#include <jansson.h>

#include "memmodel/outcomes.h"

/* States, witnesses and the observation line, as herd prints them. */
void report_states(struct text *out, struct arena *arena, const struct analysis *a);
/* Each outcome allowed, or forbidden by what; the asked one explained. */
void report_outcomes(struct text *out, struct arena *arena, const struct analysis *a,
                     const struct outcomes *outcomes, bool explain_all);
void report_races(struct text *out, struct arena *arena, const struct analysis *a);
/* Limits of the answer: loop bound, hanging barriers. */
void report_notes(struct text *out, const struct analysis *a, uint32_t bound);
/* States that only one of two models allows. */
void report_difference(struct text *out, struct arena *arena, const struct analysis *a,
                       const struct analysis *b);

json_t *report_json(struct arena *arena, const struct analysis *a,
                    const struct outcomes *outcomes);

/* "allowed" and the like for the asked outcome. */
const char *verdict_word(const struct analysis *a);

#endif
