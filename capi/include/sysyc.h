/* The backend of sysyc for C: LLVM text to objects, assembly and static programs, in memory.
 *
 * Functions that can fail return a status, and give a message if `message` is not NULL and the status is not SYSYC_OK;
 * it is freed with sysyc_buffer_free. Handles are freed with the function of their kind, which takes NULL, too. A
 * module, or a buffer, may be used by several threads at a time as long as none frees it. Nothing is printed, no file
 * is opened, and nothing unwinds or longjumps out of these functions. */
#ifndef SYSYC_H
#define SYSYC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sysyc_status {
    SYSYC_OK = 0,
    SYSYC_MISUSE = 1,      /* an argument means nothing: NULL, no UTF-8, a level or target that there is not */
    SYSYC_PARSE = 2,       /* the text is no module; the message begins with line:column */
    SYSYC_UNSUPPORTED = 3, /* the machine cannot do what is asked for */
    SYSYC_LINK = 4,        /* names are missing or there twice, a line each */
    SYSYC_INTERNAL = 5     /* a bug of the library */
} sysyc_status;

typedef struct sysyc_module sysyc_module;
typedef struct sysyc_buffer sysyc_buffer;

/* `size` is sizeof(sysyc_options): what later versions add behind is 0 for those who do not know it. */
typedef struct sysyc_options {
    size_t size;
    uint32_t level;   /* 0 to 3 */
    uint32_t threads; /* 0 and 1: the caller's own; the code is the same for any number */
    uint32_t verify;  /* not 0: prove what can be proven on the way; slow */
} sysyc_options;

/* An object or archive in memory; `name` is for messages. */
typedef struct sysyc_input {
    const char *name;
    const uint8_t *bytes;
    size_t size;
} sysyc_input;

/* The version of the library, "major.minor.patch"; not to be freed. */
const char *sysyc_version(void);

/* Reads LLVM text (UTF-8, `size` bytes, need not end with a zero) for "riscv64", "aarch64", "armv7" or a triple. */
sysyc_status sysyc_module_parse(const char *text, size_t size, const char *target, sysyc_module **module,
                                sysyc_buffer **message);
void sysyc_module_free(sysyc_module *module);

/* The module as LLVM text, its assembly, and the bytes of its ELF object. `options` may be NULL: level 0. */
sysyc_status sysyc_module_text(const sysyc_module *module, sysyc_buffer **text, sysyc_buffer **message);
sysyc_status sysyc_module_assembly(const sysyc_module *module, const sysyc_options *options, sysyc_buffer **text,
                                   sysyc_buffer **message);
sysyc_status sysyc_module_compile(const sysyc_module *module, const sysyc_options *options, sysyc_buffer **object,
                                  sysyc_buffer **message);

/* A static program of objects and archives, which starts at `entry` (NULL: "_start"). */
sysyc_status sysyc_link(const char *target, const sysyc_input *inputs, size_t count, const char *entry,
                        sysyc_buffer **program, sysyc_buffer **message);

/* Bytes. Behind those of text and messages stands a zero that the size does not count. */
const uint8_t *sysyc_buffer_bytes(const sysyc_buffer *buffer);
size_t sysyc_buffer_size(const sysyc_buffer *buffer);
void sysyc_buffer_free(sysyc_buffer *buffer);

#ifdef __cplusplus
}
#endif

#endif
