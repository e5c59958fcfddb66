/* SPDX-License-Identifier: Apache-2.0
 *
 * format.h - the text that a kernel's printf makes. */
#ifndef SIMTLAB_EMU_FORMAT_H
#define SIMTLAB_EMU_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Where arguments come from. Both return false when they cannot be had. */
struct format_source {
    void *self;
    /* The next argument, of 4 or 8 bytes, zero-extended. */
    bool (*next)(void *self, unsigned bytes, uint64_t *value);
    /* Adds the string at an address, at most `limit` bytes of it. */
    bool (*string)(void *self, uint64_t address, uint64_t limit, struct text *out);
    unsigned pointer_bytes;
};

/* Appends the formatted text. Returns the number of arguments copied, or -2 when
 * one could not be had. As measured on H200 (docs/hardware-notes.md, "Device
 * printf"): the device copies at most 32 arguments, for the conversions that it
 * knows; the host cuts the format behind each of them and formats the pieces by
 * the C library's rules. */
int32_t format_text(struct text *out, const char *format, const struct format_source *source);

#endif
