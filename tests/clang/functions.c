/* Functions as values: tables, callbacks of the library, results that are functions, recursion through pointers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double (*binary)(double, double);
typedef struct { const char *name; binary run; int order; } entry;

static double add(double a, double b) { return a + b; }
static double sub(double a, double b) { return a - b; }
static double mul(double a, double b) { return a * b; }
static double largest(double a, double b) { return a > b ? a : b; }

static entry entries[] = {{"sub", sub, 3}, {"add", add, 1}, {"max", largest, 4}, {"mul", mul, 2}};

static int by_order(const void *a, const void *b) { return ((const entry *)a)->order - ((const entry *)b)->order; }
static int by_name(const void *a, const void *b) { return strcmp(((const entry *)a)->name, ((const entry *)b)->name); }

static binary pick(const char *name) {
    for (unsigned k = 0; k < sizeof entries / sizeof *entries; k++)
        if (!strcmp(entries[k].name, name)) return entries[k].run;
    return 0;
}

static double fold(binary f, const double *x, int n) { return n == 1 ? x[0] : f(fold(f, x, n - 1), x[n - 1]); }

struct node { int value; struct node *left, *right; };
static struct node *insert(struct node *t, int v) {
    if (!t) {
        t = malloc(sizeof *t);
        *t = (struct node){v, 0, 0};
    } else if (v < t->value) t->left = insert(t->left, v);
    else t->right = insert(t->right, v);
    return t;
}
static void walk(struct node *t, void (*visit)(int, void *), void *with) {
    if (!t) return;
    walk(t->left, visit, with);
    visit(t->value, with);
    walk(t->right, visit, with);
}
static void sum(int v, void *with) { *(long *)with += v; }
static void show(int v, void *with) { printf("%d%s", v, (char *)with); }

static int odd(unsigned n);
static int even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(unsigned n) { return n == 0 ? 0 : even(n - 1); }
static int (*const parity[2])(unsigned) = {even, odd};

int main(void) {
    double x[] = {3.5, -1.25, 8, 2};
    qsort(entries, 4, sizeof *entries, by_order);
    for (int k = 0; k < 4; k++) printf("%s %.4f\n", entries[k].name, fold(entries[k].run, x, 4));
    qsort(entries, 4, sizeof *entries, by_name);
    for (int k = 0; k < 4; k++) printf("%s ", entries[k].name);
    printf("%d %.2f\n", pick("none") == 0, pick("mul")(6, 7));
    struct node *t = 0;
    for (int k = 0; k < 20; k++) t = insert(t, k * 7 % 20);
    long total = 0;
    walk(t, sum, &total);
    walk(t, show, ",");
    printf("%ld %d %d\n", total, parity[0](10), parity[1](10));
    entry key = {"max", 0, 0}, *found = bsearch(&key, entries, 4, sizeof key, by_name);
    return found ? found->order : 0;
}
