/* SPDX-License-Identifier: Apache-2.0
 *
 * report_text.c - a report for people:
 *
 *     error: memory: out-of-bounds: 4-byte write 0 bytes past the end of ...
 *       kernel  vadd
 *       who     block (2,0,0), thread (49,0,0), write
 *       code    st.global.f32 [%rd7], %f4   (vadd.ptx:50)
 *       source  vadd.cu:9
 *          9 |     y[i] = a * x[i] + y[i];
 *            |     ^
 *       address 0x700000190 in global memory
 *       nearest argument 0 (y), 400 bytes at 0x700000000
 *       count   64 times, the first is shown
 *
 * Source lines are quoted when their file can be found: as named, or beside the
 * kernel text. A line that cannot be found is left out. */
#include "config.h"

#include "api/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- source files --------------------------------------------------------------------- */

enum { SOURCE_LIMIT = 64 << 20 };

/* The whole file, or NULL. Regular files only: the name comes from the kernel
 * text, and a pipe would wait for ever. */
static char *read_source(struct arena *arena, const char *path, size_t *size)
{
    struct stat info;
    FILE *file;
    char *bytes = NULL;

    if (stat(path, &info) || !S_ISREG(info.st_mode) || info.st_size > SOURCE_LIMIT)
        return NULL;
    file = fopen(path, "rb");
    if (!file)
        return NULL;
    bytes = arena_alloc(arena, (size_t)info.st_size + 1);
    *size = fread(bytes, 1, (size_t)info.st_size, file);
    fclose(file);
    return bytes;
}

static void quote_source(struct text *out, const char *beside, const struct source_place *place)
{
    struct arena scratch = {0};
    const char *slash = strrchr(beside, '/'), *name = strrchr(place->file, '/');
    int folder = slash ? (int)(slash - beside + 1) : 0;
    size_t size = 0;
    char *source = read_source(&scratch, place->file, &size);

    if (!source)
        source = read_source(&scratch,
                             arena_printf(&scratch, "%.*s%s", folder, beside, place->file), &size);
    if (!source && name)
        source = read_source(&scratch,
                             arena_printf(&scratch, "%.*s%s", folder, beside, name + 1), &size);
    if (source)
        diag_quote(out, source, size, (struct loc){place->line, place->column});
    arena_free(&scratch);
}

/* --- findings --------------------------------------------------------------------------- */

static void add_place(struct text *out, const struct sl_report *report,
                      const struct report_place *place)
{
    if (place->has_thread)
        text_printf(out, "  who     block (%u,%u,%u), thread (%u,%u,%u)%s%s\n", place->block[0],
                    place->block[1], place->block[2], place->thread[0], place->thread[1],
                    place->thread[2], *place->access ? ", " : "", place->access);
    if (place->instruction) {
        if (strcmp(place->function, report->demangled) != 0)
            text_printf(out, "  in      %s\n", place->function);
        text_printf(out, "  %s %s", place->only_order ? "order  " : "code   ",
                    place->instruction);
        if (place->text_line)
            text_printf(out, "   (%s:%u)", report->file, place->text_line);
        text_putc(out, '\n');
    }
    if (!place->frame_count)
        return;
    const struct source_place *main = &place->frames[place->main];
    text_printf(out, "  source  %s:%u\n", main->file, main->line);
    quote_source(out, report->file, main);
    for (uint32_t i = 0; i + 1 < place->frame_count; i++)
        text_printf(out, "  inlined %s%s%s:%u into %s:%u\n",
                    place->frames[i].function ? place->frames[i].function : "",
                    place->frames[i].function ? " at " : "", place->frames[i].file,
                    place->frames[i].line, place->frames[i + 1].file, place->frames[i + 1].line);
}

static void add_finding(struct text *out, const struct sl_report *report,
                        const struct report_finding *finding)
{
    text_printf(out, "%s: %s: %s: %s\n", finding_severity_names[finding->severity],
                finding->category, finding->kind, finding->message);
    text_printf(out, "  kernel  %s\n", report->demangled);
    for (uint32_t i = 0; i < finding->where_count; i++)
        add_place(out, report, &finding->where[i]);
    if (finding->has_address)
        text_printf(out, "  address 0x%llx in %s memory\n", (unsigned long long)finding->address,
                    finding->space);
    if (finding->allocation)
        text_printf(out, "  nearest %s\n", finding->allocation);
    if (finding->has_seed)
        text_printf(out, "  seed    %llu: not every schedule shows it; --replay %llu:%llu does\n",
                    (unsigned long long)finding->seed, (unsigned long long)finding->seed,
                    (unsigned long long)finding->choices);
    if (finding->count > 1)
        text_printf(out, "  count   %llu times, the first is shown\n",
                    (unsigned long long)finding->count);
    text_putc(out, '\n');
}

void report_to_text(struct text *out, const struct sl_report *report)
{
    if (report->error) {
        text_printf(out, "simtlab: %s", report->error);
        return;
    }
    uint32_t shown = 0, suppressed = 0, left_out = 0;
    for (uint32_t i = 0; i < report->finding_count; i++) {
        if (report->findings[i].suppressed) {
            suppressed++;
        } else if (report->print_limit && shown == report->print_limit) {
            left_out++;
        } else {
            add_finding(out, report, &report->findings[i]);
            shown++;
        }
    }
    if (left_out)
        text_printf(out, "%u more findings are not shown (--print-limit)\n", left_out);
    if (report->dropped)
        text_printf(out, "%llu more distinct findings were not kept\n",
                    (unsigned long long)report->dropped);
    text_printf(out, "%s: grid %u,%u,%u, block %u,%u,%u, ", report->demangled,
                report->grid[0], report->grid[1], report->grid[2], report->block[0],
                report->block[1], report->block[2]);
    if (report->executor && strcmp(report->executor, "emu"))
        text_printf(out, "on %s", report->executor); /* which counts nothing */
    else
        text_printf(out, "%llu warp instructions",
                    (unsigned long long)report->warp_instructions);
    if (report->finding_count == suppressed)
        text_puts(out, ", no findings");
    else
        text_printf(out, ", %u finding%s", report->finding_count - suppressed,
                    report->finding_count - suppressed == 1 ? "" : "s");
    text_puts(out, suppressed ? "" : "\n");
    if (suppressed)
        text_printf(out, ", %u suppressed\n", suppressed);
    if (!report->completed)
        text_puts(out, "the launch did not come to its end; results are partial\n");
}
