/* SPDX-License-Identifier: Apache-2.0
 *
 * host.h - which of the loops that exist once for each vector instruction set run on this
 * host. */
#ifndef SIMTLAB_EMU_HOST_H
#define SIMTLAB_EMU_HOST_H

enum host_vectors { HOST_GENERIC, HOST_AVX2, HOST_AVX512 };

/* The widest that the host has and that configure --with-vectors allows. */
enum host_vectors host_vectors(void);

#endif
