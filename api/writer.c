/* SPDX-License-Identifier: Apache-2.0
 *
 * writer.c - see writer.h. Asynchronous copies are not seen: they are no
 * thread's access when they land. */
#include "api/writer.h"

#include <string.h>

#include "emu/state.h"

static void keep(struct writer *writer, const struct access_event *event, unsigned lane)
{
    const struct warp *warp = event->warp;
    const struct ir_module *module = warp->block->state->launch->image->module;
    const struct ir_location *location = &module->locations[event->code->ir->loc];

    writer->found = true;
    for (unsigned i = 0; i < 3; i++) {
        writer->block[i] = warp->block->index[i];
        writer->thread[i] = warp->tid[i][lane];
    }
    writer->text_line = location->at.line;
    writer->file = location->file ? module->files[location->file] : NULL;
    writer->line = location->line;
}

static void see_access(struct observer *self, const struct access_event *event)
{
    struct writer *writer = (struct writer *)self;

    if (event->space != IR_SPACE_GLOBAL ||
        (event->kind != ACCESS_WRITE && event->kind != ACCESS_ATOMIC))
        return;
    FOR_LANES (lane, event->mask) {
        uint64_t address = event->address[lane];
        if (address >= writer->address + writer->size ||
            writer->address >= address + event->size)
            continue;
        keep(writer, event, lane);
        if (event->kind == ACCESS_WRITE) /* in global memory the lowest lane wins */
            return;
    }
}

void writer_begin(struct writer *writer, uint64_t address, uint64_t size)
{
    *writer = (struct writer){.observer = {.access = see_access}, .address = address,
                              .size = size};
}
