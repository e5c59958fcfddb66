/* SPDX-License-Identifier: Apache-2.0
 *
 * case.c - see case.h. */
#include "config.h"

#include "conformance/case.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "gpu/job.h"
#include "gpu/launch_lines.h"

static bool exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

static bool source_read(struct arena *arena, const char *path, struct diags *diags,
                        struct text *error)
{
    const char *why;

    *diags = (struct diags){.arena = arena, .name = path};
    diags->source = file_read(arena, path, &diags->source_size, &why);
    if (!diags->source)
        text_printf(error, "%s: cannot be read: %s\n", path, why);
    return diags->source != NULL;
}

static struct recording *recording_open(struct arena *arena, const char *path,
                                        struct text *error)
{
    struct recording *recording = ARENA_NEW(arena, struct recording);
    struct diags diags;

    if (!source_read(arena, path, &diags, error))
        return NULL;
    if (recording_read(&diags, recording))
        return recording;
    diag_print(error, &diags);
    return NULL;
}

static void add(struct arena *arena, struct case_list *list, const char *path,
                const char *sources, const struct recording *recording,
                const struct recording_job *job)
{
    *ARENA_PUSH(arena, list) = (struct conform_case){
        .recording = path, .sources = sources, .target = recording->chip.target,
        .device = recording->chip.device, .recorded = job};
}

static bool add_recording(struct arena *arena, const char *path, const char *sources,
                          struct case_list *list, struct text *error)
{
    const struct recording *recording = recording_open(arena, path, error);

    /* file_beside wants a file of the folder. */
    sources = sources ? arena_printf(arena, "%s/.", sources) : path;
    for (uint32_t i = 0; recording && i < recording->count; i++)
        add(arena, list, path, sources, recording, &recording->items[i]);
    return recording != NULL;
}

static bool same_launch(const struct recording_launch *a, const struct recording_launch *b)
{
    struct text left = {0}, right = {0};

    launch_lines_write(&left, a);
    launch_lines_write(&right, b);
    bool same = !strcmp(text_string(&left), text_string(&right));
    text_free(&left);
    text_free(&right);
    return same;
}

/* What is asked, with nothing answered. */
static void add_unrecorded(struct arena *arena, const char *path, const struct job *job,
                           struct case_list *list)
{
    struct recording_job *asked = ARENA_NEW(arena, struct recording_job);

    *asked = (struct recording_job){.launch = job->launch, .end = RECORDING_OK, .text = ""};
    for (uint32_t i = 0; i < job->output_count; i++)
        *ARENA_PUSH(arena, asked) = (struct recording_output){
            .source = RECORDED_ARGUMENT, .argument = job->outputs[i], .name = ""};
    for (uint32_t i = 0; i < job->global_count; i++)
        *ARENA_PUSH(arena, asked) =
            (struct recording_output){.source = RECORDED_GLOBAL, .name = job->globals[i].name,
                                      .element = job->globals[i].element};
    *ARENA_PUSH(arena, list) = (struct conform_case){
        .recording = path, .sources = path, .target = "", .device = "", .recorded = asked};
}

static bool add_job_file(struct arena *arena, const char *path, struct case_list *list,
                         struct text *error)
{
    const char *other = arena_printf(arena, "%.*srec", (int)strlen(path) - 3, path);
    struct diags diags;
    struct job_list jobs;

