/* SPDX-License-Identifier: Apache-2.0
 *
 * histogram.c - writing and reading histograms. */
#include "memmodel/histogram.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memmodel/words.h"

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}

static uint64_t hash_numbers(uint64_t hash, const uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned char bytes[] = {
            (unsigned char)numbers[i], (unsigned char)(numbers[i] >> 8),
            (unsigned char)(numbers[i] >> 16), (unsigned char)(numbers[i] >> 24)};
        hash = hash_bytes(hash, bytes, sizeof bytes);
    }
    return hash;
}

/* Of the threads, the variables and what is shown: everything but comments. */
static uint64_t hash_of(const struct analysis *a)
{
    const struct test *test = a->test;
    uint64_t hash = 0xcbf29ce484222325u;

    for (uint32_t i = 0; i < test->location_count; i++) {
        const struct test_location *l = &test->locations[i];
        const struct test_object *o = &test->objects[l->object];
        hash = hash_bytes(hash, l->name, strlen(l->name) + 1);
        hash = hash_bytes(hash, o->initial, o->size);
    }
    for (uint32_t t = 0; t < test->thread_count; t++) {
        const struct test_thread *p = &test->threads[t];
        const uint32_t place[] = {p->number, p->cluster, p->cta, p->warp, p->lane};
        hash = hash_numbers(hash, place, sizeof place / sizeof *place);
        for (uint32_t i = 0; i < p->code_count; i++) {
            const uint32_t jump[] = {p->code[i].target, p->code[i].guard,
                                     p->code[i].guard_negated};
            hash = hash_numbers(hash, jump, sizeof jump / sizeof *jump);
            hash = hash_bytes(hash, p->code[i].text, strlen(p->code[i].text) + 1);
        }
    }
    for (uint32_t v = 0; v < a->variable_count; v++)
        hash = hash_bytes(hash, a->variables[v].name, strlen(a->variables[v].name) + 1);
    return hash;
}

/* --- writing ------------------------------------------------------------------------- */

void histogram_head(struct text *out, const char *chip, const char *driver)
{
    text_printf(out, "simtlab litmus histograms 1\nchip %s\ndriver %s\n", chip, driver);
}

void histogram_write(struct text *out, struct arena *arena, const struct analysis *a,
                     enum many_place place, uint64_t program, const struct histogram *h)
{
    text_printf(out, "test %s %016" PRIx64 " place %s ptx %016" PRIx64 " instances %" PRIu64
                " unfinished %" PRIu64 "\n", a->test->name, hash_of(a), many_place_name(place),
                program, h->instances, h->unfinished);
    for (uint32_t i = 0; i < h->count; i++)
        text_printf(out, "    %" PRIu64 " %s\n", h->items[i].count,
                    state_words(arena, a, h->items[i].values));
}

/* --- reading -------------------------------------------------------------------------- */

static const char *line_end(const char *text)
{
    while (*text && *text != '\n')
        text++;
    return text;
}

/* Takes a word, or nothing and returns false. */
static bool take(const char **at, const char *end, const char *word)
{
    size_t size = strlen(word);

    if ((size_t)(end - *at) < size || memcmp(*at, word, size))
        return false;
    *at += size;
    return true;
}

static bool take_number(const char **at, const char *end, int base, uint64_t *value)
{
    char *rest;

    if (*at >= end || **at == '-')
        return false;
    *value = strtoull(*at, &rest, base);
    bool good = rest > *at && rest <= end;
    *at = rest;
    return good;
}

/* "P0:%r0=1; x=&y;": the values in the order of the variables. */
static bool read_values(const struct analysis *a, const char *at, const char *end,
                        int64_t *values)
{
    for (uint32_t v = 0; v < a->variable_count; v++) {
        const char *name = a->variables[v].name;
        if ((v && !take(&at, end, " ")) || !take(&at, end, name) || !take(&at, end, "="))
            return false;
        if (take(&at, end, "&")) {
            const char *stop = memchr(at, ';', (size_t)(end - at));
            uint32_t l = 0;
            while (stop && l < a->test->location_count &&
                   (strlen(a->test->locations[l].name) != (size_t)(stop - at) ||
                    memcmp(a->test->locations[l].name, at, (size_t)(stop - at))))
                l++;
            if (!stop || l == a->test->location_count)
                return false;
            values[v] = location_address(a->test, l);
            at = stop;
        } else {
            char *rest;
            values[v] = strtoll(at, &rest, 10);
            if (rest == at || rest > end)
                return false;
            at = rest;
        }
        if (!take(&at, end, ";"))
            return false;
    }
    return at == end;
}

static bool read_items(struct arena *arena, const char *at, const struct analysis *a,
                       struct histogram *h)
{
    while (*at == ' ') {
        const char *end = line_end(at);
        while (*at == ' ')
            at++;
        struct histogram_item *item = ARENA_PUSH(arena, h);
        memset(item, 0, sizeof *item);
        if (!take_number(&at, end, 10, &item->count) || !take(&at, end, " ") ||
            !read_values(a, at, end, item->values))
            return false;
        at = *end ? end + 1 : end;
    }
    return true;
}

static bool read_test_line(const char *at, const char *end, const char *name,
                           const char *place, uint64_t *hash, struct histogram *h)
{
    uint64_t program;

    return take(&at, end, "test ") && take(&at, end, name) && take(&at, end, " ") &&
           take_number(&at, end, 16, hash) && take(&at, end, " place ") &&
           take(&at, end, place) && take(&at, end, " ptx ") &&
           take_number(&at, end, 16, &program) && take(&at, end, " instances ") &&
           take_number(&at, end, 10, &h->instances) && take(&at, end, " unfinished ") &&
           take_number(&at, end, 10, &h->unfinished) && at == end;
}

const char *histogram_find(struct arena *arena, const char *file, const struct analysis *a,
                           enum many_place place, struct recorded_histogram *found)
{
    const char *problem = "the recording does not have the test";
    uint64_t wanted = hash_of(a), hash;

    memset(found, 0, sizeof *found);
    for (const char *at = file; *at;) {
        const char *end = line_end(at), *value = at;
        if (at == file && !take(&value, end, "simtlab litmus histograms 1"))
            return "it is no recording of histograms";
        if (take(&value, end, "chip "))
            found->chip = arena_copy(arena, value, (size_t)(end - value));
        else if (take(&value, end, "driver "))
            found->driver = arena_copy(arena, value, (size_t)(end - value));
        else if (read_test_line(at, end, a->test->name, many_place_name(place), &hash,
                                &found->histogram)) {
            if (hash != wanted)
                problem = "the recording is of another version of the test";
            else
                return read_items(arena, *end ? end + 1 : end, a, &found->histogram)
                           ? NULL : "the recording is malformed";
        }
        at = *end ? end + 1 : end;
    }
    return problem;
}
