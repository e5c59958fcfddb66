/* SPDX-License-Identifier: Apache-2.0
 *
 * mutate.c - changes kernel text by whole words and statements.
 *
 * Changed bytes hardly ever leave a kernel that reads; exchanged opcodes, types,
 * registers, numbers and lines often do. Words and lines come from every text that
 * was seen, so that what one seed has gets into the others. */
#include "tests/fuzz/mutate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { POOL = 1 << 14, WORD_MOST = 200, TOKENS = 1 << 14 };

enum class { CLASS_SPACE, CLASS_WORD, CLASS_DOT, CLASS_REGISTER, CLASS_NUMBER, CLASS_SIGN, CLASSES };

struct token {
    enum class class;
    const char *at;
    size_t size;
};

/* What was seen, for the life of the program. */
static struct pool {
    char *items[POOL];
    uint32_t count;
} pools[CLASSES + 1]; /* the last: lines */
enum { LINES = CLASSES };

static uint64_t state;

static uint32_t below(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return limit ? (uint32_t)((state >> 33) % limit) : 0;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$';
}

static uint32_t split(const char *text, size_t size, struct token *tokens)
{
    uint32_t count = 0;

    for (const char *at = text, *end = text + size; at < end && count < TOKENS;) {
        const char *start = at++;
        enum class class = CLASS_SIGN;
        if (*start == ' ' || *start == '\n' || *start == '\t' || *start == '\r') {
            class = CLASS_SPACE;
        } else if (*start == '/' && at < end && *at == '/') {
            class = CLASS_SPACE;
            while (at < end && *at != '\n')
                at++;
        } else if (*start == '.' || *start == '%' || is_name(*start)) {
            class = *start == '.'                      ? CLASS_DOT
                    : *start == '%'                    ? CLASS_REGISTER
                    : *start >= '0' && *start <= '9'   ? CLASS_NUMBER
                                                       : CLASS_WORD;
            while (at < end && (is_name(*at) || (class == CLASS_DOT && *at == ':')))
                at++;
        }
        tokens[count++] = (struct token){class, start, (size_t)(at - start)};
    }
    return count;
}

static void keep(struct pool *pool, const char *text, size_t size)
{
    char word[WORD_MOST + 1];

    if (size == 0 || size > WORD_MOST)
        return;
    memcpy(word, text, size);
    word[size] = 0;
    /* Looked for only among a few: it is a pool, not a set. */
    for (uint32_t i = 0; i < 64 && i < pool->count; i++)
        if (!strcmp(pool->items[below(pool->count)], word))
            return;
    uint32_t at = pool->count < POOL ? pool->count++ : below(POOL);
    free(pool->items[at]);
    pool->items[at] = strdup(word);
}

static void learn(const char *text, size_t size, const struct token *tokens, uint32_t count)
{
    if (below(50) != 0 && pools[LINES].count > POOL / 2)
        return;
    for (uint32_t i = 0; i < count; i++)
        if (tokens[i].class != CLASS_SPACE && tokens[i].class != CLASS_SIGN)
            keep(&pools[tokens[i].class], tokens[i].at, tokens[i].size);
    for (const char *at = text, *end = text + size; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        if (length > 4 && memchr(at, ';', length))
            keep(&pools[LINES], at, length);
        at += length + 1;
    }
}

static const char *const numbers[] = {
    "0", "1", "2", "3", "4", "7", "8", "15", "16", "31", "32", "33", "63", "64", "127", "128",
    "255", "256", "1024", "4096", "65535", "0x7fffffff", "0x80000000", "0xffffffff",
    "0x100000000", "0x7fffffffffffffff", "0xffffffffffffffff", "0f7F800000", "0f7FC00000",
    "0f00000001", "0d7FF0000000000000", "-1"};

struct output {
    char *data;
    size_t size, limit;
};

static void put(struct output *out, const char *text, size_t size)
{
    if (size > out->limit - out->size)
        size = out->limit - out->size;
    memcpy(out->data + out->size, text, size);
    out->size += size;
}

static void put_random(struct output *out, enum class class)
{
    struct pool *pool = &pools[class];
    if (class == CLASS_NUMBER && below(2)) {
        const char *number = numbers[below(sizeof numbers / sizeof *numbers)];
        put(out, number, strlen(number));
    } else if (pool->count) {
        const char *word = pool->items[below(pool->count)];
        put(out, word, strlen(word));
    }
}

/* One word exchanged, put in, taken out or doubled. */
static void change_word(struct output *out, const struct token *tokens, uint32_t count)
{
    uint32_t chosen = below(count), how = below(16);
    for (int tries = 0; tries < 50 && tokens[chosen].class == CLASS_SPACE; tries++)
        chosen = below(count);
    for (uint32_t i = 0; i < count; i++) {
        const struct token *t = &tokens[i];
        if (i != chosen) {
            put(out, t->at, t->size);
            continue;
        }
        if (how < 6) { /* by another of its kind in this text */
            uint32_t other = below(count);
            for (int tries = 0; tries < 400 && (tokens[other].class != t->class ||
                 (tokens[other].size == t->size && !memcmp(tokens[other].at, t->at, t->size))); tries++)
                other = below(count);
            bool same = tokens[other].class == t->class;
            put(out, same ? tokens[other].at : t->at, same ? tokens[other].size : t->size);
        } else if (how < 11) {
            put_random(out, t->class);
        } else if (how < 13) {
            put(out, t->at, t->size);
            put_random(out, CLASS_DOT);
        } else if (how < 14) {
            put_random(out, (enum class)(1 + below(CLASSES - 2)));
        } else if (how < 15) {
            put(out, t->at, t->size);
            put(out, t->at, t->size);
        }
    }
}

/* One line exchanged, put in, taken out, doubled or moved. */
static void change_line(struct output *out, const char *text, size_t size)
{
    uint32_t lines = 1, number = 0, how = below(6);
    const char *moved = NULL;
    size_t moved_size = 0;

    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    uint32_t chosen = below(lines), place = below(lines);
    for (int pass = 0; pass < 2; pass++) {
        number = 0;
        for (const char *at = text, *end = text + size; at < end; number++) {
            const char *stop = memchr(at, '\n', (size_t)(end - at));
            size_t length = (size_t)((stop ? stop + 1 : end) - at);
            if (pass == 0) {
                if (number == chosen)
                    moved = at, moved_size = length;
            } else {
                bool here = number == chosen;
                if (here && (how == 0 || how == 1)) {
                    put_random(out, (enum class)LINES);
                    put(out, "\n", 1);
                }
                if (how == 5 && number == place && moved)
                    put(out, moved, moved_size);
                if (!here || how == 1 || how == 3 || how == 4)
                    put(out, at, length);
                if (here && how == 3)
                    put(out, at, length);
            }
            at += length;
        }
    }
}

size_t mutate_kernel(uint8_t *data, size_t size, size_t limit, unsigned seed)
{
    static struct token tokens[TOKENS];
    char *other = malloc(limit + 1);
    uint32_t changes;

    state = (uint64_t)seed * 0x9e3779b97f4a7c15u + 1;
    for (changes = 1 + below(3); changes > 0; changes--) {
        struct output out = {other, 0, limit};
        uint32_t count = split((const char *)data, size, tokens);
        learn((const char *)data, size, tokens, count);
        if (count == 0 || count == TOKENS)
            break;
        if (below(3))
            change_word(&out, tokens, count);
        else
            change_line(&out, (const char *)data, size);
        memcpy(data, other, out.size);
        size = out.size;
    }
    free(other);
    return size;
}
