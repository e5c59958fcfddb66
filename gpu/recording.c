/* SPDX-License-Identifier: Apache-2.0
 *
 * recording.c - writing and reading recordings; docs/recordings.md has the
 * format. A binary block stands behind the line that gives its size and ends
 * with a newline of its own. */
#include "gpu/recording.h"

#include <string.h>

#include "gpu/launch_lines.h"

static const char *const END_NAMES[] = {"ok", "fault", "refused", "timeout", "lost"};
enum { END_COUNT = 5, HEX_LINE = 32 };

const char *recording_end_name(enum recording_end end)
{
    return END_NAMES[end];
}

/* --- writing ---------------------------------------------------------------- */

void recording_write_chip(struct text *out, const struct recording_chip *chip)
{
    text_printf(out, "simtlab-recording %d\ndevice %s\ntarget %s\ndriver %s\ncuda %s\n",
                RECORDING_VERSION, chip->device, chip->target, chip->driver, chip->cuda);
}

static bool all_equal(const struct recording_output *output, unsigned size)
{
    for (uint64_t i = 1; i < output->count; i++)
        if (memcmp(output->bytes, output->bytes + i * size, size))
            return false;
    return output->count > 1;
}

static void write_hex(struct text *out, const unsigned char *bytes, uint64_t size)
{
    static const char DIGITS[] = "0123456789abcdef";

    for (uint64_t i = 0; i < size; i++) {
        text_putc(out, DIGITS[bytes[i] >> 4]);
        text_putc(out, DIGITS[bytes[i] & 15]);
        if (i % HEX_LINE == HEX_LINE - 1 || i == size - 1)
            text_putc(out, '\n');
    }
}

static void write_output(struct text *out, const struct recording_output *output, bool binary)
{
    unsigned size = element_size(output->element);

    switch (output->source) {
    case RECORDED_ARGUMENT:
        text_printf(out, "output %u", output->argument);
        break;
    case RECORDED_GLOBAL:
        text_printf(out, "global %s", output->name);
        break;
    case RECORDED_PRINTF:
        text_puts(out, "printed text");
        break;
    }
    text_printf(out, " %s %llu ", element_name(output->element),
                (unsigned long long)output->count);
    if (all_equal(output, size)) {
        text_puts(out, "fill ");
        write_hex(out, output->bytes, size);
    } else if (binary) {
        text_puts(out, "raw\n");
        text_add(out, (const char *)output->bytes, (size_t)(output->count * size));
        text_putc(out, '\n');
    } else {
        text_puts(out, "hex\n");
        write_hex(out, output->bytes, output->count * size);
    }
}

void recording_write_job(struct text *out, const struct recording_job *job, bool binary)
{
    text_printf(out, "\njob %s\n", job->launch.name);
    launch_lines_write(out, &job->launch);
    if (job->ptx_hash[0])
        text_printf(out, "sha256 %s\n", job->ptx_hash);
    if (job->resources_known)
        text_printf(out, "resources %u %u %u %u\n", job->registers, job->static_shared,
                    job->local, job->constant);
    text_printf(out, "end %s", END_NAMES[job->end]);
    if (job->end != RECORDING_OK) {
        text_printf(out, " %d ", job->code);
        /* The driver's texts are one line; an error log's may not be. */
        for (const char *c = job->text ? job->text : ""; *c; c++)
            text_putc(out, *c == '\n' || *c == '\r' ? ' ' : *c);
    }
    text_putc(out, '\n');
    for (uint32_t i = 0; i < job->count; i++)
        write_output(out, &job->items[i], binary);
}

/* --- reading ---------------------------------------------------------------- */

struct input {
    struct diags *diags;
    struct lines lines;
};

static char *copy_value(struct input *in, const struct line *line)
{
    return arena_copy(in->diags->arena, line->value, line->value_size);
}

