/* What machines do beyond arithmetic: variadic arguments, atomics, memory of the stack, functions of the C library, data of a
 * thread's own, sections, what need not be there; compiled on threads that are there already. machine TARGET OUTPUT. */
#include "sysyc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(sysyc_status status, sysyc_buffer *message) {
    if (status != SYSYC_OK) {
        fprintf(stderr, "machine: status %d: %s\n", (int)status, (const char *)sysyc_buffer_bytes(message));
        exit(1);
    }
}

static sysyc_value i32(sysyc_builder *b, int64_t x) {
    return sysyc_build_int(b, SYSYC_I32, x);
}

/* int total(int n, ...) { va_list list; va_start(list, n); int s = 0; while (n > 0) { s += va_arg(list, int); n--; } return s; } */
static void total(sysyc_module *module, sysyc_function function) {
    sysyc_builder *b = NULL;
    sysyc_buffer *message = NULL;
    sysyc_definition *definition = NULL;
    check(sysyc_builder_new(module, function, &b, &message), message);
    sysyc_variable n = sysyc_build_variable(b, SYSYC_I32), s = sysyc_build_variable(b, SYSYC_I32);
    sysyc_block head = sysyc_build_block(b), body = sysyc_build_block(b), end = sysyc_build_block(b);
    sysyc_value first = sysyc_build_va_list(b), list = sysyc_build_va_list(b);
    sysyc_build_va_start(b, first);
    sysyc_build_va_copy(b, list, first);
    sysyc_build_va_end(b, first);
    sysyc_build_set(b, n, sysyc_build_param(b, 0));
    sysyc_build_set(b, s, i32(b, 0));
    sysyc_build_br(b, head);
    sysyc_build_switch_to(b, head);
    sysyc_build_cond_br(b, sysyc_build_icmp(b, SYSYC_SGT, sysyc_build_get(b, n), i32(b, 0)), body, end);
    sysyc_build_switch_to(b, body);
    sysyc_value next = sysyc_build_va_arg(b, list, SYSYC_I32);
    sysyc_build_set(b, s, sysyc_build_binary(b, SYSYC_ADD, sysyc_build_get(b, s), next));
    sysyc_build_set(b, n, sysyc_build_binary(b, SYSYC_SUB, sysyc_build_get(b, n), i32(b, 1)));
    sysyc_build_br(b, head);
    sysyc_build_switch_to(b, end);
    sysyc_build_va_end(b, list);
    sysyc_build_ret(b, sysyc_build_get(b, s));
    check(sysyc_builder_finish(b, &definition, &message), message);
    check(sysyc_module_define(module, definition, &message), message);
}

/* _Thread_local int ticket = 5; int next_ticket(void) { if (&bonus) ticket += bonus; return ticket++; } in a section of its
 * own, where `bonus` is there or not. */
static sysyc_definition *ticket(sysyc_module *module, sysyc_function *function) {
    sysyc_buffer *message = NULL;
    sysyc_definition *definition = NULL;
    sysyc_builder *b = NULL;
    sysyc_param of_i32 = {SYSYC_I32, 0};
    sysyc_signature none = {sizeof none, NULL, 0, of_i32, 0, 0, NULL, 0};
    sysyc_data five = {sizeof five, (const uint8_t *)"\5\0\0\0", 4, 4, 0, NULL, NULL, 0, 1};
    sysyc_data import = {sizeof import, NULL, 4, 4, 0, NULL, NULL, 0, 0};
    sysyc_global own, bonus;
    check(sysyc_module_data(module, "ticket", &five, SYSYC_EXPORT, &own, &message), message);
    check(sysyc_module_data(module, "bonus", &import, SYSYC_WEAK_IMPORT, &bonus, &message), message);
    check(sysyc_module_function(module, "next_ticket", &none, SYSYC_EXPORT, function, &message), message);
    check(sysyc_module_set_section(module, *function, ".text.tickets", &message), message);
    check(sysyc_module_set_relocation_model(module, SYSYC_PIE, &message), message);
    check(sysyc_module_set_visibility(module, *function, SYSYC_HIDDEN, &message), message);
    check(sysyc_module_set_data_visibility(module, own, SYSYC_PROTECTED, &message), message);
    check(sysyc_module_set_thread_model(module, own, SYSYC_INITIAL_EXEC, &message), message);
    check(sysyc_builder_new(module, *function, &b, &message), message);
    sysyc_block more = sysyc_build_block(b), end = sysyc_build_block(b);
    sysyc_value place = sysyc_build_address(b, own), maybe = sysyc_build_address(b, bonus);
    sysyc_build_cond_br(b, sysyc_build_is_null(b, maybe), end, more);
    sysyc_build_switch_to(b, more);
    sysyc_value sum = sysyc_build_load(b, SYSYC_I32, place);
    sum = sysyc_build_binary(b, SYSYC_ADD, sum, sysyc_build_load(b, SYSYC_I32, maybe));
    sysyc_build_store(b, sum, place);
    sysyc_build_br(b, end);
    sysyc_build_switch_to(b, end);
    sysyc_value old = sysyc_build_load(b, SYSYC_I32, place);
    sysyc_build_store(b, sysyc_build_binary(b, SYSYC_ADD, old, i32(b, 1)), place);
    sysyc_build_ret(b, old);
    check(sysyc_builder_finish(b, &definition, &message), message);
    return definition;
}

