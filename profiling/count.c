/* A plugin of QEMU's user-mode emulators that counts the instructions a program executes, exactly:
 *
 *     cc -O2 -shared -fPIC -o count.so profiling/count.c
 *     qemu-riscv64 -plugin ./count.so,out=FILE ./program
 *
 * Each translated block adds its length when it is entered. QEMU's documentation (TCG plugins, interface version 1)
 * describes what is declared here; distributions ship no header for it. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct qemu_plugin_tb;
typedef uint64_t plugin_id;

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int, void *, uint64_t);
extern void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);

enum { INLINE_ADD_U64 = 0 };

static uint64_t executed;
static char out[4096];

static void translated(plugin_id id, struct qemu_plugin_tb *block) {
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_inline(block, INLINE_ADD_U64, &executed, qemu_plugin_tb_n_insns(block));
}

static void ended(plugin_id id, void *unused) {
    (void)id, (void)unused;
    FILE *file = *out ? fopen(out, "w") : stderr;
    if (!file) return;
    fprintf(file, "%llu\n", (unsigned long long)executed);
    /* The emulator ends without flushing what is open. */
    fflush(file);
}

__attribute__((visibility("default"))) int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
    (void)info;
    for (int k = 0; k < argc; k++)
        if (!strncmp(argv[k], "out=", 4)) snprintf(out, sizeof out, "%s", argv[k] + 4);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
