/* SPDX-License-Identifier: Apache-2.0
 *
 * check_codegen.c - what codegen writes does the same as what it was written from.
 *
 * Every golden kernel is written as PTX again and then must pass its own file:
 * outputs, printed text, findings and status. The expectations are those of the file,
 * which come from the manual and from hardware. SIMTLAB_GOLDEN=area/name runs one. */
#include "codegen/codegen.h"

#include <dirent.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "frontend/ptx/ptx.h"
#include "tests/golden.h"
#include "tests/suite.h"

enum { MAX_FILES = 1000 };

static char *files[MAX_FILES];
static int file_count;

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void find_files(const char *folder)
{
    const char *only = getenv("SIMTLAB_GOLDEN");
    DIR *areas = opendir(folder);

    for (struct dirent *area; areas && (area = readdir(areas));) {
        char path[4096];
        if (area->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, area->d_name);
        DIR *names = opendir(path);
        for (struct dirent *name; names && (name = readdir(names));) {
            size_t length = strlen(name->d_name);
            char *file = malloc(strlen(area->d_name) + length + 2);
            sprintf(file, "%s/%s", area->d_name, name->d_name);
            bool wanted = length > 4 && !strcmp(name->d_name + length - 4, ".ptx") &&
                          (!only || strstr(file, only));
            if (wanted && file_count < MAX_FILES)
                files[file_count++] = file;
            else
                free(file);
        }
        if (names)
            closedir(names);
    }
    if (areas)
        closedir(areas);
    qsort(files, (size_t)file_count, sizeof *files, by_name);
}

/* NULL: the text is no PTX that can be read, which is what its file is about. */
static struct ir_module *read_module(struct arena *arena, const char *name, const char *text,
                                     size_t size)
{
    struct diags diags = {.arena = arena, .name = name, .source = text, .source_size = size};
    struct ir_module *module = ptx_read(arena, name, text, size, &diags);

    return module && !diags.errors && ir_verify(module, &diags) ? module : NULL;
}

static char *written(struct arena *arena, const struct ir_module *module, bool llvm,
                     size_t *size)
{
    struct diags diags = {.arena = arena, .name = module->name, .source = module->source,
                          .source_size = module->source_size};
    struct codegen_options options = {.llvm = llvm};
    struct text out = {0}, why = {0};

    if (!codegen_write(module, &options, &out, &diags)) {
        diag_print(&why, &diags);
        ck_abort_msg("%s", text_string(&why));
    }
    *size = out.size;
    char *copy = arena_copy(arena, text_string(&out), out.size);
    text_free(&out);
    return copy;
}

/* LLVM sees that x + d - d is x, so that a bad d is nobody's address any more. */
static bool finds_otherwise(const char *file)
{
    return !strcmp(file, "init/address.ptx");
}

/* Line numbers are those of the original. */
static struct golden_launch without_lines(struct arena *arena, const struct golden_launch *launch)
{
    struct golden_launch copy = *launch;

    copy.findings.items =
        ARENA_NEW_ARRAY(arena, launch->findings.count, struct golden_finding);
    for (uint32_t f = 0; f < launch->findings.count; f++) {
        copy.findings.items[f] = launch->findings.items[f];
        copy.findings.items[f].ptx_line = 0;
    }
    return copy;
}

START_TEST(same_results)
{
    struct arena arena = {0};
    struct text why = {0};
    struct golden_file file;
    char *path = arena_printf(&arena, "%s/tests/golden/%s", SIMTLAB_SOURCE_DIR, files[_i]);
    const char *problem;
    size_t size;
    char *text = file_read(&arena, path, &size, &problem);
    bool fine = true;

    ck_assert_msg(text != NULL, "%s: %s", path, problem);
    ck_assert_msg(golden_read(&arena, files[_i], text, size, &file, &why), "%s",
                  text_string(&why));
    struct ir_module *module = read_module(&arena, files[_i], text, size);
    if (module) {
        file.text = written(&arena, module, false, &file.size);
        for (uint32_t i = 0; i < file.launches.count; i++) {
            struct golden_launch launch = without_lines(&arena, &file.launches.items[i]);
            if (!finds_otherwise(files[_i]) || !launch.findings.count)
                fine &= golden_run(&file, &launch, launch.seed, &why);
        }
    }
    ck_assert_msg(fine, "%s", text_string(&why));
    text_free(&why);
    arena_free(&arena);
}
END_TEST

/* LLVM reads its IR back and finds nothing wrong in it. */
START_TEST(llvm_is_valid)
{
    struct arena arena = {0};
    char *path = arena_printf(&arena, "%s/tests/golden/%s", SIMTLAB_SOURCE_DIR, files[_i]);
    const char *problem;
    size_t size;
    char *text = file_read(&arena, path, &size, &problem), *message = NULL;
    struct ir_module *module = read_module(&arena, files[_i], text, size);

    if (module) {
        LLVMContextRef context = LLVMContextCreate();
        LLVMModuleRef read = NULL;
        text = written(&arena, module, true, &size);
        LLVMMemoryBufferRef buffer =
            LLVMCreateMemoryBufferWithMemoryRange(text, size, files[_i], 1);
        ck_assert_msg(!LLVMParseIRInContext(context, buffer, &read, &message), "%s", message);
        ck_assert_msg(!LLVMVerifyModule(read, LLVMReturnStatusAction, &message), "%s", message);
        LLVMDisposeMessage(message);
        LLVMDisposeModule(read);
        LLVMContextDispose(context);
    }
    arena_free(&arena);
}
END_TEST

SUITE("codegen", {
    find_files(SIMTLAB_SOURCE_DIR "/tests/golden");
    if (!file_count)
        return EXIT_FAILURE;
    LOOP_TEST(same_results, 0, file_count);
    LOOP_TEST(llvm_is_valid, 0, file_count);
})