static void program(sysyc_module *module) {
    sysyc_buffer *message = NULL;
    sysyc_param of_i32 = {SYSYC_I32, 0}, ptr = {SYSYC_PTR, 0};
    sysyc_signature many = {sizeof many, &of_i32, 1, of_i32, 1, 0, NULL, 0};
    sysyc_signature none = {sizeof none, NULL, 0, of_i32, 0, 0, NULL, 0};
    sysyc_signature say = {sizeof say, &ptr, 1, of_i32, 1, 0, NULL, 0};
    sysyc_function total_of, start, print;
    sysyc_global format;
    sysyc_data text = {sizeof text, (const uint8_t *)"%d %d %d %d %d %d\n", 19, 1, 1, NULL, NULL, 0, 0};
    check(sysyc_module_function(module, "total", &many, SYSYC_EXPORT, &total_of, &message), message);
    check(sysyc_module_function(module, "main", &none, SYSYC_EXPORT, &start, &message), message);
    check(sysyc_module_function(module, "printf", &say, SYSYC_IMPORT, &print, &message), message);
    check(sysyc_module_data(module, "format", &text, SYSYC_LOCAL, &format, &message), message);
    check(sysyc_module_use_atomics(module, SYSYC_I32, &message), message);
    check(sysyc_module_use_stack(module, &message), message);
    check(sysyc_module_use_library(module, &message), message);
    total(module, total_of);
    sysyc_function next;
    check(sysyc_module_define(module, ticket(module, &next), &message), message);

    sysyc_builder *b = NULL;
    sysyc_definition *definition = NULL;
    check(sysyc_builder_new(module, start, &b, &message), message);
    sysyc_value args[] = {i32(b, 3), i32(b, 10), i32(b, 20), i32(b, 12)};
    sysyc_value sum = sysyc_build_call(b, total_of, args, 4);
    sysyc_value place = sysyc_build_stack(b, 4, 4);
    sysyc_build_atomic_store(b, i32(b, 5), place, SYSYC_RELEASE);
    sysyc_build_atomic_update(b, SYSYC_UPDATE_ADD, place, i32(b, 7), SYSYC_SEQ_CST);
    sysyc_value was = sysyc_build_compare_exchange(b, place, i32(b, 12), i32(b, 30), SYSYC_ACQ_REL, SYSYC_ACQUIRE);
    sysyc_build_fence(b, SYSYC_SEQ_CST);
    sysyc_value is = sysyc_build_atomic_load(b, SYSYC_I32, place, SYSYC_ACQUIRE);
    sysyc_value root = sysyc_build_unary(b, SYSYC_SQRT, sysyc_build_double(b, 16.0));
    root = sysyc_build_binary(b, SYSYC_FMAX, root, sysyc_build_double(b, 1.0));
    root = sysyc_build_binary(b, SYSYC_COPYSIGN, root, sysyc_build_double(b, 0.0));
    root = sysyc_build_convert(b, SYSYC_BITCAST, sysyc_build_convert(b, SYSYC_BITCAST, root, SYSYC_I64), SYSYC_F64);
    sysyc_value saved = sysyc_build_stack_save(b), memory = sysyc_build_stack_alloc(b, sum, 64);
    sysyc_build_store(b, i32(b, 7), memory);
    sysyc_build_memmove(b, sysyc_build_index(b, memory, i32(b, 2), 1), memory, i32(b, 4));
    sysyc_value moved = sysyc_build_load(b, SYSYC_I8, sysyc_build_index(b, memory, i32(b, 2), 1));
    moved = sysyc_build_convert(b, SYSYC_SEXT, moved, SYSYC_I32);
    sysyc_build_stack_restore(b, saved);
    sysyc_build_call(b, next, NULL, 0);
    sysyc_value second = sysyc_build_call(b, next, NULL, 0);
    sysyc_value said[] = {sysyc_build_address(b, format), sum, was, is,
                          sysyc_build_convert(b, SYSYC_FPTOSI, root, SYSYC_I32), moved, second};
    sysyc_build_call(b, print, said, 7);
    sysyc_build_ret(b, i32(b, 0));
    check(sysyc_builder_finish(b, &definition, &message), message);
    check(sysyc_module_define(module, definition, &message), message);
    check(sysyc_module_verify(module, &message), message);
}

