/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_map.h - tensor maps: what they say, and the 128 bytes they are.
 *
 * PTX ISA, "Tensors"; the CUDA Driver API, "Tensor Map Object Management". The bytes are
 * those that the driver writes, found on an H200: docs/hardware-notes.md. */
#ifndef SIMTLAB_BASE_TENSOR_MAP_H
#define SIMTLAB_BASE_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { TENSOR_MAP_BYTES = 128, TENSOR_RANK = 5 };

/* As CU_TENSOR_MAP_DATA_TYPE_ counts them. */
enum tensor_element {
    TENSOR_MAP_U8, TENSOR_MAP_U16, TENSOR_MAP_U32, TENSOR_MAP_S32, TENSOR_MAP_U64, TENSOR_MAP_S64,
    TENSOR_MAP_F16, TENSOR_MAP_F32, TENSOR_MAP_F64, TENSOR_MAP_BF16, TENSOR_MAP_F32_FTZ,
    TENSOR_MAP_TF32, TENSOR_MAP_TF32_FTZ, TENSOR_MAP_TYPES
};
enum tensor_interleave { TENSOR_NO_INTERLEAVE, TENSOR_INTERLEAVE_16B, TENSOR_INTERLEAVE_32B };
enum tensor_swizzle { TENSOR_NO_SWIZZLE, TENSOR_SWIZZLE_32B, TENSOR_SWIZZLE_64B, TENSOR_SWIZZLE_128B };

/* Dimension 0 is the innermost one. */
struct tensor_map {
    uint64_t address;
    unsigned rank;                    /* 1 to 5 */
    enum tensor_element type;
    enum tensor_interleave interleave;
    enum tensor_swizzle swizzle;
    unsigned promotion;               /* L2: 0, 64, 128, 256 bytes as 0 to 3 */
    bool nan_fill;                    /* what lies outside is NaN, not zero */
    bool im2col;
    uint64_t size[TENSOR_RANK];       /* elements, 1 to 2^32 */
    uint64_t stride[TENSOR_RANK - 1]; /* bytes, of dimensions 1 to 4 */
    uint32_t step[TENSOR_RANK];       /* element strides, 1 to 8 */
    uint32_t box[TENSOR_RANK];        /* tiled: elements, 1 to 256 */
    int32_t lower[TENSOR_RANK - 2], upper[TENSOR_RANK - 2]; /* im2col: corners of the box */
    uint32_t channels, pixels;        /* im2col: of one copy; 1 to 256, 1 to 1024 */
};

/* The fields that tensormap.replace names; those of dimensions begin with dimension 0, or
 * 1 for strides. */
enum tensor_field {
    TENSOR_FIELD_ADDRESS, TENSOR_FIELD_RANK, TENSOR_FIELD_BOX, TENSOR_FIELD_SIZE = 7,
    TENSOR_FIELD_STRIDE = 12, TENSOR_FIELD_STEP = 16, TENSOR_FIELD_TYPE = 21,
    TENSOR_FIELD_INTERLEAVE, TENSOR_FIELD_SWIZZLE, TENSOR_FIELD_FILL, TENSOR_FIELDS
};

unsigned tensor_element_bytes(enum tensor_element type);
bool tensor_element_is_float(enum tensor_element type);

/* The bytes of a map; NULL, or what the driver refuses it for, a part of a sentence. */
const char *tensor_map_encode(const struct tensor_map *map,
                              unsigned char bytes[TENSOR_MAP_BYTES]);
/* Reads them again; false when they are no map. */
bool tensor_map_decode(const unsigned char bytes[TENSOR_MAP_BYTES], struct tensor_map *map);
/* What tensormap.replace does to them; the value as it is given there. */
void tensor_map_replace(unsigned char bytes[TENSOR_MAP_BYTES], enum tensor_field field,
                        uint64_t value);

#endif
