/* SPDX-License-Identifier: Apache-2.0
 *
 * texture.c - arrays, texture and surface objects, and references to them. */
#include "gpu/texture.h"

#include <string.h>

/* --- the driver's numbers ---------------------------------------------------------- */

enum { MEMORY_HOST = 1, MEMORY_DEVICE = 2, MEMORY_ARRAY = 3 };
enum { ARRAY_LAYERED = 1, ARRAY_SURFACE = 2, ARRAY_CUBE = 4 };
enum { RESOURCE_ARRAY = 0, RESOURCE_MIPMAP = 1, RESOURCE_LINEAR = 2, RESOURCE_PITCH = 3 };
enum {
    READ_AS_INTEGER = 1, NORMALIZED_COORDINATES = 2, SRGB = 0x10,
    DISABLE_TRILINEAR_OPTIMIZATION = 0x20, SEAMLESS_CUBE = 0x40,
};
enum { BIND_FORMAT = 1 }; /* CU_TRSA_OVERRIDE_FORMAT */

static int format_of(enum element element)
{
    switch (element) {
    case ELEMENT_U8: return 0x01;
    case ELEMENT_U16: return 0x02;
    case ELEMENT_U32: return 0x03;
    case ELEMENT_S8: return 0x08;
    case ELEMENT_S16: return 0x09;
    case ELEMENT_S32: return 0x0a;
    case ELEMENT_F16: return 0x10;
    default: return 0x20;
    }
}

static bool is_linear_memory(const struct texture *what)
{
    return what->shape == TEXTURE_BUFFER || what->shape == TEXTURE_PITCH;
}

/* A direction that the shape does not have is there for the chip all the same, one texel
 * deep: a border beside it would mix in. */
static int address_of(const struct texture *what, int k)
{
    int directions = what->shape == TEXTURE_3D ? 3
                     : what->shape == TEXTURE_1D || what->shape == TEXTURE_1D_LAYERED ||
                               what->shape == TEXTURE_BUFFER
                         ? 1 : 2;

    return k < directions ? (int)what->address[k] : TEXTURE_CLAMP;
}

static unsigned flags_of(const struct texture *what)
{
    bool integer = !element_is_float(what->element);

    return (integer && !what->as_float ? READ_AS_INTEGER : 0u) |
           (what->normalized ? NORMALIZED_COORDINATES : 0u) | (what->srgb ? SRGB : 0u) |
           (what->seamless ? SEAMLESS_CUBE : 0u) |
           (what->full_trilinear ? DISABLE_TRILINEAR_OPTIMIZATION : 0u);
}

/* --- making ------------------------------------------------------------------------- */

static bool make_array(struct gpu_context *context, struct gpu_texture *texture,
                       struct gpu_error *error)
{
    const struct texture *what = &texture->what;
    struct driver_array_description d = {.width = what->width,
                                         .format = format_of(what->element),
                                         .channels = what->channels};

    d.height = what->shape == TEXTURE_1D || what->shape == TEXTURE_1D_LAYERED ? 0 : what->height;
    d.depth = what->shape == TEXTURE_1D || what->shape == TEXTURE_2D ? 0 : what->depth;
    if (what->shape == TEXTURE_1D_LAYERED || what->shape == TEXTURE_2D_LAYERED ||
        what->shape == TEXTURE_CUBE_LAYERED)
        d.flags |= ARRAY_LAYERED;
    if (what->shape == TEXTURE_CUBE || what->shape == TEXTURE_CUBE_LAYERED)
        d.flags |= ARRAY_CUBE;
    if (what->surface)
        d.flags |= ARRAY_SURFACE;
    if (what->levels > 1)
        return DRIVER_CALL(context->driver, error, "making a mipmap", cuMipmappedArrayCreate,
                           (&texture->mipmap, &d, what->levels));
    return DRIVER_CALL(context->driver, error, "making an array", cuArray3DCreate,
                       (&texture->array, &d));
}

/* The array of a level, its sizes, and where it begins in the contents. */
static bool level_of(struct gpu_context *context, const struct gpu_texture *texture,
                     uint32_t number, driver_array *array, struct driver_copy *copy,
                     size_t *offset, struct gpu_error *error)
{
    struct texture_level level = texture_level(&texture->what, number);
    unsigned texel = texture_texel(&texture->what);

    *copy = (struct driver_copy){
        .bytes = (size_t)level.width * texel, .height = level.height, .depth = level.depth};
    *offset = (size_t)level.first * texel;
    *array = texture->array;
    return !texture->mipmap ||
           DRIVER_CALL(context->driver, error, "a mipmap level", cuMipmappedArrayGetLevel,
                       (array, texture->mipmap, number));
}

