/* Builds functions and writes the object: builder TARGET OUTPUT. Then the same as code in memory, and what can be wrong,
 * for the test. */
#include "sysyc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(sysyc_status status, sysyc_buffer *message) {
    if (status != SYSYC_OK) {
        fprintf(stderr, "builder: status %d: %s\n", (int)status, (const char *)sysyc_buffer_bytes(message));
        exit(1);
    }
}

/* int sum(int n, int (*of)(int)) { int s = 0; while (n > 0) { s = s + of(n); n = n - 1; } return s; } */
static sysyc_definition *sum(const sysyc_module *module, sysyc_function function, sysyc_prototype called) {
    sysyc_builder *b = NULL;
    sysyc_buffer *message = NULL;
    check(sysyc_builder_new(module, function, &b, &message), message);
    sysyc_variable n = sysyc_build_variable(b, SYSYC_I32), s = sysyc_build_variable(b, SYSYC_I32);
    sysyc_block head = sysyc_build_block(b), body = sysyc_build_block(b), end = sysyc_build_block(b);
    sysyc_value zero = sysyc_build_int(b, SYSYC_I32, 0), one = sysyc_build_int(b, SYSYC_I32, 1);
    sysyc_build_set(b, n, sysyc_build_param(b, 0));
    sysyc_build_set(b, s, zero);
    sysyc_build_br(b, head);
    sysyc_build_switch_to(b, head);
    sysyc_build_cond_br(b, sysyc_build_icmp(b, SYSYC_SGT, sysyc_build_get(b, n), zero), body, end);
    sysyc_build_seal(b, body);
    sysyc_build_switch_to(b, body);
    sysyc_value left = sysyc_build_get(b, n);
    sysyc_value more = sysyc_build_call_indirect(b, called, sysyc_build_param(b, 1), &left, 1);
    sysyc_build_set(b, s, sysyc_build_binary(b, SYSYC_ADD, sysyc_build_get(b, s), more));
    sysyc_build_set(b, n, sysyc_build_binary(b, SYSYC_SUB, left, one));
    sysyc_build_br(b, head);
    sysyc_build_switch_to(b, end);
    sysyc_build_ret(b, sysyc_build_get(b, s));
    sysyc_definition *definition = NULL;
    check(sysyc_builder_finish(b, &definition, &message), message);
    return definition;
}

/* int total(int n, int (*of)(int)) { return sum(n, of); } by a jump. */
static sysyc_definition *total(const sysyc_module *module, sysyc_function function, sysyc_function sum) {
    sysyc_builder *b = NULL;
    sysyc_buffer *message = NULL;
    sysyc_definition *definition = NULL;
    check(sysyc_builder_new(module, function, &b, &message), message);
    sysyc_value args[] = {sysyc_build_param(b, 0), sysyc_build_param(b, 1)};
    sysyc_build_return_call(b, sum, args, 2);
    check(sysyc_builder_finish(b, &definition, &message), message);
    return definition;
}

/* int main(void) { printf("%d\n", total(10, square)); return 0; } and square, by a table of its own. */
static void program(sysyc_module *module, const char *target) {
    sysyc_buffer *message = NULL;
    uint32_t pointer = strcmp(target, "armv7") == 0 ? 4 : 8;
    sysyc_param i32 = {SYSYC_I32, 0}, ptr = {SYSYC_PTR, 0}, takes[] = {i32, ptr};
    sysyc_signature one = {sizeof one, &i32, 1, i32, 0, 0, NULL, 0}, two = {sizeof two, takes, 2, i32, 0, 0, NULL, 0};
    sysyc_signature none = {sizeof none, NULL, 0, i32, 0, 0, NULL, 0}, say = {sizeof say, &ptr, 1, i32, 1, 0, NULL, 0};
    sysyc_function sum_of, total_of, square, start, print;
    sysyc_prototype called;
    check(sysyc_module_function(module, "sum", &two, SYSYC_EXPORT, &sum_of, &message), message);
    check(sysyc_module_function(module, "total", &two, SYSYC_LOCAL, &total_of, &message), message);
    check(sysyc_module_function(module, "square", &one, SYSYC_LOCAL, &square, &message), message);
    check(sysyc_module_function(module, "main", &none, SYSYC_EXPORT, &start, &message), message);
    check(sysyc_module_function(module, "printf", &say, SYSYC_IMPORT, &print, &message), message);
    check(sysyc_module_prototype(module, &one, &called, &message), message);
    sysyc_data text = {sizeof text, (const uint8_t *)"%d\n", 4, 1, 1, NULL, NULL, 0, 0};
    sysyc_address of_square = {0, square, {0}, 0};
    sysyc_data functions = {sizeof functions, NULL, pointer, pointer, 1, NULL, &of_square, 1, 0};
    sysyc_global format, table;
    check(sysyc_module_data(module, "format", &text, SYSYC_LOCAL, &format, &message), message);
    check(sysyc_module_data(module, "table", &functions, SYSYC_EXPORT, &table, &message), message);

    check(sysyc_module_define(module, sum(module, sum_of, called), &message), message);
    check(sysyc_module_define(module, total(module, total_of, sum_of), &message), message);
    sysyc_builder *b = NULL, *c = NULL;
    check(sysyc_builder_new(module, square, &b, &message), message);
    check(sysyc_builder_new(module, start, &c, &message), message);
    sysyc_value x = sysyc_build_param(b, 0);
    sysyc_build_ret(b, sysyc_build_binary(b, SYSYC_MUL, x, x));
    sysyc_value address = sysyc_build_load(c, SYSYC_PTR, sysyc_build_address(c, table));
    sysyc_value args[] = {sysyc_build_int(c, SYSYC_I32, 10), address};
    sysyc_value said[] = {sysyc_build_address(c, format), sysyc_build_call(c, total_of, args, 2)};
    sysyc_build_call(c, print, said, 2);
    sysyc_build_ret(c, sysyc_build_int(c, SYSYC_I32, 0));
    sysyc_definition *of_b = NULL, *of_c = NULL;
    check(sysyc_builder_finish(b, &of_b, &message), message);
    check(sysyc_builder_finish(c, &of_c, &message), message);
    check(sysyc_module_define(module, of_c, &message), message);
    check(sysyc_module_define(module, of_b, &message), message);
    check(sysyc_module_verify(module, &message), message);
}

