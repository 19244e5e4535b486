/* A plugin of QEMU's user-mode emulators that says how often each translated block is executed:
 *
 *     cc -O2 -shared -fPIC -o blocks.so profiling/blocks.c
 *     qemu-riscv64 -plugin ./blocks.so,out=FILE ./program
 *
 * A line a block: the address of its first instruction and behind its last one, in base 16, its instructions, and the
 * count. Blocks end at branches, and may overlap: one that is entered from above and one that is jumped into. What is
 * declared here is described in QEMU's documentation (TCG plugins, interface version 1). */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef uint64_t plugin_id;

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

extern void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id, void (*)(plugin_id, struct qemu_plugin_tb *));
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
extern uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *);
extern struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
extern uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
extern size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
extern void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, int, void *, uint64_t);
extern void qemu_plugin_register_atexit_cb(plugin_id, void (*)(plugin_id, void *), void *);

enum { INLINE_ADD_U64 = 0, MOST = 1 << 16 };

/* What is translated again keeps its row; beyond the last row nothing is counted. */
static struct row { uint64_t start, end, length, executed; } rows[MOST];
static size_t count;
static char out[4096];

static void translated(plugin_id id, struct qemu_plugin_tb *block) {
    (void)id;
    uint64_t start = qemu_plugin_tb_vaddr(block), length = qemu_plugin_tb_n_insns(block);
    size_t k = 0;
    while (k < count && (rows[k].start != start || rows[k].length != length)) k++;
    if (k == MOST || length == 0) return;
    if (k == count) {
        struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(block, length - 1);
        uint64_t end = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last);
        rows[count++] = (struct row){start, end, length, 0};
    }
    qemu_plugin_register_vcpu_tb_exec_inline(block, INLINE_ADD_U64, &rows[k].executed, 1);
}

static void ended(plugin_id id, void *unused) {
    (void)id, (void)unused;
    FILE *file = *out ? fopen(out, "w") : stderr;
    if (!file) return;
    for (size_t k = 0; k < count; k++)
        fprintf(file, "%llx %llx %llu %llu\n", (unsigned long long)rows[k].start, (unsigned long long)rows[k].end,
                (unsigned long long)rows[k].length, (unsigned long long)rows[k].executed);
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
