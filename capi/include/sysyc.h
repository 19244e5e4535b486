/* The backend of sysyc for C: functions that are built by calls, or LLVM text, to objects, assembly, static programs and
 * code in memory.
 *
 * Functions that can fail return a status, and give a message if `message` is not NULL and the status is not SYSYC_OK;
 * it is freed with sysyc_buffer_free. Handles are freed with the function of their kind, which takes NULL, too. What a
 * function takes as a pointer to const may be used by several threads at a time as long as none frees it; what it takes
 * as another pointer, nothing else may use meanwhile. Structs whose first member is `size` may grow: it is their sizeof.
 * Those without (sysyc_input, sysyc_param, sysyc_by_value, sysyc_address, sysyc_case, sysyc_name, sysyc_relocation, and handles) lie in arrays
 * and stay as they are.
 * Nothing is printed, no file is opened, and nothing unwinds or longjmps out of these functions (nor may it out of a
 * function that they are given). */
#ifndef SYSYC_H
#define SYSYC_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header; sysyc_version() is the library's. */
#define SYSYC_VERSION_MAJOR 0
#define SYSYC_VERSION_MINOR 2
#define SYSYC_VERSION_PATCH 0
#define SYSYC_VERSION "0.2.0"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sysyc_status {
    SYSYC_OK = 0,
    SYSYC_MISUSE = 1,      /* an argument means nothing: NULL, no UTF-8, a level or target that there is not */
    SYSYC_PARSE = 2,       /* the text is no module; the message begins with line:column */
    SYSYC_UNSUPPORTED = 3, /* the machine cannot do what is asked for */
    SYSYC_LINK = 4,        /* names are missing or there twice, a line each */
    SYSYC_INTERNAL = 5,    /* a bug of the library */
    SYSYC_CANCELLED = 6    /* by sysyc_cancel */
} sysyc_status;

typedef struct sysyc_module sysyc_module;
typedef struct sysyc_buffer sysyc_buffer;
typedef struct sysyc_cancel_token sysyc_cancel_token;
typedef struct sysyc_pool sysyc_pool;

