/* SPDX-License-Identifier: Apache-2.0
 *
 * shadow.c - see shadow.h. */
#include "api/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "check/precision.h"

static double threshold_of(const char *text, bool *good)
{
    uint64_t bits;
    double value = 0.01;

    *good = true;
    if (!text)
        return value;
    *good = element_parse(ELEMENT_F64, text, strlen(text), &bits) == NULL;
    memcpy(&value, &bits, sizeof value);
    *good = *good && value >= 0;
    return value;
}

bool shadow_open(const char *format, const char *threshold, struct observer **observer,
                 struct text *error)
{
    bool good;

    *observer = NULL;
    double value = threshold_of(threshold, &good);
    if (!good) {
        text_printf(error, "--shadow-threshold '%.40s': it needs a relative error such as 0.01\n",
                    threshold);
        return false;
    }
    if (!format)
        return true;
    if (strcmp(format, "f32") && strcmp(format, "f64")) {
        text_printf(error, "--shadow '%.40s': the wider format is f32 or f64\n", format);
        return false;
    }
    *observer = precision_new(&(struct precision_options){.f64 = !strcmp(format, "f64"),
                                                          .threshold = value});
    return true;
}

void shadow_free(struct observer *observer)
{
    precision_free(observer);
}

static bool measure(const struct observer *observer, const struct prepared_argument *argument,
                    struct precision_error *error)
{
    enum element element = argument->array.element;
    uint64_t size = argument->array.size;

    if (!argument->buffer || !element_is_float(element))
        return false;
    unsigned char *bytes = malloc((size_t)size + 1);
    if (!bytes)
        return false;
    sl_buffer_read(argument->buffer, 0, bytes, size);
    *error = precision_measure(observer, sl_buffer_address(argument->buffer), bytes,
                               size / element_size(element), element);
    free(bytes);
    return true;
}

/* The line of the kernel text, and that of the source which it came from or was
 * inlined into. */
static void place_text(struct text *out, const struct finding_place *place)
{
    const struct ir_module *module = place->module;
    const struct ir_inst *inst = &place->function->insts[place->inst];
    const struct ir_location *at = &module->locations[inst->loc];

    text_printf(out, "%s:%u", module->name, at->at.line);
    while (at->inlined_at)
        at = &module->locations[at->inlined_at];
    const char *file = module->files[at->file], *slash = strrchr(file, '/');
    if (at->file)
        text_printf(out, " (%s:%u)", slash ? slash + 1 : file, at->line);
}

void shadow_print(FILE *to, const struct observer *observer, const char *format,
                  const struct prepared_argument *arguments, const bool *chosen, size_t count)
{
    struct precision_counts counts = precision_counts(observer);
    const struct precision_first *first = precision_first(observer);
    struct precision_error e;

    fprintf(to, "shadow %s: %llu floating-point results, %llu comparisons would go the other "
                "way\n", format, (unsigned long long)counts.operations,
            (unsigned long long)counts.decisions);
    for (size_t i = 0; i < count; i++) {
        if (!chosen[i] || !measure(observer, &arguments[i], &e))
            continue;
        fprintf(to, "  %s %s, %s[%llu]: ", arguments[i].variable ? "variable" : "argument",
                arguments[i].name, element_name(arguments[i].array.element),
                (unsigned long long)(arguments[i].array.size /
                                     element_size(arguments[i].array.element)));
        if (!e.known)
            fprintf(to, "nothing computed\n");
        else
            fprintf(to, "%llu computed, largest error %.6g at %llu (%.9g, wide %.9g), mean %.6g, "
                        "largest relative error %.6g\n",
                    (unsigned long long)e.known, e.largest, (unsigned long long)e.at, e.value,
                    e.wide, e.mean, e.relative);
    }
    if (first->found && first->place.function) {
        const struct ir_inst *inst = &first->place.function->insts[first->place.inst];
        struct text place = {0};
        place_text(&place, &first->place);
        fprintf(to, "  first beyond the threshold: %.9g, wide %.9g, relative error %.6g\n"
                    "    %s at %s, block (%u,%u,%u), thread (%u,%u,%u)\n",
                first->value, first->wide, first->error, ir_ops[inst->op].name,
                text_string(&place), first->place.block[0], first->place.block[1],
                first->place.block[2], first->place.thread[0], first->place.thread[1],
                first->place.thread[2]);
        text_free(&place);
    }
}

/* A number that JSON has; infinities and NaNs are null. */
static void json_number(struct text *out, double value)
{
    if (value - value == 0)
        text_printf(out, "%.17g", value);
    else
        text_puts(out, "null");
}

char *shadow_json(const struct observer *observer, const char *format,
                  const struct prepared_argument *arguments, const bool *chosen, size_t count)
{
    struct precision_counts counts = precision_counts(observer);
    const struct precision_first *first = precision_first(observer);
    struct text out = {0};
    struct precision_error e;
    const char *separator = "";

    text_printf(&out, "\"shadow\": {\"format\": \"%s\", \"operations\": %llu, \"decisions\": %llu, "
                      "\"outputs\": [", format, (unsigned long long)counts.operations,
                (unsigned long long)counts.decisions);
    for (size_t i = 0; i < count; i++) {
        if (!chosen[i] || !measure(observer, &arguments[i], &e))
            continue;
        const struct {
            const char *name;
            double value;
        } numbers[] = {{"largest", e.largest}, {"mean", e.mean}, {"relative", e.relative},
                       {"value", e.value}, {"wide", e.wide}};
        /* The member of a struct is a string, "0.1", and so is a variable. */
        bool plain = !arguments[i].variable && !strchr(arguments[i].name, '.');
        const char *quote = plain ? "" : "\"";
        text_printf(&out, "%s{\"argument\": %s%s%s, \"computed\": %llu, \"at\": %llu", separator,
                    quote, arguments[i].name, quote, (unsigned long long)e.known, (unsigned long long)e.at);
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            text_printf(&out, ", \"%s\": ", numbers[n].name);
            json_number(&out, numbers[n].value);
        }
        text_putc(&out, '}');
        separator = ", ";
    }
    text_puts(&out, "]");
    if (first->found && first->place.function) {
        const struct ir_inst *inst = &first->place.function->insts[first->place.inst];
        text_printf(&out, ", \"first\": {\"ptx_line\": %u, \"operation\": \"%s\", \"block\": [%u, %u, "
                          "%u], \"thread\": [%u, %u, %u], \"value\": ",
                    first->place.module->locations[inst->loc].at.line, ir_ops[inst->op].name,
                    first->place.block[0], first->place.block[1], first->place.block[2],
                    first->place.thread[0], first->place.thread[1], first->place.thread[2]);
        json_number(&out, first->value);
        text_puts(&out, ", \"wide\": ");
        json_number(&out, first->wide);
        text_puts(&out, ", \"error\": ");
        json_number(&out, first->error);
        text_putc(&out, '}');
    }
    text_putc(&out, '}');
    return out.data; /* from malloc, as all that text holds */
}
