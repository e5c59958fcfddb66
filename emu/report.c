/* SPDX-License-Identifier: Apache-2.0
 *
 * report.c - findings placed at an instruction and a thread. */
#include "emu/state.h"

#include <stdarg.h>
#include <stdio.h>

static void place(const struct warp *warp, const struct code *code,
                  const struct fragment *fragment, unsigned lane, struct finding *finding)
{
    const struct block *block = warp->block;
    struct finding_place *place = &finding->where[0];

    if (finding->where_count == 0)
        finding->where_count = 1;
    place->module = block->state->launch->image->module;
    place->function = fragment->frame->program->function;
    place->inst = code->inst;
    place->has_thread = true;
    for (unsigned i = 0; i < 3; i++) {
        place->block[i] = block->index[i];
        place->thread[i] = warp->tid[i][lane];
    }
}

bool report_again(struct warp *warp, const struct code *code, struct fragment *fragment,
                  unsigned lane, struct finding finding)
{
    place(warp, code, fragment, lane, &finding);
    return findings_fold(warp->block->state->findings, &finding) != NULL;
}

void report_at(struct warp *warp, const struct code *code, struct fragment *fragment,
               unsigned lane, struct finding finding, const char *format, ...)
{
    char message[1024];
    va_list args;

    place(warp, code, fragment, lane, &finding);
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    findings_add(warp->block->state->findings, &finding, "%s", message);
}
