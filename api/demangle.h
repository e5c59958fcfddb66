/* SPDX-License-Identifier: Apache-2.0
 *
 * demangle.h - C++ names of kernels, the part of the Itanium ABI they use.
 *
 * Understood: names with their templates and packs, types, functions and lambdas
 * as template arguments, expressions. What is not leaves full the mangled name
 * itself. Written as c++filt writes it, but >> for > >. */
#ifndef SIMTLAB_API_DEMANGLE_H
#define SIMTLAB_API_DEMANGLE_H

#include <stdbool.h>

#include "base/arena.h"

struct cxx_name {
    const char *full;      /* "void ns::k<float>(float*, int)" */
    const char *qualified; /* "ns::k<float>" */
    const char *plain;     /* "ns::k", also without [abi:...] at its end */
    const char *base;      /* "k" */
    /* One letter for each parameter: its builtin type's code ('f', 'i', ...),
     * 'P' for pointers and references, '?' for others; "" for ();
     * NULL when the types are not understood. */
    const char *letters;
};

/* False when the name is not mangled or its parts are not understood. */
bool cxx_demangle(struct arena *arena, const char *mangled, struct cxx_name *name);

/* The written name of a variable, "ns::table"; NULL when it is not mangled or not
 * understood. */
const char *cxx_variable(struct arena *arena, const char *mangled);

/* Whether two written C++ names are the same but for white space. */
bool cxx_same(const char *a, const char *b);

#endif
