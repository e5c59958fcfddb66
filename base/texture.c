/* SPDX-License-Identifier: Apache-2.0
 *
 * texture.c - the text form of textures and surfaces. */
#include "base/texture.h"

#include <string.h>

/* How many numbers a shape takes between its brackets, and how far it reaches at
 * most: texels of an sm_90 by the CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability". Surfaces are bounded alike here. */
static const struct shape {
    const char *name;
    enum texture_shape shape;
    unsigned sizes;
    uint32_t limit[3];
} shapes[] = {
    {"1d", TEXTURE_1D, 1, {131072, 1, 1}},
    {"2d", TEXTURE_2D, 2, {131072, 65536, 1}},
    {"3d", TEXTURE_3D, 3, {16384, 16384, 16384}},
    {"1dlayered", TEXTURE_1D_LAYERED, 2, {32768, 1, 2048}},
    {"2dlayered", TEXTURE_2D_LAYERED, 3, {32768, 32768, 2048}},
    {"cube", TEXTURE_CUBE, 3, {32768, 32768, 6}},
    {"cubelayered", TEXTURE_CUBE_LAYERED, 3, {32768, 32768, 2046}},
    {"buffer", TEXTURE_BUFFER, 1, {1 << 28, 1, 1}},
    {"pitch", TEXTURE_PITCH, 2, {131072, 65000, 1}},
};

#define F32_LARGEST UINT32_C(0x7f7fffff)

enum { SHAPES = sizeof shapes / sizeof *shapes };

static bool is_word(const char *text, size_t size, const char *word)
{
    return size == strlen(word) && !memcmp(text, word, size);
}

static bool begins(const char *text, size_t size, const char *prefix)
{
    return size > strlen(prefix) && !memcmp(text, prefix, strlen(prefix));
}

static size_t prefix(const char *text, size_t size)
{
    return size > 3 && !memcmp(text, "tex", 3) ? 3 : size > 4 && !memcmp(text, "surf", 4) ? 4 : 0;
}

bool texture_begins(const char *text, size_t size)
{
    return prefix(text, size) && memchr(text, ':', size);
}

static const char *quote(struct arena *arena, const char *text, size_t size, const char *what)
{
    return arena_printf(arena, "'%.*s' %s", (int)(size < 40 ? size : 40), text, what);
}

/* TYPE [xCHANNELS] */
static const char *parse_type(struct arena *arena, const char *text, size_t size,
                              struct texture *texture)
{
    const char *times = memchr(text, 'x', size);
    size_t length = times ? (size_t)(times - text) : size;

    texture->channels = 1;
    if (times && size - length == 2)
        texture->channels = (uint32_t)(unsigned char)times[1] - '0';
    if ((times && size - length != 2) ||
        (texture->channels != 1 && texture->channels != 2 && texture->channels != 4))
        return "a texel has 1, 2 or 4 channels: f32x4";
    if (!element_find(text, length, &texture->element) || element_size(texture->element) > 4 ||
        texture->element == ELEMENT_BF16)
        return quote(arena, text, length,
                     "is no type of texels; known are u8 s8 u16 s16 u32 s32 f16 f32");
    return NULL;
}

static const char *parse_sizes(struct arena *arena, const char *text, size_t size,
                               const struct shape *shape, struct texture *texture)
{
    uint64_t value[3] = {1, 1, 1};

    for (unsigned i = 0; i < shape->sizes; i++) {
        const char *times = memchr(text, 'x', size);
        size_t length = times ? (size_t)(times - text) : size;
        if ((times != NULL) != (i + 1 < shape->sizes) || length == 0 || *text == '-' ||
            element_parse(ELEMENT_U64, text, length, &value[i]) || value[i] == 0)
            return arena_printf(arena, "a %s texture needs %u sizes between its brackets: %s",
                                shape->name, shape->sizes,
                                shape->sizes == 1 ? "[64]" : shape->sizes == 2 ? "[64x32]"
                                                                              : "[64x32x8]");
        text += length + 1;
        size -= times ? length + 1 : length;
    }
    if (shape->shape == TEXTURE_1D_LAYERED) {
        value[2] = value[1];
        value[1] = 1;
    }
    for (unsigned i = 0; i < 3; i++)
        if (value[i] > shape->limit[i])
            return arena_printf(arena, "a %s texture has at most %ux%ux%u texels", shape->name,
                                shape->limit[0], shape->limit[1], shape->limit[2]);
    texture->width = (uint32_t)value[0];
    texture->height = (uint32_t)value[1];
    texture->depth = (uint32_t)value[2];
    bool cube = shape->shape == TEXTURE_CUBE || shape->shape == TEXTURE_CUBE_LAYERED;
    if (cube && (value[0] != value[1] || value[2] % 6))
        return "a cube has square faces, and 6 of them (for each layer): [16x16x6]";
    return NULL;
}

