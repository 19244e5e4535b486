// Inline assembly that is not known: a directive, where there is a machine that would take it.
#include <stdio.h>

int main(void) {
#if defined(__aarch64__) || defined(__arm__) || defined(__riscv)
    __asm__ volatile(".balign 4");
#endif
    puts("aligned");
    return 0;
}
