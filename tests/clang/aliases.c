/* Second names of functions and data. */
#include <stdio.h>

static int base(int x) { return x * 2 + 1; }
int other(int) __attribute__((alias("base")));
int weaker(int) __attribute__((weak, alias("base")));
int values[4] = {1, 2, 3, 4};
extern int same[4] __attribute__((alias("values")));
static int hidden = 5;
extern int seen __attribute__((alias("hidden")));

__attribute__((noinline)) static int set(int *p, int x) { return *p = x; }
int main(void) {
    int (*f)(int) = weaker;
    values[1] = 20;
    printf("%d %d %d\n", other(3), weaker(4), f(5));
    int r = set(&same[2], 30);
    printf("%d %d\n", same[1], r + values[2]);
    seen++;
    int (*volatile p)(int) = other, (*volatile q)(int) = base;
    int *volatile a = &seen, *volatile b = &hidden;
    printf("%d %d %d\n", hidden, seen, p == q && a == b);
    return 4;
}