static bool find_address(const char *text, size_t size, enum texture_address *address)
{
    static const char *const names[] = {"wrap", "clamp", "mirror", "border"};

    for (unsigned i = 0; i < 4; i++)
        if (is_word(text, size, names[i])) {
            *address = (enum texture_address)i;
            return true;
        }
    return false;
}

/* MODE {. MODE}: a single one is for all directions. */
static bool parse_address(const char *text, size_t size, struct texture *texture)
{
    for (unsigned i = 0; i < 3; i++) {
        const char *dot = memchr(text, '.', size);
        size_t length = dot ? (size_t)(dot - text) : size;
        if (!find_address(text, length, &texture->address[i]))
            return false;
        if (!dot) {
            for (unsigned k = i + 1; k < 3; k++)
                texture->address[k] = texture->address[i];
            return true;
        }
        text = dot + 1;
        size -= length + 1;
    }
    return false;
}

/* NUMBER {: NUMBER}, f32, at least and at most so many; else what `wrong_count` says. */
static const char *parse_numbers(struct arena *arena, const char *text, size_t size,
                                 unsigned least, unsigned most, uint32_t *numbers,
                                 const char *wrong_count)
{
    for (unsigned i = 0; i < most; i++) {
        const char *colon = memchr(text, ':', size);
        size_t length = colon ? (size_t)(colon - text) : size;
        uint64_t bits;
        const char *wrong = element_parse(ELEMENT_F32, text, length, &bits);
        if (wrong)
            return quote(arena, text, length, wrong);
        numbers[i] = (uint32_t)bits;
        if (!colon)
            return i + 1 < least ? wrong_count : NULL;
        text = colon + 1;
        size -= length + 1;
    }
    return wrong_count;
}

static const char *parse_levels(const char *text, size_t size, struct texture *texture)
{
    uint64_t levels;

    if (element_parse(ELEMENT_U64, text, size, &levels) || *text == '-' || levels == 0 ||
        levels > texture_levels_most(texture))
        return "levels: takes a number, at most that of the levels down to a single texel";
    texture->levels = (uint32_t)levels;
    return NULL;
}

static const char *parse_anisotropy(const char *text, size_t size, struct texture *texture)
{
    enum { MOST = 16 };
    uint64_t number;

    if (element_parse(ELEMENT_U64, text, size, &number) || *text == '-' || number == 0 ||
        number > MOST)
        return "anisotropy: takes a number from 1 to 16";
    texture->anisotropy = (uint32_t)number;
    return NULL;
}

static const char *parse_level_option(struct arena *arena, const char *text, size_t size,
                                      struct texture *texture, bool *known)
{
    *known = true;
    if (is_word(text, size, "mipmap"))
        texture->levels = texture_levels_most(texture);
    else if (is_word(text, size, "mippoint"))
        texture->linear_levels = false;
    else if (is_word(text, size, "miplinear"))
        texture->linear_levels = true;
    else if (begins(text, size, "levels:"))
        return parse_levels(text + 7, size - 7, texture);
    else if (begins(text, size, "bias:"))
        return parse_numbers(arena, text + 5, size - 5, 1, 1, &texture->bias,
                             "bias: takes one number");
    else if (begins(text, size, "anisotropy:"))
        return parse_anisotropy(text + 11, size - 11, texture);
    else if (is_word(text, size, "fulltrilinear"))
        texture->full_trilinear = true;
    else if (begins(text, size, "lod:"))
        return parse_numbers(arena, text + 4, size - 4, 2, 2, texture->level_limits,
                             "lod: takes two numbers, lod:0:3.5");
    else
        *known = false;
    return NULL;
}

static const char *parse_option(struct arena *arena, const char *text, size_t size,
                                struct texture *texture)
{
    bool integer = !element_is_float(texture->element), known;

    if (texture->surface)
        return "a surface takes no options";
    const char *wrong = parse_level_option(arena, text, size, texture, &known);
    if (known)
        return wrong;
    if (is_word(text, size, "point"))
        texture->linear = false;
    else if (is_word(text, size, "linear"))
        texture->linear = true;
    else if (is_word(text, size, "normalized"))
        texture->normalized = true;
    else if (is_word(text, size, "float") && integer && element_size(texture->element) <= 2)
        texture->as_float = true;
    else if (is_word(text, size, "float"))
        return "float is for u8, s8, u16 and s16";
    else if (is_word(text, size, "srgb"))
        texture->srgb = true;
    else if (is_word(text, size, "seamless"))
        texture->seamless = true;
    else if (begins(text, size, "color:"))
        return parse_numbers(arena, text + 6, size - 6, 1, 4, texture->border,
                             "color: takes at most four numbers");
    else if (!parse_address(text, size, texture))
        return quote(arena, text, size,
                     "is no option of a texture; known are point linear wrap clamp mirror "
                     "border normalized float srgb seamless color:R:G:B:A levels:N mipmap "
                     "mippoint miplinear bias:X lod:MIN:MAX anisotropy:N fulltrilinear");
    return NULL;
}

