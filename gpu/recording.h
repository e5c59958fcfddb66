/* SPDX-License-Identifier: Apache-2.0
 *
 * recording.h - what a real GPU answered, as a file.
 *
 * A recording holds the chip and, for each job, the launch, the hash of the
 * PTX, how it ended and the bytes of the outputs. Text lines, with binary
 * blocks where asked; docs/recordings.md describes the format. */
#ifndef SIMTLAB_GPU_RECORDING_H
#define SIMTLAB_GPU_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/element.h"
#include "base/text.h"
#include "base/sha256.h"

enum { RECORDING_VERSION = 1 };

/* The chip and its driver, as strings without newlines. */
struct recording_chip {
    const char *device;  /* "NVIDIA H200" */
    const char *target;  /* "sm_90" */
    const char *driver;  /* "580.159.04" or "unknown" */
    const char *cuda;    /* "13.0" */
};

/* One launch, as the job file says it. Launches of one job share its PTX and its
 * memory; their arguments are counted through, and later ones may be given the
 * buffers of earlier ones: `&N`. */
struct recording_launch {
    const char *name;   /* of the job */
    const char *ptx;    /* file as written in the job file */
    const char *kernel; /* NULL: the file's only one */
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared;
    bool cooperative;
    uint64_t stack, heap, printf_buffer; /* 0: the device's default */
    const char **arguments;
    uint32_t argument_count, first_argument; /* the number of arguments[0] in the job */
    const char **references; /* texref lines: NAME TEXTURE */
    uint32_t reference_count;
    struct recording_launch *next; /* of the job, or NULL; without name, ptx and limits */
};

enum recording_end {
    RECORDING_OK,
    RECORDING_FAULT,   /* the driver's code and name of the kernel's fault */
    RECORDING_REFUSED, /* could not be launched: code 0 or the driver's */
    RECORDING_TIMEOUT, /* still running after code seconds */
    RECORDING_LOST     /* the recorder died: signal code */
};

enum recording_source { RECORDED_ARGUMENT, RECORDED_GLOBAL, RECORDED_PRINTF };

struct recording_output {
    enum recording_source source;
    uint32_t argument; /* RECORDED_ARGUMENT */
    const char *name;  /* RECORDED_GLOBAL */
    enum element element;
    uint64_t count;    /* elements */
    const unsigned char *bytes;
};

struct recording_job {
    struct recording_launch launch;
    char ptx_hash[SHA256_HEX]; /* "" when the file could not be read */
    uint32_t registers, static_shared, local, constant; /* of the compiled kernel */
    bool resources_known;
    enum recording_end end;
    int code;
    const char *text; /* name and text of the driver; "" for OK */
    struct recording_output *items;
    uint32_t count, capacity;
};

struct recording {
    struct recording_chip chip;
    struct recording_job *items;
    uint32_t count, capacity;
};

void recording_write_chip(struct text *out, const struct recording_chip *chip);
/* binary: outputs as raw bytes, else as hexadecimal lines. */
void recording_write_job(struct text *out, const struct recording_job *job, bool binary);

/* Reads a whole recording; all of it is in the arena of diags. False when
 * diags has errors. */
bool recording_read(struct diags *diags, struct recording *recording);

const char *recording_end_name(enum recording_end end);

#endif
