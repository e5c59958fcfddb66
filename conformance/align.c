/* SPDX-License-Identifier: Apache-2.0
 *
 * align.c - see align.h. */
#include "conformance/align.h"

#include <string.h>

#include "base/text.h"

/* --- text of instructions ------------------------------------------------------------- */

/* Where each line of the text starts. */
struct line_table {
    const char **start;
    uint32_t count;
};

static struct line_table lines_of(struct arena *arena, const struct ir_module *module)
{
    struct line_table table = {0};
    const char *at = module->source, *end = at + module->source_size;
    uint32_t count = 1;

    for (const char *c = at; at && c < end; c++)
        count += *c == '\n';
    table.start = ARENA_NEW_ARRAY(arena, count + 1, const char *);
    while (at && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        table.start[table.count++] = at;
        at = newline ? newline + 1 : end;
    }
    return table;
}

/* Where the statement at c begins if a guard stands before it in the line. */
static const char *guarded(const char *line, const char *c)
{
    const char *at = c;

    while (at > line && (unsigned char)at[-1] <= ' ')
        at--;
    const char *end = at;
    while (at > line && (unsigned char)at[-1] > ' ' && !strchr("@!;{}:", at[-1]))
        at--;
    if (at == end)
        return c;
    while (at > line && (at[-1] == '!' || (unsigned char)at[-1] <= ' '))
        at--;
    return at > line && at[-1] == '@' ? at - 1 : c;
}

static const char *statement_at(struct arena *arena, const struct line_table *lines,
                                const char *end, struct loc at)
{
    enum { LONGEST = 240 };
    struct text out = {0};
    bool blank = false;

    if (!at.line || at.line > lines->count)
        return "";
    const char *c = guarded(lines->start[at.line - 1],
                            lines->start[at.line - 1] + (at.column ? at.column - 1 : 0));
    for (; c < end && *c != ';' && out.size < LONGEST; c++) {
        if (*c == '/' && end - c > 1 && c[1] == '/') {
            while (c + 1 < end && c[1] != '\n')
                c++;
            blank = true;
        } else if ((unsigned char)*c <= ' ') {
            blank = true;
        } else {
            if (blank && out.size)
                text_putc(&out, ' ');
            blank = false;
            text_putc(&out, *c);
        }
    }
    const char *copy = arena_strdup(arena, text_string(&out));
    text_free(&out);
    return copy;
}

const char *statement_text(struct arena *arena, const struct ir_module *module, struct loc at)
{
    struct line_table lines = lines_of(arena, module);

    return statement_at(arena, &lines, module->source + module->source_size, at);
}

/* --- matching ----------------------------------------------------------------------------- */

/* What is compared: the statement, and which of its instructions it is. */
struct key {
    const char *text, *product; /* of the mul that was taken into it, or "" */
    uint32_t op, turn;
};

static struct key *keys_of(struct arena *arena, const struct ir_module *module,
                           const struct ir_function *function)
{
    struct line_table lines = lines_of(arena, module);
    struct key *keys = ARENA_NEW_ARRAY(arena, function->inst_count + 1, struct key);
    struct loc last = {0};
    uint32_t turn = 0;

    for (uint32_t i = 0; i < function->inst_count; i++) {
        struct loc at = module->locations[function->insts[i].loc].at;
        bool same = i && at.line == last.line && at.column == last.column;
        turn = same ? turn + 1 : 0;
        const struct ir_location *location = &module->locations[function->insts[i].loc];
        keys[i] = (struct key){same ? keys[i - 1].text
                                    : statement_at(arena, &lines,
                                                   module->source + module->source_size, at),
                               statement_at(arena, &lines, module->source + module->source_size,
                                            location->product),
                               function->insts[i].op, turn};
        last = at;
    }
    return keys;
}

static bool same_key(const struct key *a, const struct key *b)
{
    return a->op == b->op && a->turn == b->turn && !strcmp(a->text, b->text) &&
           !strcmp(a->product, b->product);
}

struct matcher {
    struct arena *arena;
    struct alignment *alignment;
    const struct key *left, *right;
    uint32_t *left_number, *right_number;
    uint32_t next; /* number to give */
};