/* What does not go together. */
static const char *combination_wrong(const struct texture *texture)
{
    bool memory = texture->shape == TEXTURE_BUFFER || texture->shape == TEXTURE_PITCH;

    if (texture->linear && !texture->as_float && !element_is_float(texture->element))
        return "linear filtering is for floating point, and integers that are read as such "
               "(float)";
    if (texture->srgb && (texture->element != ELEMENT_U8 || !texture->as_float))
        return "srgb is for u8 that is read as fractions (float)";
    if (texture->levels > 1 && (memory || !texture->normalized))
        return memory ? "linear memory has no mipmap levels"
                      : "a mipmap needs coordinates from 0 to 1 (normalized)";
    return NULL;
}

/* {, OPTION}; text stands behind the comma. */
static const char *parse_options(struct arena *arena, const char **text, const char *end,
                                 struct texture *texture)
{
    for (;;) {
        const char *at = *text;
        while (at < end && *at != ',' && *at != '=')
            at++;
        const char *wrong = parse_option(arena, *text, (size_t)(at - *text), texture);
        *text = at;
        if (wrong || at == end || *at != ',')
            return wrong;
        (*text)++;
    }
}

const char *texture_parse(struct arena *arena, const char *text, size_t size,
                          struct texture *texture, const char **rest)
{
    const char *end = text + size, *colon = memchr(text, ':', size);
    size_t skip = prefix(text, size);
    const char *open = memchr(colon, '[', (size_t)(end - colon));
    const char *close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;
    const struct shape *shape = NULL;

    *texture = (struct texture){.surface = skip == 4, .levels = 1, .level_limits = {0, F32_LARGEST},
                                .anisotropy = 1,
                                .address = {TEXTURE_CLAMP, TEXTURE_CLAMP, TEXTURE_CLAMP}};
    for (unsigned i = 0; i < SHAPES; i++)
        if (is_word(text + skip, (size_t)(colon - text) - skip, shapes[i].name))
            shape = &shapes[i];
    if (!shape || (texture->surface && shape->shape > TEXTURE_2D_LAYERED))
        return quote(arena, text, (size_t)(colon - text),
                     "is no shape of a texture; known are tex1d tex2d tex3d tex1dlayered "
                     "tex2dlayered texcube texcubelayered texbuffer texpitch surf1d surf2d "
                     "surf3d surf1dlayered surf2dlayered");
    texture->shape = shape->shape;
    if (!close)
        return "the sizes of the texture are missing: tex2d:f32[64x32]";
    const char *wrong = parse_type(arena, colon + 1, (size_t)(open - colon - 1), texture);
    if (!wrong)
        wrong = parse_sizes(arena, open + 1, (size_t)(close - open - 1), shape, texture);
    text = close + 1;
    if (!wrong && text < end && *text == ',') {
        text++;
        wrong = parse_options(arena, &text, end, texture);
    }
    if (!wrong && text < end && *text != '=')
        wrong = "only ',' and an option, or '=' may follow the texture's ']'";
    *rest = text;
    return wrong ? wrong : combination_wrong(texture);
}

bool texture_is_cube(const struct texture *texture)
{
    return texture->shape == TEXTURE_CUBE || texture->shape == TEXTURE_CUBE_LAYERED;
}

static uint32_t halved(uint32_t size, uint32_t times)
{
    return size >> times ? size >> times : 1;
}

struct texture_level texture_level(const struct texture *texture, uint32_t level)
{
    struct texture_level at = {texture->width, texture->height, texture->depth, 0};
    bool solid = texture->shape == TEXTURE_3D;

    for (uint32_t k = 0; k < level; k++) {
        at.first += (uint64_t)at.width * at.height * at.depth;
        at.width = halved(texture->width, k + 1);
        at.height = halved(texture->height, k + 1);
        at.depth = solid ? halved(texture->depth, k + 1) : texture->depth;
    }
    return at;
}

uint32_t texture_levels_most(const struct texture *texture)
{
    uint32_t size = texture->width > texture->height ? texture->width : texture->height;
    uint32_t levels = 1;

    if (texture->shape == TEXTURE_3D && texture->depth > size)
        size = texture->depth;
    while (size >> levels)
        levels++;
    return levels;
}

uint64_t texture_elements(const struct texture *texture)
{
    return texture_level(texture, texture->levels).first * texture->channels;
}

unsigned texture_texel(const struct texture *texture)
{
    return element_size(texture->element) * texture->channels;
}