/* All levels, from the host or to it: which of the two is not NULL. */
static bool copy_levels(struct gpu_context *context, const struct gpu_texture *texture,
                        const char *from, char *to, const char *doing, struct gpu_error *error)
{
    for (uint32_t level = 0; level < texture->what.levels; level++) {
        struct driver_copy copy;
        driver_array array;
        size_t offset;
        if (!level_of(context, texture, level, &array, &copy, &offset, error))
            return false;
        const int memory = array ? MEMORY_ARRAY : MEMORY_DEVICE;
        copy.from_memory = from ? MEMORY_HOST : memory;
        copy.to_memory = from ? memory : MEMORY_HOST;
        copy.from_pitch = from ? copy.bytes : texture->pitch;
        copy.to_pitch = from ? texture->pitch : copy.bytes;
        copy.from_height = copy.to_height = copy.height;
        if (from) {
            copy.from_host = from + offset;
            copy.to_array = array;
            copy.to_device = texture->memory;
        } else {
            copy.to_host = to + offset;
            copy.from_array = array;
            copy.from_device = texture->memory;
        }
        if (!DRIVER_CALL(context->driver, error, doing, cuMemcpy3D, (&copy)))
            return false;
    }
    return true;
}

bool gpu_texture_write(struct gpu_context *context, const struct gpu_texture *texture,
                       const void *contents, struct gpu_error *error)
{
    return copy_levels(context, texture, contents, NULL, "filling a texture", error);
}

bool gpu_texture_read(struct gpu_context *context, const struct gpu_texture *texture,
                      void *contents, struct gpu_error *error)
{
    return copy_levels(context, texture, NULL, contents, "reading a texture", error);
}

static struct driver_resource resource_of(const struct gpu_texture *texture)
{
    const struct texture *what = &texture->what;
    struct driver_resource resource;

    memset(&resource, 0, sizeof resource);
    if (texture->mipmap) {
        resource.type = RESOURCE_MIPMAP;
        resource.u.mipmap = texture->mipmap;
    } else if (texture->array) {
        resource.type = RESOURCE_ARRAY;
        resource.u.array = texture->array;
    } else if (what->shape == TEXTURE_BUFFER) {
        resource.type = RESOURCE_LINEAR;
        resource.u.linear.address = texture->memory;
        resource.u.linear.format = format_of(what->element);
        resource.u.linear.channels = what->channels;
        resource.u.linear.size = (size_t)what->width * texture_texel(what);
    } else {
        resource.type = RESOURCE_PITCH;
        resource.u.pitch.address = texture->memory;
        resource.u.pitch.format = format_of(what->element);
        resource.u.pitch.channels = what->channels;
        resource.u.pitch.width = what->width;
        resource.u.pitch.height = what->height;
        resource.u.pitch.pitch = texture->pitch;
    }
    return resource;
}

static bool make_object(struct gpu_context *context, struct gpu_texture *texture,
                        struct gpu_error *error)
{
    const struct texture *what = &texture->what;
    struct driver_resource resource = resource_of(texture);
    struct driver_texture d;

    if (what->surface)
        return DRIVER_CALL(context->driver, error, "making a surface", cuSurfObjectCreate,
                           (&texture->object, &resource));
    memset(&d, 0, sizeof d);
    for (int i = 0; i < 3; i++)
        d.address[i] = address_of(what, i);
    d.filter = what->linear;
    d.flags = flags_of(what);
    d.anisotropy = what->anisotropy > 1 ? what->anisotropy : 0;
    d.mipmap_filter = what->linear_levels;
    memcpy(&d.mipmap_bias, &what->bias, sizeof what->bias);
    memcpy(&d.mipmap_least, &what->level_limits[0], sizeof what->level_limits[0]);
    memcpy(&d.mipmap_most, &what->level_limits[1], sizeof what->level_limits[1]);
    memcpy(d.border, what->border, sizeof d.border);
    return DRIVER_CALL(context->driver, error, "making a texture", cuTexObjectCreate,
                       (&texture->object, &resource, &d, NULL));
}

bool gpu_texture_open(struct gpu_context *context, const struct texture *what,
                      const void *contents, bool with_object, struct gpu_texture *texture,
                      struct gpu_error *error)
{
    const struct driver *driver = context->driver;

    *texture = (struct gpu_texture){.what = *what};
    if (!driver->cuArray3DCreate || !driver->cuArrayDestroy || !driver->cuMemcpy3D ||
        !driver->cuTexObjectCreate || !driver->cuTexObjectDestroy ||
        !driver->cuSurfObjectCreate || !driver->cuSurfObjectDestroy ||
        (what->levels > 1 && (!driver->cuMipmappedArrayCreate ||
                              !driver->cuMipmappedArrayGetLevel ||
                              !driver->cuMipmappedArrayDestroy)))
        return gpu_fail(error, GPU_REFUSED, "this driver has no texture objects");
    if (is_linear_memory(what)) {
        size_t row = (size_t)what->width * texture_texel(what);
        texture->pitch = what->shape == TEXTURE_PITCH ? (row + 511) / 512 * 512 : row;
        if (!gpu_alloc(context, texture->pitch * what->height, NULL, "texture",
                       &texture->memory, error))
            return false;
    } else if (!make_array(context, texture, error)) {
        return false;
    }
    return gpu_texture_write(context, texture, contents, error) &&
           (!with_object || make_object(context, texture, error));
}