static bool same(const char *word, size_t size, const char *text)
{
    return strlen(text) == size && !memcmp(word, text, size);
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Takes 2 * size digits, with newlines allowed between bytes. */
static bool read_hex(struct input *in, const char **at, const char *end, unsigned char *bytes,
                     uint64_t size)
{
    for (uint64_t i = 0; i < size; i++) {
        while (*at < end && **at == '\n') {
            (*at)++;
            in->lines.number++;
        }
        if (end - *at < 2 || hex_value((*at)[0]) < 0 || hex_value((*at)[1]) < 0)
            return false;
        bytes[i] = (unsigned char)(hex_value((*at)[0]) << 4 | hex_value((*at)[1]));
        *at += 2;
    }
    return true;
}

/* The bytes as they stand, and the newline behind them. */
static bool read_raw(struct input *in, unsigned char *bytes, uint64_t size)
{
    const char *at = in->lines.at;

    if ((uint64_t)(in->lines.end - at) <= size || at[size] != '\n')
        return false;
    memcpy(bytes, at, (size_t)size);
    for (uint64_t i = 0; i <= size; i++)
        in->lines.number += at[i] == '\n';
    in->lines.at = at + size + 1;
    return true;
}

static bool read_contents(struct input *in, const char *encoding, size_t encoding_size,
                          const char *fill, size_t fill_size, uint64_t total,
                          struct recording_output *output)
{
    unsigned char *bytes = arena_alloc(in->diags->arena, (size_t)total);
    unsigned size = element_size(output->element);

    output->bytes = bytes;
    if (same(encoding, encoding_size, "raw"))
        return read_raw(in, bytes, total);
    if (same(encoding, encoding_size, "hex"))
        return read_hex(in, &in->lines.at, in->lines.end, bytes, total);
    if (!same(encoding, encoding_size, "fill") || total == 0 || fill_size != 2 * size ||
        !read_hex(in, &fill, fill + fill_size, bytes, size))
        return false;
    for (uint64_t i = 1; i < output->count; i++)
        memcpy(bytes + i * size, bytes, size);
    return true;
}

/* output N TYPE COUNT ENCODING [FILL]; global NAME ...; printed text ... */
static void read_output(struct input *in, const struct line *line, struct recording_job *job)
{
    const char *words[5];
    size_t sizes[5];
    uint32_t count = line_words(line, 5, words, sizes);
    struct recording_output *output = ARENA_PUSH(in->diags->arena, job);
    uint64_t index = 0;

    if (count < 4 || count > 5 ||
        !element_find(words[1], sizes[1], &output->element) ||
        element_parse(ELEMENT_U64, words[2], sizes[2], &output->count) ||
        output->count > UINT64_MAX / 64) {
        diag_error(in->diags, line->at, "an output needs what, type, count and encoding");
        job->count--;
        return;
    }
    output->name = "";
    if (line_is(line, "output")) {
        output->source = RECORDED_ARGUMENT;
        if (element_parse(ELEMENT_U32, words[0], sizes[0], &index))
            diag_error(in->diags, line->value_at, "an output needs an argument's number");
        output->argument = (uint32_t)index;
    } else if (line_is(line, "global")) {
        output->source = RECORDED_GLOBAL;
        output->name = arena_copy(in->diags->arena, words[0], sizes[0]);
    } else {
        output->source = RECORDED_PRINTF;
    }
    /* Bytes that are written out are in the file; a fill says how many there
     * are in so many words, so it gets a bound: 1 GiB. */
    uint64_t total = output->count * element_size(output->element);
    bool is_fill = count == 5;
    uint64_t room = is_fill ? UINT64_C(1) << 30 : (uint64_t)(in->lines.end - in->lines.at);
    if (total > room ||
        !read_contents(in, words[3], sizes[3], is_fill ? words[4] : "", is_fill ? sizes[4] : 0,
                       total, output)) {
        diag_error(in->diags, line->at, "the bytes of this output are damaged or missing");
        in->lines.at = in->lines.end; /* what follows cannot be told apart */
        job->count--;
    }
}

static void read_resources(struct input *in, const struct line *line, struct recording_job *job)
{
    uint32_t *const to[4] = {&job->registers, &job->static_shared, &job->local,
                             &job->constant};
    const char *words[4];
    size_t sizes[4];
    uint64_t value;
    uint32_t count = line_words(line, 4, words, sizes);

    for (uint32_t i = 0; i < 4; i++) {
        if (count != 4 || element_parse(ELEMENT_U32, words[i], sizes[i], &value)) {
            diag_error(in->diags, line->value_at, "resources needs four numbers");
            return;
        }
        *to[i] = (uint32_t)value;
    }
    job->resources_known = true;
}

/* end ok, or end WORD CODE TEXT */
static void read_end(struct input *in, const struct line *line, struct recording_job *job)
{
    const char *at = line->value, *end = at + line->value_size;
    const char *space = memchr(at, ' ', line->value_size);
    size_t size = space ? (size_t)(space - at) : line->value_size;
    int which = 0;
    uint64_t code = 0;

    while (which < END_COUNT && !same(at, size, END_NAMES[which]))
        which++;
    if (which == END_COUNT) {
        diag_error(in->diags, line->value_at, "end needs ok, fault, refused, timeout or lost");
        return;
    }
    job->end = (enum recording_end)which;
    job->text = "";
    if (which == RECORDING_OK)
        return;
    at = space ? space + 1 : end;
    space = memchr(at, ' ', (size_t)(end - at));
    size = space ? (size_t)(space - at) : (size_t)(end - at);
    if (element_parse(ELEMENT_S32, at, size, &code))
        diag_error(in->diags, line->value_at, "end needs a code");
    job->code = (int)(int32_t)(uint32_t)code;
    if (space)
        job->text = arena_copy(in->diags->arena, space + 1, (size_t)(end - space - 1));
}

static void read_job_line(struct input *in, const struct line *line, struct recording_job *job,
                          struct launch_reader *reader)
{
    if (launch_line_read(in->diags, line, reader))
        return;
    if (line_is(line, "sha256")) {
        if (line->value_size != SHA256_HEX - 1)
            diag_error(in->diags, line->value_at, "sha256 needs 64 digits");
        else
            memcpy(job->ptx_hash, line->value, SHA256_HEX - 1);
    } else if (line_is(line, "resources")) {
        read_resources(in, line, job);
    } else if (line_is(line, "end")) {
        read_end(in, line, job);
    } else if (line_is(line, "output") || line_is(line, "global") || line_is(line, "printed")) {
        read_output(in, line, job);
    } else {
        diag_error(in->diags, line->at, "'%.*s' is not known in a recording",
                   (int)(line->key_size < 40 ? line->key_size : 40), line->key);
    }
}

static void read_chip_line(struct input *in, const struct line *line,
                           struct recording_chip *chip)
{
    if (line_is(line, "device"))
        chip->device = copy_value(in, line);
    else if (line_is(line, "target"))
        chip->target = copy_value(in, line);
    else if (line_is(line, "driver"))
        chip->driver = copy_value(in, line);
    else if (line_is(line, "cuda"))
        chip->cuda = copy_value(in, line);
    else
        diag_error(in->diags, line->at, "'%.*s' is not known before the first job",
                   (int)(line->key_size < 40 ? line->key_size : 40), line->key);
}

bool recording_read(struct diags *diags, struct recording *recording)
{
    struct input in = {diags, {diags->source, diags->source + diags->source_size, 1}};
    struct recording_job *job = NULL;
    struct launch_reader reader = {0};
    struct line line;
    uint64_t version;

    *recording = (struct recording){.chip = {"unknown", "unknown", "unknown", "unknown"}};
    if (!line_next(&in.lines, &line) || !line_is(&line, "simtlab-recording") ||
        !line_number(&line, &version)) {
        diag_error(diags, (struct loc){1, 1}, "this is no recording; those begin with "
                   "'simtlab-recording 1'");
        return false;
    }
    if (version != RECORDING_VERSION) {
        diag_error(diags, line.value_at, "recordings of version %llu cannot be read, only %d",
                   (unsigned long long)version, RECORDING_VERSION);
        return false;
    }
    while (line_next(&in.lines, &line)) {
        if (line_is(&line, "job")) {
            job = ARENA_PUSH(diags->arena, recording);
            job->launch.name = copy_value(&in, &line);
            job->text = "";
            reader = launch_reader_begin(&job->launch);
        } else if (job) {
            read_job_line(&in, &line, job, &reader);
        } else {
            read_chip_line(&in, &line, &recording->chip);
        }
    }
    return diags->errors == 0;
}