struct known {
    sysyc_function next;
    int asked;
};

static uint64_t where(void *context, const sysyc_name *name) {
    struct known *known = context;
    known->asked++;
    return name->function.id == known->next.id ? 0x10400 : 0;
}

/* Code that calls another function, at an address; what calls it is told where that is. */
static int in_memory(const char *target) {
    sysyc_module *module = NULL;
    sysyc_codegen *codegen = NULL;
    sysyc_builder *b = NULL;
    sysyc_definition *definition = NULL;
    sysyc_code *code = NULL;
    sysyc_buffer *message = NULL, *table = NULL;
    sysyc_function caller;
    struct known known = {{0}, 0};
    check(sysyc_module_new(target, &module, &message), message);
    check(sysyc_codegen_new(target, 1, &codegen, &message), message);
    check(sysyc_module_function(module, "caller", NULL, SYSYC_LOCAL, &caller, &message), message);
    check(sysyc_module_function(module, "next", NULL, SYSYC_LOCAL, &known.next, &message), message);
    check(sysyc_builder_new(module, caller, &b, &message), message);
    sysyc_build_call(b, known.next, NULL, 0);
    sysyc_build_call(b, known.next, NULL, 0);
    sysyc_build_ret_void(b);
    check(sysyc_builder_finish(b, &definition, &message), message);
    sysyc_codegen_unwind_tables(codegen);
    check(sysyc_codegen_compile(codegen, module, definition, &code, &message), message);
    size_t size = sysyc_code_size(code), count = 0;
    uint8_t *memory = malloc(size), jump[SYSYC_JUMP_BYTES];
    check(sysyc_code_place(code, memory, size, 0x10000, where, &known, &message), message);
    sysyc_relocation relocation;
    while (sysyc_code_relocation(code, count, &relocation, NULL) == SYSYC_OK) {
        count++;
    }
    int bad = count < 2 || known.asked < 2 || size < 8 || sysyc_code_align(code) < 2;
    check(sysyc_code_eh_frame(code, 0x10000, &table, &message), message);
    bad += sysyc_buffer_size(table) < 20;
    check(sysyc_write_jump(target, jump, 0x10000, 0x20000, &message), message);
    bad += sysyc_code_place(code, memory, size, 0x10000, NULL, NULL, NULL) != SYSYC_LINK;
    bad += sysyc_code_place(code, memory, size - 1, 0x10000, where, &known, NULL) != SYSYC_MISUSE;
    bad += sysyc_code_place(code, NULL, size, 0x10000, where, &known, NULL) != SYSYC_MISUSE;
    /* A cancelled one gives nothing, and takes the body. */
    sysyc_cancel_token *token = sysyc_cancel_new();
    sysyc_codegen_cancel(codegen, token);
    sysyc_cancel(token);
    check(sysyc_builder_new(module, caller, &b, &message), message);
    sysyc_build_ret_void(b);
    check(sysyc_builder_finish(b, &definition, &message), message);
    sysyc_code *nothing = NULL;
    bad += sysyc_codegen_compile(codegen, module, definition, &nothing, NULL) != SYSYC_CANCELLED || nothing;
    sysyc_cancel_free(token);
    free(memory);
    sysyc_buffer_free(table);
    sysyc_code_free(code);
    sysyc_codegen_free(codegen);
    sysyc_module_free(module);
    return bad;
}

