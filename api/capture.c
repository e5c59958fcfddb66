/* SPDX-License-Identifier: Apache-2.0
 *
 * capture.c - see capture.h. */
#include "config.h"

#include "api/capture.h"

#include <unistd.h>

bool capture_begin(struct capture *capture)
{
    capture->file = tmpfile();
    if (!capture->file)
        return false;
    fflush(stdout);
    capture->standard_output = dup(STDOUT_FILENO);
    if (capture->standard_output >= 0) {
        if (dup2(fileno(capture->file), STDOUT_FILENO) >= 0)
            return true;
        close(capture->standard_output);
    }
    fclose(capture->file);
    return false;
}

void capture_end(struct capture *capture, sl_print_function *print, void *self)
{
    char piece[4096];
    size_t got;

    fflush(stdout); /* the driver may use it, too */
    dup2(capture->standard_output, STDOUT_FILENO);
    close(capture->standard_output);
    rewind(capture->file);
    while ((got = fread(piece, 1, sizeof piece, capture->file)) > 0)
        print(self, piece, got);
    fclose(capture->file);
}
