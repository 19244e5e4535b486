// Functions by their addresses: variables, tables, arguments, results, recursion, variadic ones, comparisons.
#include <stdio.h>
#include <stdlib.h>

typedef int (*Op)(int, int);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
int twice(int a, int b) { return 2 * a + b; }

static Op ops[] = {add, sub, twice};
static struct { const char *name; Op op; } named[3] = {{"add", add}, {"twice", twice}};
static Op chosen;

static Op choose(int k) { return k < 0 ? 0 : ops[k % 3]; }
static int apply(Op op, int a, int b) { return op ? op(a, b) : -1; }

static int depth(int n, int (*self)(int, void *), void *next) {
    return n == 0 ? 0 : 1 + ((int (*)(int, int (*)(int, void *), void *))next)(n - 1, self, next);
}

static int compare(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

static float half(float x) { return x / 2; }
static char low(int x) { return (char)x; }
static void count(int *n) { ++*n; }

int main(void) {
    for (int k = -1; k < 4; k++) printf("%d ", apply(choose(k), 10, k));
    printf("\n");
    for (int k = 0; named[k].name; k++) printf("%s %d\n", named[k].name, named[k].op(3, 4));
    chosen = sub;
    printf("%d %d\n", chosen == sub, chosen == ops[0]);
    printf("%d\n", (*chosen)(1, 2) + (**ops[1])(5, 1));
    printf("%d\n", depth(9, 0, (void *)depth));
    int numbers[] = {5, -3, 8, 0, 2, 2, -9};
    qsort(numbers, 7, sizeof *numbers, compare);
    for (int k = 0; k < 7; k++) printf("%d ", numbers[k]);
    float (*floats)(float) = half;
    char (*chars)(int) = low;
    void (*counts)(int *) = count;
    int n = 3;
    counts(&n);
    int (*print)(const char *, ...) = printf;
    print("\n%d %d %d\n", (int)floats(9), chars(0x181), n);
    int *null = 0;
    print("%d %d\n", null == 0, (void *)counts != 0);
    return 0;
}