/* `size` is sizeof(sysyc_options): what later versions add behind is 0 for those who do not know it. */
typedef struct sysyc_options {
    size_t size;
    uint32_t level;   /* 0 to 3; 4 and 5: -Os and -Oz */
    uint32_t threads; /* 0 and 1: the caller's own; the code is the same for any number */
    uint32_t verify;  /* not 0: prove what can be proven on the way; slow */
    uint32_t unwind_tables;           /* not 0: .eh_frame, .ARM.exidx */
    const sysyc_cancel_token *cancel; /* what may cancel it, or NULL; not freed meanwhile */
    const sysyc_pool *pool;           /* threads in the place of `threads`, or NULL; not freed meanwhile */
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

/* Cancels what was begun with the token, from any thread. */
sysyc_cancel_token *sysyc_cancel_new(void);
void sysyc_cancel(const sysyc_cancel_token *token);
void sysyc_cancel_free(sysyc_cancel_token *token);

/* Threads (1 to 1024) that wait between compilations, which may be any number at a time. NULL if there are none to be had. They have
 * ended when sysyc_pool_free comes back. */
sysyc_pool *sysyc_pool_new(uint32_t threads);
void sysyc_pool_free(sysyc_pool *pool);

/* ---- Modules that are built ---------------------------------------------------------------------------------------
 *
 * Handles of functions, data, signatures, values, blocks and variables are numbers, of which 0 is none. They belong to
 * their module or builder and are not freed; those of another one are an error.
 */

typedef struct sysyc_function { uint64_t id; } sysyc_function;
typedef struct sysyc_global { uint64_t id; } sysyc_global;
typedef struct sysyc_prototype { uint64_t id; } sysyc_prototype;

enum sysyc_type {
    SYSYC_VOID, SYSYC_I1, SYSYC_I8, SYSYC_I16, SYSYC_I32, SYSYC_I64, SYSYC_F32, SYSYC_F64, SYSYC_PTR
};

/* Visible outside; the same, and another may take its place; only here; defined elsewhere; elsewhere or nowhere, where its
 * address is null; zeros that linkers make room for once (data only). */
enum sysyc_linkage { SYSYC_EXPORT, SYSYC_WEAK, SYSYC_LOCAL, SYSYC_IMPORT, SYSYC_WEAK_IMPORT, SYSYC_COMMON };

/* How integers narrower than a register travel: bool and unsigned ones of C with zeros, signed ones with their sign. */
enum sysyc_extension { SYSYC_AS_IT_IS, SYSYC_ZERO_EXTENDED, SYSYC_SIGN_EXTENDED };

typedef struct sysyc_param {
    uint32_t type;
    uint32_t extension;
} sysyc_param;

/* A parameter (a ptr) whose contents are passed, as C passes large structs to functions for armv7 alone; in the body it is
 * the address of a copy. */
typedef struct sysyc_by_value {
    uint32_t param;
    uint32_t bytes;
    uint32_t align;
} sysyc_by_value;

typedef struct sysyc_signature {
    size_t size;
    const sysyc_param *params;
    size_t count;
    sysyc_param result;        /* of type SYSYC_VOID for none */
    uint32_t variadic;         /* not 0: takes variadic arguments */
    uint32_t result_in_memory; /* not 0: the first parameter is where the result goes (C's structs) */
    const sysyc_by_value *by_value;
    size_t by_value_count;
} sysyc_signature;

/* An address in data, from byte `at` on: of a function, if that is one, else `offset` bytes into a datum. */
typedef struct sysyc_address {
    uint32_t at;
    sysyc_function function;
    sysyc_global global;
    int64_t offset;
} sysyc_address;

typedef struct sysyc_data {
    size_t size;
    const uint8_t *bytes; /* NULL: zeros */
    size_t length;
    uint32_t align;       /* a power of two; 0 is 1 */
    uint32_t constant;    /* not 0: never written */
    const char *section;  /* NULL: where its kind of data goes */
    const sysyc_address *addresses;
    size_t count;
    uint32_t is_thread_local; /* not 0: each thread has its own (_Thread_local); not for code in memory */
} sysyc_data;

/* What changes a module fails while there are builders of its functions. A signature of NULL takes and gives nothing. */
sysyc_status sysyc_module_new(const char *target, sysyc_module **module, sysyc_buffer **message);
sysyc_status sysyc_module_function(sysyc_module *module, const char *name, const sysyc_signature *signature,
                                   uint32_t linkage, sysyc_function *function, sysyc_buffer **message);
/* What is called by its address with such arguments. */
sysyc_status sysyc_module_prototype(sysyc_module *module, const sysyc_signature *signature,
                                    sysyc_prototype *prototype, sysyc_buffer **message);
/* Lets bodies use the address of a function. (Data that have it need not ask.) */
sysyc_status sysyc_module_take_address(sysyc_module *module, sysyc_function function, sysyc_buffer **message);
/* Puts the code of a function in a section of this name, in objects and assembly. */
sysyc_status sysyc_module_set_section(sysyc_module *module, sysyc_function function, const char *section,
                                      sysyc_buffer **message);
/* What all code of the module is linked into, in place of what its text says: a program at a fixed address (as it is without
 * this), a program that is loaded anywhere, a shared library. Code in memory is for the first. */
enum sysyc_relocation_model { SYSYC_STATIC, SYSYC_PIE, SYSYC_PIC };
sysyc_status sysyc_module_set_relocation_model(sysyc_module *module, uint32_t model, sysyc_buffer **message);
/* What other programs and libraries may do with a name: replace it, see it, nothing. */
enum sysyc_visibility { SYSYC_VISIBILITY_DEFAULT, SYSYC_PROTECTED, SYSYC_HIDDEN };
sysyc_status sysyc_module_set_visibility(sysyc_module *module, sysyc_function function, uint32_t visibility,
                                         sysyc_buffer **message);
sysyc_status sysyc_module_set_data_visibility(sysyc_module *module, sysyc_global global, uint32_t visibility,
                                              sysyc_buffer **message);
/* How the address of a thread-local datum may be found, or in a quicker way. */
enum sysyc_thread_model { SYSYC_GENERAL_DYNAMIC, SYSYC_LOCAL_DYNAMIC, SYSYC_INITIAL_EXEC, SYSYC_LOCAL_EXEC };
sysyc_status sysyc_module_set_thread_model(sysyc_module *module, sysyc_global global, uint32_t model,
                                           sysyc_buffer **message);
/* Lets bodies access values of a type as atomics do, and use fences; take memory of the stack of a size known when they run;
 * and call what the C library has (memmove, sqrt). */
sysyc_status sysyc_module_use_atomics(sysyc_module *module, uint32_t type, sysyc_buffer **message);
sysyc_status sysyc_module_use_stack(sysyc_module *module, sysyc_buffer **message);
sysyc_status sysyc_module_use_library(sysyc_module *module, sysyc_buffer **message);
/* Lets the body of a function clean up where an exception leaves a call of it; unwinders are told of all functions then. */
sysyc_status sysyc_module_use_cleanups(sysyc_module *module, sysyc_function function, sysyc_buffer **message);
sysyc_status sysyc_module_data(sysyc_module *module, const char *name, const sysyc_data *data, uint32_t linkage,
                               sysyc_global *global, sysyc_buffer **message);
/* Other contents of the same size, so that data can have each other's addresses. */
sysyc_status sysyc_module_define_data(sysyc_module *module, sysyc_global global, const sysyc_data *data,
                                      sysyc_buffer **message);
sysyc_status sysyc_module_find_function(sysyc_module *module, const char *name, sysyc_function *function,
                                        sysyc_buffer **message);
sysyc_status sysyc_module_find_data(sysyc_module *module, const char *name, sysyc_global *global,
                                    sysyc_buffer **message);
sysyc_status sysyc_module_verify(const sysyc_module *module, sysyc_buffer **message);

/* ---- Bodies -------------------------------------------------------------------------------------------------------
 *
 * A builder of a function stands in its entry block. The first thing that is wrong is kept, nothing is built behind it,
 * and sysyc_builder_finish tells; on the way there is nothing to check. Several threads may build functions of one
 * module, each with a builder of its own.
 */

typedef struct sysyc_builder sysyc_builder;
typedef struct sysyc_definition sysyc_definition;
typedef struct sysyc_value { uint64_t id; } sysyc_value;
typedef struct sysyc_block { uint64_t id; } sysyc_block;
typedef struct sysyc_variable { uint64_t id; } sysyc_variable;
typedef struct sysyc_case {
    int64_t value;
    sysyc_block to;
} sysyc_case;

enum sysyc_unary {
    SYSYC_NEG, SYSYC_NOT, SYSYC_ABS, SYSYC_FNEG, SYSYC_FABS,
    SYSYC_COUNT_ONES, SYSYC_LEADING_ZEROS, SYSYC_TRAILING_ZEROS, SYSYC_SWAP_BYTES,
    SYSYC_FTRUNC, SYSYC_FLOOR, SYSYC_CEIL,
    SYSYC_SQRT /* of the C library */
};

enum sysyc_binary {
    SYSYC_ADD, SYSYC_SUB, SYSYC_MUL, SYSYC_SDIV, SYSYC_SREM, SYSYC_UDIV, SYSYC_UREM, SYSYC_AND, SYSYC_OR, SYSYC_XOR,
    SYSYC_SHL, SYSYC_LSHR, SYSYC_ASHR, SYSYC_SMIN, SYSYC_SMAX, SYSYC_UMIN, SYSYC_UMAX,
    SYSYC_SMULHI, SYSYC_UMULHI, /* the upper half of the product */
    SYSYC_FADD, SYSYC_FSUB, SYSYC_FMUL, SYSYC_FDIV,
    SYSYC_ROTATE_LEFT, SYSYC_ROTATE_RIGHT,
    SYSYC_COPYSIGN, SYSYC_FMIN, SYSYC_FMAX
};

enum sysyc_conversion {
    SYSYC_ZEXT, SYSYC_SEXT, SYSYC_TRUNC, SYSYC_SITOFP, SYSYC_FPTOSI, SYSYC_FPEXT, SYSYC_FPTRUNC, SYSYC_PTRTOINT,
    SYSYC_UITOFP, SYSYC_FPTOUI,
    SYSYC_BITCAST /* of numbers of 32 or 64 bits */
};

/* What an atomic access stores. */
enum sysyc_update {
    SYSYC_EXCHANGE, SYSYC_UPDATE_ADD, SYSYC_UPDATE_SUB, SYSYC_UPDATE_AND, SYSYC_UPDATE_OR, SYSYC_UPDATE_XOR,
    SYSYC_UPDATE_NAND, SYSYC_UPDATE_SMIN, SYSYC_UPDATE_SMAX, SYSYC_UPDATE_UMIN, SYSYC_UPDATE_UMAX
};

/* Loads are not ordered by RELEASE or ACQ_REL, stores not by ACQUIRE or ACQ_REL, fences not by MONOTONIC (C's relaxed). */
enum sysyc_ordering { SYSYC_MONOTONIC, SYSYC_ACQUIRE, SYSYC_RELEASE, SYSYC_ACQ_REL, SYSYC_SEQ_CST };

enum sysyc_int_predicate {
    SYSYC_EQ, SYSYC_NE, SYSYC_SLT, SYSYC_SLE, SYSYC_SGT, SYSYC_SGE, SYSYC_ULT, SYSYC_ULE, SYSYC_UGT, SYSYC_UGE
};

/* Of floats. Those with U are true of NaN, too. */
enum sysyc_float_predicate {
    SYSYC_FOEQ, SYSYC_FOGT, SYSYC_FOGE, SYSYC_FOLT, SYSYC_FOLE, SYSYC_FONE, SYSYC_FORD,
    SYSYC_FUEQ, SYSYC_FUGT, SYSYC_FUGE, SYSYC_FULT, SYSYC_FULE, SYSYC_FUNE, SYSYC_FUNO
};

sysyc_status sysyc_builder_new(const sysyc_module *module, sysyc_function function, sysyc_builder **builder,
                               sysyc_buffer **message);
/* The body, verified. The builder is gone, whatever comes of it. */
sysyc_status sysyc_builder_finish(sysyc_builder *builder, sysyc_definition **definition, sysyc_buffer **message);
void sysyc_builder_free(sysyc_builder *builder);
void sysyc_definition_free(sysyc_definition *definition);
/* Gives a function its body. The definition is gone, whatever comes of it. */
sysyc_status sysyc_module_define(sysyc_module *module, sysyc_definition *definition, sysyc_buffer **message);

/* Blocks; `seal` says that all branches to one are there, which need not be said. */
sysyc_block sysyc_build_block(sysyc_builder *builder);
void sysyc_build_switch_to(sysyc_builder *builder, sysyc_block block);
void sysyc_build_seal(sysyc_builder *builder, sysyc_block block);
uint32_t sysyc_build_is_ended(sysyc_builder *builder);

/* Parameters, constants, addresses: of thread-local data that of the thread that asks, of a weak import that is not there
 * null. */
sysyc_value sysyc_build_param(sysyc_builder *builder, uint32_t k);
/* A number of an integer type, with its sign or without (-128 to 255 of i8); any other is an error. */
sysyc_value sysyc_build_int(sysyc_builder *builder, uint32_t type, int64_t x);
sysyc_value sysyc_build_float(sysyc_builder *builder, float x);
sysyc_value sysyc_build_double(sysyc_builder *builder, double x);
sysyc_value sysyc_build_null(sysyc_builder *builder);
sysyc_value sysyc_build_address(sysyc_builder *builder, sysyc_global global);
sysyc_value sysyc_build_function_address(sysyc_builder *builder, sysyc_function function);

/* Mutable variables without addresses, of which SSA values are made. */
sysyc_variable sysyc_build_variable(sysyc_builder *builder, uint32_t type);
void sysyc_build_set(sysyc_builder *builder, sysyc_variable variable, sysyc_value value);
sysyc_value sysyc_build_get(sysyc_builder *builder, sysyc_variable variable);

/* Arithmetic on values of one type; comparisons give an i1. */
sysyc_value sysyc_build_unary(sysyc_builder *builder, uint32_t op, sysyc_value x);
sysyc_value sysyc_build_binary(sysyc_builder *builder, uint32_t op, sysyc_value x, sysyc_value y);
sysyc_value sysyc_build_fma(sysyc_builder *builder, sysyc_value x, sysyc_value y, sysyc_value z);
sysyc_value sysyc_build_icmp(sysyc_builder *builder, uint32_t predicate, sysyc_value x, sysyc_value y);
sysyc_value sysyc_build_fcmp(sysyc_builder *builder, uint32_t predicate, sysyc_value x, sysyc_value y);
sysyc_value sysyc_build_is_null(sysyc_builder *builder, sysyc_value address);
sysyc_value sysyc_build_select(sysyc_builder *builder, sysyc_value condition, sysyc_value x, sysyc_value y);
sysyc_value sysyc_build_convert(sysyc_builder *builder, uint32_t conversion, sysyc_value x, uint32_t type);
sysyc_value sysyc_build_inttoptr(sysyc_builder *builder, sysyc_value number);

/* Memory. `index` is address + index * scale. */
sysyc_value sysyc_build_stack(sysyc_builder *builder, uint32_t bytes, uint32_t align);
sysyc_value sysyc_build_load(sysyc_builder *builder, uint32_t type, sysyc_value address);
void sysyc_build_store(sysyc_builder *builder, sysyc_value value, sysyc_value address);
sysyc_value sysyc_build_load_volatile(sysyc_builder *builder, uint32_t type, sysyc_value address);
void sysyc_build_store_volatile(sysyc_builder *builder, sysyc_value value, sysyc_value address);
sysyc_value sysyc_build_index(sysyc_builder *builder, sysyc_value address, sysyc_value index, uint32_t scale);
void sysyc_build_memset(sysyc_builder *builder, sysyc_value address, sysyc_value byte, sysyc_value bytes);
void sysyc_build_memcpy(sysyc_builder *builder, sysyc_value to, sysyc_value from, sysyc_value bytes);
void sysyc_build_memmove(sysyc_builder *builder, sysyc_value to, sysyc_value from, sysyc_value bytes);

/* Memory of the stack, others each time: to the end of the function, or where what `save` gave is restored. */
sysyc_value sysyc_build_stack_alloc(sysyc_builder *builder, sysyc_value bytes, uint32_t align);
sysyc_value sysyc_build_stack_save(sysyc_builder *builder);
void sysyc_build_stack_restore(sysyc_builder *builder, sysyc_value saved);

/* Accesses that other threads see as one, of integers of 8 to 64 bits and ptr. Update and exchange give what was there; the
 * builder may stand in another block behind an update. */
sysyc_value sysyc_build_atomic_load(sysyc_builder *builder, uint32_t type, sysyc_value address, uint32_t ordering);
void sysyc_build_atomic_store(sysyc_builder *builder, sysyc_value value, sysyc_value address, uint32_t ordering);
sysyc_value sysyc_build_atomic_update(sysyc_builder *builder, uint32_t update, sysyc_value address, sysyc_value value,
                                      uint32_t ordering);
sysyc_value sysyc_build_compare_exchange(sysyc_builder *builder, sysyc_value address, sysyc_value expected,
                                         sysyc_value desired, uint32_t ordering, uint32_t of_failure);
void sysyc_build_fence(sysyc_builder *builder, uint32_t ordering);

/* Variadic arguments of a variadic function, as <stdarg.h> has them: i32, i64, double and ptr. The builder may stand in another
 * block behind `va_arg`. */
sysyc_value sysyc_build_va_list(sysyc_builder *builder);
void sysyc_build_va_start(sysyc_builder *builder, sysyc_value list);
void sysyc_build_va_copy(sysyc_builder *builder, sysyc_value to, sysyc_value from);
void sysyc_build_va_end(sysyc_builder *builder, sysyc_value list);
sysyc_value sysyc_build_va_arg(sysyc_builder *builder, sysyc_value list, uint32_t type);

/* Calls; the value is none if nothing is given. */
sysyc_value sysyc_build_call(sysyc_builder *builder, sysyc_function function, const sysyc_value *args, size_t count);
sysyc_value sysyc_build_call_indirect(sysyc_builder *builder, sysyc_prototype prototype, sysyc_value address,
                                      const sysyc_value *args, size_t count);

/* The same; if an exception leaves the call, control goes on in `cleanup`, which any number of calls may go to. The builder stands
 * in another block behind it. `resume` goes on with the exception: it ends its block. */
sysyc_value sysyc_build_call_with_cleanup(sysyc_builder *builder, sysyc_function function, const sysyc_value *args,
                                          size_t count, sysyc_block cleanup);
sysyc_value sysyc_build_call_indirect_with_cleanup(sysyc_builder *builder, sysyc_prototype prototype, sysyc_value address,
                                                   const sysyc_value *args, size_t count, sysyc_block cleanup);
void sysyc_build_resume(sysyc_builder *builder);

/* Ends of blocks. The first two return what a call gives, by a jump: the frame of the function is gone by the time that the
 * other one runs. Both functions have to take and give the same. */
void sysyc_build_return_call(sysyc_builder *builder, sysyc_function function, const sysyc_value *args, size_t count);
void sysyc_build_return_call_indirect(sysyc_builder *builder, sysyc_prototype prototype, sysyc_value address,
                                      const sysyc_value *args, size_t count);
void sysyc_build_br(sysyc_builder *builder, sysyc_block to);
void sysyc_build_cond_br(sysyc_builder *builder, sysyc_value condition, sysyc_block yes, sysyc_block no);
void sysyc_build_switch(sysyc_builder *builder, sysyc_value value, const sysyc_case *cases, size_t count,
                        sysyc_block otherwise);
void sysyc_build_ret(sysyc_builder *builder, sysyc_value value);
void sysyc_build_ret_void(sysyc_builder *builder);
void sysyc_build_unreachable(sysyc_builder *builder);

/* ---- Code in memory -------------------------------------------------------------------------------------------- */

typedef struct sysyc_codegen sysyc_codegen;
typedef struct sysyc_code sysyc_code;

/* What code wants the address of: a function, else a datum, else a function of this name that the machine's code calls
 * by itself ("memset"; not NULL then). */
typedef struct sysyc_name {
    sysyc_function function;
    sysyc_global global;
    const char *library;
} sysyc_name;

typedef struct sysyc_relocation {
    sysyc_name name;
    uint32_t offset; /* bytes from the start of the code */
    int32_t addend;
    int64_t reach;   /* how far it reaches, if it is a call that may go through a jump nearby, else 0 */
} sysyc_relocation;

enum { SYSYC_JUMP_BYTES = 16 };

/* One a thread. From level 1 on, functions go through passes, each by itself. */
sysyc_status sysyc_codegen_new(const char *target, uint32_t level, sysyc_codegen **codegen, sysyc_buffer **message);
void sysyc_codegen_unwind_tables(sysyc_codegen *codegen);
void sysyc_codegen_cancel(sysyc_codegen *codegen, const sysyc_cancel_token *token);
void sysyc_codegen_free(sysyc_codegen *codegen);
/* The code of a body. The definition is gone, whatever comes of it. */
sysyc_status sysyc_codegen_compile(sysyc_codegen *codegen, const sysyc_module *module, sysyc_definition *definition,
                                   sysyc_code **code, sysyc_buffer **message);
size_t sysyc_code_size(const sysyc_code *code);
uint32_t sysyc_code_align(const sysyc_code *code);
/* The k-th place that depends on an address; SYSYC_MISUSE behind the last. Its names live as long as the code. */
sysyc_status sysyc_code_relocation(const sysyc_code *code, size_t k, sysyc_relocation *relocation,
                                   sysyc_buffer **message);
/* Writes the code as it is at `address` to `at`. `address_of` says where names are, or 0; NULL if there are none. */
sysyc_status sysyc_code_place(const sysyc_code *code, uint8_t *at, size_t size, uint64_t address,
                              uint64_t (*address_of)(void *context, const sysyc_name *name), void *context,
                              sysyc_buffer **message);
/* What unwinders read of it, if the code generator was asked for that; for __register_frame. */
sysyc_status sysyc_code_eh_frame(const sysyc_code *code, uint64_t address, sysyc_buffer **table,
                                 sysyc_buffer **message);
void sysyc_code_free(sysyc_code *code);
/* Writes a jump to any address (SYSYC_JUMP_BYTES at most), for calls that do not reach. */
sysyc_status sysyc_write_jump(const char *target, uint8_t *at, uint64_t address, uint64_t to, sysyc_buffer **message);

/* Bytes. Behind those of text and messages stands a zero that the size does not count. */
const uint8_t *sysyc_buffer_bytes(const sysyc_buffer *buffer);
size_t sysyc_buffer_size(const sysyc_buffer *buffer);
/* Of a message: which line and column (in bytes, from 1) of the text it is about; 0 if of none. */
uint32_t sysyc_buffer_line(const sysyc_buffer *message);
uint32_t sysyc_buffer_column(const sysyc_buffer *message);
void sysyc_buffer_free(sysyc_buffer *buffer);

#ifdef __cplusplus
}
#endif

#endif
