/* SPDX-License-Identifier: Apache-2.0
 *
 * sha256.h - the SHA-256 hash (FIPS 180-4), to tell files apart. */
#ifndef SIMTLAB_BASE_SHA256_H
#define SIMTLAB_BASE_SHA256_H

#include <stddef.h>

enum { SHA256_HEX = 65 };

/* The hash of the bytes as 64 lower-case hexadecimal digits and a zero. */
void sha256_hex(const void *data, size_t size, char hex[SHA256_HEX]);

#endif