static void pair(struct matcher *m, uint32_t left, uint32_t right, bool altered)
{
    m->left_number[left] = m->right_number[right] = m->next++;
    m->alignment->paired++;
    m->alignment->altered += altered;
}

/* Instructions between two matches. */
static void gap(struct matcher *m, uint32_t left, uint32_t left_end, uint32_t right,
                uint32_t right_end)
{
    bool paired = left_end - left == right_end - right;

    while (paired && left < left_end)
        pair(m, left++, right++, true);
    m->alignment->unpaired[0] += left_end - left;
    m->alignment->unpaired[1] += right_end - right;
}

/* The longest common subsequence; what is alike at both ends is taken off first, and
 * the rest must be small enough for a table. */
static void match(struct matcher *m, uint32_t left_count, uint32_t right_count)
{
    enum { MOST = 4000 };
    uint32_t head = 0, left_end = left_count, right_end = right_count;

    while (head < left_end && head < right_end && same_key(&m->left[head], &m->right[head])) {
        pair(m, head, head, false);
        head++;
    }
    while (left_end > head && right_end > head &&
           same_key(&m->left[left_end - 1], &m->right[right_end - 1])) {
        left_end--;
        right_end--;
    }
    uint32_t rows = left_end - head, columns = right_end - head, i = 0, k = 0;
    uint32_t left_from = head, right_from = head;
    if (rows <= MOST && columns <= MOST) {
        /* longest[i][k]: of what begins at row i and column k */
        size_t width = columns + 1;
        uint16_t *longest = arena_array(m->arena, (rows + 1) * width, sizeof *longest);
        for (uint32_t r = rows; r-- > 0;)
            for (uint32_t c = columns; c-- > 0;) {
                uint16_t down = longest[(r + 1) * width + c], right = longest[r * width + c + 1];
                longest[r * width + c] =
                    same_key(&m->left[head + r], &m->right[head + c])
                        ? (uint16_t)(longest[(r + 1) * width + c + 1] + 1)
                        : down > right ? down : right;
            }
        while (i < rows && k < columns) {
            if (same_key(&m->left[head + i], &m->right[head + k])) {
                gap(m, left_from, head + i, right_from, head + k);
                pair(m, head + i++, head + k++, false);
                left_from = head + i;
                right_from = head + k;
            } else if (longest[(i + 1) * width + k] >= longest[i * width + k + 1]) {
                i++;
            } else {
                k++;
            }
        }
    }
    gap(m, left_from, left_end, right_from, right_end);
    while (left_end < left_count)
        pair(m, left_end++, right_end++, false);
}

static const struct ir_function *function_named(const struct ir_module *module, const char *name,
                                                uint32_t *index)
{
    for (*index = 0; *index < module->function_count; ++*index)
        if (!strcmp(module->functions[*index].name, name) &&
            module->functions[*index].block_count)
            return &module->functions[*index];
    return NULL;
}

static void numbering_begin(struct arena *arena, struct numbering *numbering,
                            const struct ir_module *module)
{
    numbering->module = module;
    numbering->number = ARENA_NEW_ARRAY(arena, module->function_count + 1, uint32_t *);
    for (uint32_t f = 0; f < module->function_count; f++) {
        uint32_t count = module->functions[f].inst_count;
        numbering->number[f] = ARENA_NEW_ARRAY(arena, count + 1, uint32_t);
        for (uint32_t i = 0; i < count; i++)
            numbering->number[f][i] = UNPAIRED;
    }
}

void modules_align(struct arena *arena, const struct ir_module *left,
                   const struct ir_module *right, struct alignment *alignment)
{
    struct matcher m = {.arena = arena, .alignment = alignment};

    *alignment = (struct alignment){0};
    numbering_begin(arena, &alignment->side[0], left);
    numbering_begin(arena, &alignment->side[1], right);
    for (uint32_t f = 0; f < left->function_count; f++) {
        const struct ir_function *one = &left->functions[f], *other;
        uint32_t g;
        if (!one->block_count || !(other = function_named(right, one->name, &g)))
            continue;
        m.left = keys_of(arena, left, one);
        m.right = keys_of(arena, right, other);
        m.left_number = alignment->side[0].number[f];
        m.right_number = alignment->side[1].number[g];
        match(&m, one->inst_count, other->inst_count);
    }
}
