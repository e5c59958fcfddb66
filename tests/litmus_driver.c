/* SPDX-License-Identifier: Apache-2.0
 *
 * litmus_driver.c - `simtlab litmus` alone, for tests. */
#include "cli/litmus.h"

int main(int argc, char **argv)
{
    return cli_litmus(argc, argv);
}