/* Code in memory has no data of a thread's own, and cannot ask what is there. */
static int wrong_in_memory(const char *target) {
    sysyc_module *module = NULL;
    sysyc_codegen *codegen = NULL;
    sysyc_code *code = NULL;
    sysyc_buffer *message = NULL;
    sysyc_function function;
    check(sysyc_module_new(target, &module, &message), message);
    check(sysyc_codegen_new(target, 1, &codegen, &message), message);
    sysyc_definition *definition = ticket(module, &function);
    int bad = sysyc_codegen_compile(codegen, module, definition, &code, &message) != SYSYC_UNSUPPORTED || code;
    bad += !message || !strstr((const char *)sysyc_buffer_bytes(message), "code in memory");
    sysyc_buffer_free(message);
    sysyc_codegen_free(codegen);
    sysyc_module_free(module);
    return bad;
}

/* What is wrong is a status. */
static int wrong_uses(const char *target) {
    sysyc_module *module = NULL;
    sysyc_buffer *message = NULL;
    sysyc_param takes[] = {{SYSYC_I32, 0}, {SYSYC_PTR, 0}};
    sysyc_by_value second = {1, 20, 4}, first = {0, 20, 4}, third = {2, 20, 4};
    sysyc_signature by_value = {sizeof by_value, takes, 2, takes[0], 0, 0, &second, 1};
    sysyc_signature of_i32 = {sizeof of_i32, takes, 2, takes[0], 0, 0, &first, 1};
    sysyc_signature of_none = {sizeof of_none, takes, 2, takes[0], 0, 0, &third, 1};
    /* As a client of the first version has it. */
    sysyc_signature old = {offsetof(sysyc_signature, by_value), takes, 2, takes[0], 0, 0, &third, 1};
    sysyc_function f;
    sysyc_definition *none = NULL;
    int bad = 0;
    check(sysyc_module_new(target, &module, &message), message);
    check(sysyc_module_function(module, "old", &old, SYSYC_EXPORT, &f, &message), message);
    sysyc_status wanted = strcmp(target, "armv7") == 0 ? SYSYC_OK : SYSYC_UNSUPPORTED;
    bad += sysyc_module_function(module, "g", &by_value, SYSYC_EXPORT, &(sysyc_function){0}, NULL) != wanted;
    bad += sysyc_module_function(module, "h", &of_i32, SYSYC_EXPORT, &(sysyc_function){0}, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_function(module, "h", &of_none, SYSYC_EXPORT, &(sysyc_function){0}, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_use_atomics(module, SYSYC_F64, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_use_stack(NULL, NULL) != SYSYC_MISUSE;
    /* Sections, thread-local data, linkage. */
    sysyc_global g = {0};
    sysyc_data own = {sizeof own, NULL, 4, 4, 0, NULL, NULL, 0, 1}, in = {sizeof in, NULL, 4, 4, 0, ".text.f", NULL, 0, 0};
    sysyc_data older = {offsetof(sysyc_data, is_thread_local), NULL, 4, 4, 0, NULL, NULL, 0, 1};
    check(sysyc_module_data(module, "own", &own, SYSYC_LOCAL, &g, &message), message);
    sysyc_address of_own = {0, {0}, g, 0};
    sysyc_data leads = {sizeof leads, NULL, 8, 8, 0, NULL, &of_own, 1, 0};
    bad += sysyc_module_data(module, "leads", &leads, SYSYC_LOCAL, &(sysyc_global){0}, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_data(module, "maybe", &own, SYSYC_WEAK_IMPORT, &(sysyc_global){0}, NULL) != SYSYC_UNSUPPORTED;
    bad += sysyc_module_data(module, "shared", &own, SYSYC_COMMON, &(sysyc_global){0}, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_data(module, "wrong", &own, 99, &(sysyc_global){0}, NULL) != SYSYC_MISUSE;
    check(sysyc_module_data(module, "older", &older, SYSYC_LOCAL, &g, &message), message);
    bad += sysyc_module_define_data(module, g, &own, NULL) != SYSYC_MISUSE;
    check(sysyc_module_set_section(module, f, ".text.f", &message), message);
    bad += sysyc_module_data(module, "in", &in, SYSYC_LOCAL, &(sysyc_global){0}, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_set_section(module, f, "", NULL) != SYSYC_MISUSE;
    bad += sysyc_module_set_section(module, f, NULL, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_set_section(module, f, ".data.f", NULL) != SYSYC_MISUSE;
    bad += sysyc_module_set_section(module, (sysyc_function){12345}, ".text.g", NULL) != SYSYC_MISUSE;
    bad += sysyc_module_set_section(NULL, f, ".text.g", NULL) != SYSYC_MISUSE;
    bad += sysyc_module_set_relocation_model(module, 3, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_set_visibility(module, f, 3, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_set_data_visibility(module, g, SYSYC_HIDDEN, NULL) != SYSYC_MISUSE;
    bad += sysyc_module_set_thread_model(module, (sysyc_global){12345}, SYSYC_LOCAL_EXEC, NULL) != SYSYC_MISUSE;
    for (int k = 0; k < 9; k++) {
        sysyc_builder *b = NULL;
        check(sysyc_builder_new(module, f, &b, &message), message);
        sysyc_value x = sysyc_build_param(b, 0), p = sysyc_build_param(b, 1);
        switch (k) {
        case 0: sysyc_build_atomic_load(b, SYSYC_I32, p, SYSYC_SEQ_CST); break;
        case 1: sysyc_build_fence(b, 9); break;
        case 2: sysyc_build_atomic_update(b, 99, p, x, SYSYC_SEQ_CST); break;
        case 3: sysyc_build_stack_alloc(b, x, 8); break;
        case 4: sysyc_build_memmove(b, p, p, x); break;
        case 5: sysyc_build_va_start(b, p); break;
        case 6: sysyc_build_va_arg(b, p, SYSYC_F32); break;
        case 7: sysyc_build_va_copy(b, p, x); break;
        default: sysyc_build_convert(b, SYSYC_BITCAST, p, SYSYC_I64); break;
        }
        sysyc_build_ret(b, x);
        bad += sysyc_builder_finish(b, &none, &message) != SYSYC_MISUSE || none || !message;
        sysyc_buffer_free(message);
    }
    sysyc_module_free(module);
    return bad;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: machine TARGET OUTPUT\n");
        return 2;
    }
    sysyc_module *module = NULL;
    sysyc_buffer *object = NULL, *again = NULL, *message = NULL;
    check(sysyc_module_new(argv[1], &module, &message), message);
    program(module);
    sysyc_pool *pool = sysyc_pool_new(2);
    sysyc_options on_pool = {sizeof on_pool, 2, 1, 1, 0, NULL, pool}, alone = {sizeof alone, 2, 1, 1, 0, NULL, NULL};
    check(sysyc_module_compile(module, &on_pool, &object, &message), message);
    sysyc_buffer_free(object);
    check(sysyc_module_compile(module, &on_pool, &object, &message), message);
    check(sysyc_module_compile(module, &alone, &again, &message), message);
    size_t size = sysyc_buffer_size(object);
    int bad = size != sysyc_buffer_size(again) || memcmp(sysyc_buffer_bytes(object), sysyc_buffer_bytes(again), size) != 0;
    FILE *out = fopen(argv[2], "wb");
    bad += !out || fwrite(sysyc_buffer_bytes(object), 1, size, out) != size;
    bad += !out || fclose(out) != 0;
    sysyc_buffer_free(object);
    sysyc_buffer_free(again);
    sysyc_pool_free(pool);
    sysyc_pool_free(NULL);
    sysyc_module_free(module);
    bad += wrong_uses(argv[1]) + wrong_in_memory(argv[1]);
    return bad != 0;
}
