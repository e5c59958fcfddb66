/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_cores.c - see tensor_cores.h. */
#include "api/tensor_cores.h"

#include <stdio.h>

#include "numeric/tensor.h"
#include "simtlab/simtlab.h"

void tensor_cores_describe(struct text *out)
{
    text_printf(out, "%-8s %-12s %5s %12s %10s %9s  %s\n", "profile", "tensor cores", "bits",
                "f16 at once", "tf32", "fp8", "known");
    for (size_t i = 0; i < sl_device_count(); i++) {
        const struct tensor_chip *chip =
            tensor_chip_of((unsigned)sl_device_attribute(i, SL_ATTRIBUTE_NUMBER));
        char fp8[24] = "-";
        if (chip->k_fp8)
            snprintf(fp8, sizeof fp8, "%u", chip->k_fp8);
        else if (chip->fp8_fraction)
            snprintf(fp8, sizeof fp8, "as f16");
        text_printf(out, "%-8s %-12s %5u %12u %10u %9s  %s\n", sl_device_name(i), chip->name,
                    chip->fraction, chip->k_16bit, chip->k_tf32, fp8,
                    chip->measured ? "measured" : "read");
    }
    text_puts(out, "bits: kept below the largest exponent; at once: products in one sum\n");
}
