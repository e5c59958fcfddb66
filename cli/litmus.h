/* SPDX-License-Identifier: Apache-2.0
 *
 * litmus.h - `simtlab litmus`. argv[0] is "litmus"; returns the exit status. */
#ifndef SIMTLAB_CLI_LITMUS_H
#define SIMTLAB_CLI_LITMUS_H

int cli_litmus(int argc, char **argv);

#endif