    if (!source_read(arena, path, &diags, error))
        return false;
    if (!job_list_read(&diags, &jobs)) {
        diag_print(error, &diags);
        return false;
    }
    for (uint32_t i = 0; list->unrecorded && i < jobs.count; i++)
        add_unrecorded(arena, path, &jobs.items[i], list);
    if (list->unrecorded)
        return true;
    if (!exists(other)) {
        text_printf(error, "%s: not recorded yet, there is no %s; on a GPU machine: "
                           "simtlab-record --beside %s\n", path, other, path);
        return false;
    }
    const struct recording *recording = recording_open(arena, other, error);
    if (!recording)
        return false;
    bool good = true;
    for (uint32_t i = 0; i < jobs.count; i++) {
        const struct job *job = &jobs.items[i];
        const struct recording_job *found = NULL;
        for (uint32_t k = 0; k < recording->count; k++)
            if (!strcmp(recording->items[k].launch.name, job->launch.name))
                found = &recording->items[k];
        if (found && same_launch(&found->launch, &job->launch)) {
            add(arena, list, other, path, recording, found);
            continue;
        }
        text_printf(error, "%s:%u: job %s is %s in %s; record it again\n", path, job->at.line,
                    job->launch.name, found ? "another launch" : "not", other);
        good = false;
    }
    return good;
}

/* --- folders --------------------------------------------------------------------------- */

static bool add_path(struct arena *arena, const char *path, const char *sources,
                     struct case_list *list, struct text *error);

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static bool is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* A folder itself and not a link to one: links may go round in circles. */
static bool is_inner_folder(const char *path, const char *name)
{
    struct stat info;

    return name[0] != '.' && lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* A folder may hold folders, and some of them no cases. */
static bool add_folder(struct arena *arena, const char *path, const char *sources,
                       struct case_list *list, struct text *error)
{
    struct {
        const char **items;
        uint32_t count, capacity;
    } names = {0};
    DIR *folder = opendir(path);
    bool good = true;

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char *name = arena_printf(arena, "%s/%s", path, entry->d_name);
        /* A recording with a job file beside it is that one's. */
        bool wanted = is_inner_folder(name, entry->d_name) || file_name_ends(name, ".job") ||
                      (file_name_ends(name, ".rec") &&
                       !exists(arena_printf(arena, "%.*sjob", (int)strlen(name) - 3, name)));
        if (wanted)
            *ARENA_PUSH(arena, &names) = name;
    }
    if (folder)
        closedir(folder);
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, by_name);
    for (uint32_t i = 0; i < names.count; i++)
        good &= add_path(arena, names.items[i], sources, list, error);
    return good;
}

static bool add_path(struct arena *arena, const char *path, const char *sources,
                     struct case_list *list, struct text *error)
{
    if (is_folder(path))
        return add_folder(arena, path, sources, list, error);
    return file_name_ends(path, ".job") ? add_job_file(arena, path, list, error)
                                   : add_recording(arena, path, sources, list, error);
}

bool cases_add(struct arena *arena, const char *path, const char *sources,
               struct case_list *list, struct text *error)
{
    uint32_t before = list->count;
    bool good = add_path(arena, path, sources, list, error);

    if (good && list->count == before && is_folder(path)) {
        text_printf(error, "%s: holds no .job and no .rec file\n", path);
        return false;
    }
    return good;
}

struct conform_case case_of_launch(const struct recording_job *launch, const char *sources,
                                   const char *target, const char *ptx, size_t ptx_size)
{
    return (struct conform_case){.recording = "", .sources = sources, .target = target,
                                 .device = "", .recorded = launch, .ptx = ptx, .ptx_size = ptx_size};
}

const struct recording_launch *case_last_launch(const struct conform_case *c)
{
    const struct recording_launch *launch = &c->recorded->launch;

    while (launch->next)
        launch = launch->next;
    return launch;
}

const char *case_open(struct arena *arena, struct conform_case *c)
{
    const char *name = c->recorded->launch.ptx, *why;
    char hash[SHA256_HEX];

    if (!name)
        return "the recording names no PTX";
    const char *path = file_beside(arena, c->sources, name);
    c->ptx = file_read(arena, path, &c->ptx_size, &why);
    if (!c->ptx)
        return arena_printf(arena, "%s: %s", path, why);
    sha256_hex(c->ptx, c->ptx_size, hash);
    /* A job that was lost or hung has no hash. */
    if (*c->recorded->ptx_hash && strcmp(hash, c->recorded->ptx_hash))
        return arena_printf(arena, "%s is not the text that was recorded", path);
    return NULL;
}