/* What a reference reads: an array or linear memory. */
static bool refer(struct gpu_context *context, const struct gpu_texture *texture,
                  driver_reference reference, const char *name, struct gpu_error *error)
{
    const struct driver *driver = context->driver;
    const struct texture *what = &texture->what;
    struct driver_flat_description rows = {what->width, what->height, format_of(what->element),
                                           what->channels};
    size_t offset = 0; /* none: the memory is aligned well enough */

    if (texture->array)
        return DRIVER_CALL(driver, error, name, cuTexRefSetArray,
                           (reference, texture->array, BIND_FORMAT));
    if (!driver->cuTexRefSetAddress || !driver->cuTexRefSetAddress2D ||
        !driver->cuTexRefSetFormat)
        return gpu_fail(error, GPU_REFUSED, "%s: this driver binds only arrays to references",
                        name);
    if (!DRIVER_CALL(driver, error, name, cuTexRefSetFormat,
                     (reference, rows.format, (int)rows.channels)))
        return false;
    return what->shape == TEXTURE_BUFFER
               ? DRIVER_CALL(driver, error, name, cuTexRefSetAddress,
                             (&offset, reference, texture->memory, texture->pitch))
               : DRIVER_CALL(driver, error, name, cuTexRefSetAddress2D,
                             (reference, &rows, texture->memory, texture->pitch));
}

static bool has_border(const struct texture *what)
{
    for (int i = 0; i < 4; i++)
        if (what->border[i])
            return true;
    return false;
}

bool gpu_texture_bind(struct gpu_context *context, const struct gpu_texture *texture,
                      const struct gpu_module *module, const char *name,
                      struct gpu_error *error)
{
    const struct driver *driver = context->driver;
    const struct texture *what = &texture->what;
    driver_reference reference;
    float border[4];

    if (!driver->cuModuleGetTexRef || !driver->cuModuleGetSurfRef || !driver->cuTexRefSetArray ||
        !driver->cuSurfRefSetArray || !driver->cuTexRefSetAddressMode ||
        !driver->cuTexRefSetFilterMode || !driver->cuTexRefSetFlags)
        return gpu_fail(error, GPU_REFUSED, "%s: this driver has no texture references", name);
    if (texture->mipmap)
        return gpu_fail(error, GPU_REFUSED,
                        "%s: a texture with mipmap levels cannot be bound to a reference", name);
    if (what->surface)
        return DRIVER_CALL(driver, error, name, cuModuleGetSurfRef,
                           (&reference, module->handle, name)) &&
               DRIVER_CALL(driver, error, name, cuSurfRefSetArray,
                           (reference, texture->array, 0));
    if (!DRIVER_CALL(driver, error, name, cuModuleGetTexRef,
                     (&reference, module->handle, name)) ||
        !refer(context, texture, reference, name, error))
        return false;
    for (int i = 0; i < 3; i++)
        if (!DRIVER_CALL(driver, error, name, cuTexRefSetAddressMode,
                         (reference, i, address_of(what, i))))
            return false;
    memcpy(border, what->border, sizeof border);
    if (has_border(what)) {
        if (!driver->cuTexRefSetBorderColor)
            return gpu_fail(error, GPU_REFUSED, "%s: this driver gives references no border",
                            name);
        if (!DRIVER_CALL(driver, error, name, cuTexRefSetBorderColor, (reference, border)))
            return false;
    }
    if (what->anisotropy > 1) {
        if (!driver->cuTexRefSetMaxAnisotropy)
            return gpu_fail(error, GPU_REFUSED, "%s: this driver gives references no anisotropy",
                            name);
        if (!DRIVER_CALL(driver, error, name, cuTexRefSetMaxAnisotropy,
                         (reference, what->anisotropy)))
            return false;
    }
    return DRIVER_CALL(driver, error, name, cuTexRefSetFilterMode, (reference, what->linear)) &&
           DRIVER_CALL(driver, error, name, cuTexRefSetFlags, (reference, flags_of(what)));
}

void gpu_texture_close(struct gpu_context *context, struct gpu_texture *texture)
{
    const struct driver *driver = context->driver;
    struct gpu_error ignored;

    if (texture->object && texture->what.surface)
        driver->cuSurfObjectDestroy(texture->object);
    else if (texture->object)
        driver->cuTexObjectDestroy(texture->object);
    if (texture->array)
        driver->cuArrayDestroy(texture->array);
    if (texture->mipmap)
        driver->cuMipmappedArrayDestroy(texture->mipmap);
    if (texture->memory)
        gpu_free(context, texture->memory, NULL, &ignored);
    *texture = (struct gpu_texture){0};
}
