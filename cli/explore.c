/* SPDX-License-Identifier: Apache-2.0
 *
 * explore.c - see explore.h. */
#include "config.h"

#include "cli/explore.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { SHOWN = 8 };

/* --- taking in ------------------------------------------------------------------------- */

static void choose(struct exploration *e, const struct options *options,
                   const struct prepared_argument *arguments, size_t count)
{
    e->sets = ARENA_NEW_ARRAY(&e->arena, count, struct outcome_set);
    for (size_t i = 0; i < count; i++) {
        bool wanted = !options->print_count && !options->output_count && !arguments[i].variable;
        uint64_t shown = SHOWN;
        for (size_t p = 0; p < options->print_count; p++)
            if (options->prints[p].index == i) {
                wanted = true;
                shown = options->prints[p].has_count ? options->prints[p].count : UINT64_MAX;
            }
        for (size_t o = 0; o < options->output_count; o++)
            wanted |= options->outputs[o].index == i;
        if (!wanted || !arguments[i].buffer)
            continue;
        e->sets[e->count++] = (struct outcome_set){
            .argument = i, .variable = arguments[i].variable, .name = arena_strdup(&e->arena, arguments[i].name), .shown = shown, .size = arguments[i].array.size,
            .element = arguments[i].array.element};
    }
}

static void add(struct exploration *e, struct outcome_set *set, struct sl_buffer *buffer,
                uint64_t seed)
{
    unsigned char *bytes = malloc(set->size ? set->size : 1);

    if (!bytes)
        out_of_memory(0);
    sl_buffer_read(buffer, 0, bytes, set->size);
    for (uint32_t i = 0; i < set->count; i++)
        if (!memcmp(set->items[i].bytes, bytes, set->size)) {
            set->items[i].count++;
            free(bytes);
            return;
        }
    *ARENA_PUSH(&e->arena, set) = (struct outcome){bytes, 1, seed};
}

void exploration_add(struct exploration *e, const struct options *options,
                     const struct prepared_argument *arguments, size_t count, uint64_t seed)
{
    if (!e->schedules++)
        choose(e, options, arguments, count);
    for (uint32_t i = 0; i < e->count; i++)
        add(e, &e->sets[i], arguments[e->sets[i].argument].buffer, seed);
}

/* --- telling ------------------------------------------------------------------------------ */

/* Where an outcome differs from the first one: "[17]=3 [18]=4". */
static void add_differences(struct text *out, const struct outcome_set *set,
                            const struct outcome *outcome)
{
    unsigned step = element_size(set->element), told = 0;

    for (uint64_t n = 0; n < set->size / step; n++) {
        if (!memcmp(outcome->bytes + n * step, set->items[0].bytes + n * step, step))
            continue;
        if (told++ == SHOWN) {
            text_puts(out, " ...");
            break;
        }
        text_printf(out, "%s[%llu]=", told > 1 ? " " : "", (unsigned long long)n);
        value_print(out, set->element, element_load(set->element, outcome->bytes + n * step));
    }
}

static void add_values(struct text *out, const struct outcome_set *set,
                       const struct outcome *outcome)
{
    unsigned step = element_size(set->element);
    uint64_t total = set->size / step, shown = set->shown < total ? set->shown : total;

    if (shown < total && outcome != set->items) {
        add_differences(out, set, outcome);
        return;
    }

    for (uint64_t n = 0; n < shown; n++) {
        text_puts(out, n ? " " : "");
        value_print(out, set->element, element_load(set->element, outcome->bytes + n * step));
    }
    if (shown < total)
        text_puts(out, " ...");
}

void exploration_print(FILE *to, const struct exploration *e)
{
    for (uint32_t i = 0; i < e->count; i++) {
        const struct outcome_set *set = &e->sets[i];
        fprintf(to, "%s %s, %s[%llu]: %u outcome%s in %llu schedules\n",
                set->variable ? "variable" : "argument", set->name, element_name(set->element),
                (unsigned long long)(set->size / element_size(set->element)), set->count,
                set->count == 1 ? "" : "s", (unsigned long long)e->schedules);
        for (uint32_t k = 0; k < set->count; k++) {
            struct text values = {0};
            add_values(&values, set, &set->items[k]);
            fprintf(to, "  %llu times, as with --replay %llu: %s\n",
                    (unsigned long long)set->items[k].count,
                    (unsigned long long)set->items[k].seed, text_string(&values));
            text_free(&values);
        }
    }
}

char *exploration_json(const struct exploration *e)
{
    struct text out = {0};

    text_printf(&out, "\"schedules\": %llu, \"outcomes\": [", (unsigned long long)e->schedules);
    for (uint32_t i = 0; i < e->count; i++) {
        const struct outcome_set *set = &e->sets[i];
        for (uint32_t k = 0; k < set->count; k++) {
            /* The member of a struct is a string, "0.1", and so is a variable. */
            const char *quote = set->variable || strchr(set->name, '.') ? "\"" : "";
            text_printf(&out, "%s\n  {\"argument\": %s%s%s, \"count\": %llu, \"seed\": %llu, "
                        "\"values\": \"", i || k ? "," : "", quote, set->name, quote,
                        (unsigned long long)set->items[k].count,
                        (unsigned long long)set->items[k].seed);
            add_values(&out, set, &set->items[k]);
            text_puts(&out, "\"}");
        }
    }
    text_puts(&out, "]");
    char *copy = strdup(text_string(&out));
    text_free(&out);
    if (!copy)
        out_of_memory(0);
    return copy;
}

void exploration_free(struct exploration *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        for (uint32_t k = 0; k < e->sets[i].count; k++)
            free(e->sets[i].items[k].bytes);
    arena_free(&e->arena);
}