/* Each is wrong in one way, which the end of the builder tells. */
static int wrong_uses(const char *target) {
    sysyc_module *module = NULL, *other = NULL;
    sysyc_buffer *message = NULL;
    sysyc_function f, again = {1}, theirs;
    sysyc_param i32 = {SYSYC_I32, 0}, odd = {99, 0}, wide = {SYSYC_F64, SYSYC_SIGN_EXTENDED};
    sysyc_signature one = {sizeof one, &i32, 1, i32, 0, 0, NULL, 0}, strange = {sizeof strange, &odd, 1, i32, 0, 0, NULL, 0};
    sysyc_signature extended = {sizeof extended, &wide, 1, i32, 0, 0, NULL, 0}, small = {4, &i32, 1, i32, 0, 0, NULL, 0};
    sysyc_definition *none = NULL;
    int bad = 0;
    check(sysyc_module_new(target, &module, &message), message);
    check(sysyc_module_new(target, &other, &message), message);
    check(sysyc_module_function(module, "f", &one, SYSYC_EXPORT, &f, &message), message);
    check(sysyc_module_function(other, "f", &one, SYSYC_EXPORT, &theirs, &message), message);
    bad += sysyc_module_function(module, "f", &one, SYSYC_EXPORT, &again, &message) != SYSYC_MISUSE || again.id;
    bad += strcmp((const char *)sysyc_buffer_bytes(message), "there is a 'f' already") != 0;
    sysyc_buffer_free(message);
    bad += sysyc_module_function(module, "g", &strange, SYSYC_EXPORT, &again, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_function(module, "g", &extended, SYSYC_EXPORT, &again, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_function(module, "g", &small, SYSYC_EXPORT, &again, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_function(module, "g", &one, 7, &again, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_function(module, NULL, &one, SYSYC_EXPORT, &again, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_function(module, "g", &one, SYSYC_EXPORT, NULL, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_take_address(module, theirs, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_find_function(module, "f", &again, NULL) != SYSYC_OK || again.id != f.id;
    bad += sysyc_module_find_function(module, "x", &again, NULL) != SYSYC_MISUSE || again.id;
    for (int k = 0; k < 12; k++) {
        sysyc_builder *b = NULL, *c = NULL;
        check(sysyc_builder_new(module, f, &b, &message), message);
        check(sysyc_builder_new(module, f, &c, &message), message);
        sysyc_value x = sysyc_build_param(b, 0), foreign = sysyc_build_param(c, 0), nothing = {0};
        sysyc_block block = sysyc_build_block(c);
        switch (k) {
        case 0: sysyc_build_ret(b, foreign); break;
        case 1: sysyc_build_ret(b, nothing); break;
        case 2: sysyc_build_br(b, block); break;
        case 3: sysyc_build_binary(b, 99, x, x); break;
        case 4: sysyc_build_binary(b, SYSYC_FADD, x, x); break;
        case 5: sysyc_build_param(b, 1); break;
        case 6: sysyc_build_call(b, theirs, &x, 1); break;
        case 7: sysyc_build_call(b, f, NULL, 1); break;
        case 8: sysyc_build_int(b, SYSYC_PTR, 1); break;
        case 9: sysyc_build_get(b, (sysyc_variable){x.id}); break;
        case 10: sysyc_build_function_address(b, f); break;
        default: sysyc_build_load(b, 77, x); break;
        }
        /* Nothing is built behind it. */
        sysyc_build_ret(b, x);
        /* While there are builders, the module stays as it is. */
        bad += sysyc_module_take_address(module, f, NULL) != SYSYC_MISUSE;
        bad += sysyc_builder_finish(b, &none, &message) != SYSYC_MISUSE || none || !message;
        sysyc_buffer_free(message);
        sysyc_builder_free(c);
    }
    bad += sysyc_builder_finish(NULL, &none, NULL) != SYSYC_MISUSE;
    bad += sysyc_builder_new(module, theirs, &(sysyc_builder *){NULL}, NULL) != SYSYC_MISUSE;
    bad += sysyc_build_int(NULL, SYSYC_I32, 1).id != 0;
    bad += sysyc_module_define(module, NULL, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_verify(module, NULL) != SYSYC_MISUSE;
    sysyc_module_free(module);
    sysyc_module_free(other);
    return bad;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: builder TARGET OUTPUT\n");
        return 2;
    }
    sysyc_module *module = NULL;
    sysyc_buffer *object = NULL, *message = NULL;
    check(sysyc_module_new(argv[1], &module, &message), message);
    program(module, argv[1]);
    sysyc_cancel_token *token = sysyc_cancel_new();
    sysyc_options options = {sizeof options, 2, 1, 1, 1, token, NULL};
    check(sysyc_module_compile(module, &options, &object, &message), message);
    FILE *out = fopen(argv[2], "wb");
    int bad = !out || fwrite(sysyc_buffer_bytes(object), 1, sysyc_buffer_size(object), out) != sysyc_buffer_size(object);
    bad += !out || fclose(out) != 0;
    sysyc_buffer_free(object);
    sysyc_cancel(token);
    bad += sysyc_module_compile(module, &options, &object, NULL) != SYSYC_CANCELLED || object;
    sysyc_cancel_free(token);
    sysyc_module_free(module);
    bad += in_memory(argv[1]) + wrong_uses(argv[1]);
    return bad != 0;
}
