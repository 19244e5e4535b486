// A library: data and functions that others see, and may replace, those that they do not see, and data of threads.
#include <stdio.h>

int level = 10;
_Thread_local int mine = 1;
static _Thread_local int own = 2;
__attribute__((visibility("hidden"))) _Thread_local int hidden = 3;
__attribute__((visibility("hidden"))) int secret = 5;
__attribute__((visibility("protected"))) int fixed(void) { return 20; }
// (Clang inlines what may be replaced, as its -fno-semantic-interposition says.)
__attribute__((noinline)) int replaced(int x) { return x + 1; }
int (*const pointers[])(int) = {replaced, 0};
static int counter;
extern int other_name(void) __attribute__((alias("fixed"), visibility("hidden")));
__attribute__((weak)) extern int nowhere;

__attribute__((noinline)) static int internal(int x) { return x * 3; }

int work(int x) {
    mine += x, own += mine, hidden += own;
    counter += x;
    fprintf(stdout, "%d %d %d %d %d\n", mine, own, hidden, counter, level);
    return replaced(x) + (other_name() + fixed()) / 2 + secret + level + internal(x) + pointers[0](x) + (&nowhere ? 1 : 0);
}
