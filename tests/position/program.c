// A program that names what the C library has, what another object has, and what it has itself, in all ways.
#include <stdio.h>

extern char **environ;
int global = 4, array[100];
static int counter = 2;
const char *const names[] = {"one", "two", 0};
__attribute__((visibility("hidden"))) int hidden = 9;
_Thread_local int seen = 5;
static _Thread_local int own = 6;
extern _Thread_local int theirs;
int (*pointer)(const char *) = puts;

__attribute__((noinline)) int call(int (*f)(const char *), const char *text) { return f(text); }

__attribute__((noinline)) int bump(int by) {
    counter += by, seen += by, own += 2 * by, theirs += 3 * by;
    array[by] += counter;
    for (int k = 0; k < 8; k++) array[k + 20] += array[by] * k;
    return counter + seen + own + theirs + array[by] + array[27] + global + hidden;
}

extern int twice(int), data, table[8];

__attribute__((noinline)) int more(int k) {
    table[k]++;
    data += table[k] + table[7];
    return twice(data);
}

int main(void) {
    fprintf(stdout, "%d %d\n", bump(3), bump(4));
    if (!environ) return 1;
    for (int k = 0; names[k]; k++) call(pointer, names[k]);
    call(puts, "three");
    fputs("x\n", stderr);
    printf("%d %d\n", more(2), more(3));
    return 7;
}
