/* Compiles LLVM text for a machine and writes the object: client TARGET OUTPUT < x.ll. With variadic arguments, what
 * can be wrong, for the test. */
#include "sysyc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int told(sysyc_status status, sysyc_buffer *message) {
    fprintf(stderr, "client: status %d: %s\n", (int)status, (const char *)sysyc_buffer_bytes(message));
    sysyc_buffer_free(message);
    return 1;
}

static int wrong_uses(const sysyc_module *module, const char *target) {
    sysyc_module *none = NULL;
    sysyc_buffer *out = NULL, *message = NULL;
    sysyc_options small = {sizeof(size_t), 9, 9, 9, 9, NULL, NULL}, wrong = {sizeof wrong, 7, 1, 0, 0, NULL, NULL};
    sysyc_input input = {"nothing", NULL, 3};
    int bad = 0;
    bad += sysyc_module_parse(NULL, 5, target, &none, NULL) != SYSYC_MISUSE || none;
    bad += sysyc_module_parse("x", 1, "z80", &none, NULL) != SYSYC_UNSUPPORTED || none;
    bad += sysyc_module_parse("x", 1, NULL, &none, NULL) != SYSYC_MISUSE || none;
    bad += sysyc_module_parse("x", 1, target, NULL, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_parse("\xff", 1, target, &none, NULL) != SYSYC_PARSE || none;
    bad += sysyc_module_parse("define\n x", 9, target, &none, &message) != SYSYC_PARSE || none || !message;
    bad += strncmp((const char *)sysyc_buffer_bytes(message), "2:", 2) != 0;
    bad += sysyc_buffer_line(message) != 2 || sysyc_buffer_column(message) != 2 || sysyc_buffer_line(NULL) != 0;
    bad += strcmp(sysyc_version(), SYSYC_VERSION) != 0 || SYSYC_VERSION_MAJOR != 0;
    sysyc_buffer_free(message);
    bad += sysyc_module_compile(NULL, NULL, &out, NULL) != SYSYC_MISUSE || out;
    bad += sysyc_module_compile(module, &wrong, &out, NULL) != SYSYC_MISUSE || out;
    /* Of options that end behind their size, the rest is 0. */
    bad += sysyc_module_compile(module, &small, &out, &message) != SYSYC_OK || !out || message;
    /* Those of the first version have padding where unwind_tables is. */
    struct { size_t size; uint32_t level, threads, verify, padding; } first = {24, 0, 1, 0, 0xffffffff};
    sysyc_buffer *old = NULL;
    bad += sysyc_module_compile(module, (const sysyc_options *)&first, &old, NULL) != SYSYC_OK;
    bad += sysyc_buffer_size(old) != sysyc_buffer_size(out);
    sysyc_buffer_free(old);
    sysyc_buffer_free(out);
    bad += sysyc_module_text(module, &out, NULL) != SYSYC_OK || !strstr((const char *)sysyc_buffer_bytes(out), "define");
    sysyc_buffer_free(out);
    bad += sysyc_module_assembly(module, NULL, &out, NULL) != SYSYC_OK || sysyc_buffer_size(out) < 10;
    sysyc_buffer_free(out);
    bad += sysyc_link(target, &input, 1, NULL, &out, NULL) != SYSYC_MISUSE || out;
    bad += sysyc_link(target, NULL, 0, NULL, &out, &message) != SYSYC_LINK || out || !message;
    sysyc_buffer_free(message);
    sysyc_buffer_free(NULL);
    sysyc_module_free(NULL);
    bad += sysyc_buffer_bytes(NULL) != NULL || sysyc_buffer_size(NULL) != 0 || strlen(sysyc_version()) < 5;
    return bad;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: client TARGET OUTPUT < x.ll\n");
        return 2;
    }
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    for (size_t more; text && (more = fread(text + size, 1, room - size, stdin)) > 0;) {
        size += more;
        if (size == room) {
            text = realloc(text, room *= 2);
        }
    }
    sysyc_module *module = NULL;
    sysyc_buffer *object = NULL, *message = NULL;
    sysyc_status status = sysyc_module_parse(text, size, argv[1], &module, &message);
    free(text);
    if (status != SYSYC_OK) {
        return told(status, message);
    }
    int bad = argc > 3 ? wrong_uses(module, argv[1]) : 0;
    sysyc_options options = {sizeof options, 2, 2, 0, 0, NULL, NULL};
    status = sysyc_module_compile(module, &options, &object, &message);
    sysyc_module_free(module);
    if (status != SYSYC_OK) {
        return told(status, message);
    }
    FILE *out = fopen(argv[2], "wb");
    bad += !out || fwrite(sysyc_buffer_bytes(object), 1, sysyc_buffer_size(object), out) != sysyc_buffer_size(object);
    bad += !out || fclose(out) != 0;
    sysyc_buffer_free(object);
    return bad != 0;
}
