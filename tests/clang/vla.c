// Memory of the stack whose size is known when the program runs: arrays of variable length, in one and two dimensions,
// in loops, in recursion, as parameters, between calls with many arguments, and what alloca gives.
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char name[5];
    short rank;
    double weight;
} Row;

static int sum(int n, int a[n]) {
    unsigned s = 0;
    for (int k = 0; k < n; k++) s += (unsigned)a[k];
    return s;
}

__attribute__((noinline)) int one(int n) {
    int a[n];
    for (int k = 0; k < n; k++) a[k] = k * k - 3;
    return sum(n, a);
}

// The stack does not grow over the rounds: each gives back what it has taken.
__attribute__((noinline)) long long rounds(int times, int n) {
    long long all = 0;
    for (int t = 0; t < times; t++) {
        int64_t a[n + t % 7];
        memset(a, t & 127, sizeof a);
        a[n / 2] = t;
        all += a[n / 2] + (a[0] & 255) + (int)(sizeof a / sizeof *a);
    }
    return all;
}

__attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, double x, int k) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + (int)x + k;
}

// Arguments on the stack stand below what has been taken.
__attribute__((noinline)) int between(int n) {
    char first[n];
    memset(first, 1, n);
    int r = many(1, 2, 3, 4, 5, 6, 7, 8, n, first[n - 1], 2.5, n + 1);
    short second[2 * n];
    for (int k = 0; k < 2 * n; k++) second[k] = (short)(r + k);
    r += many(n, 2, 3, 4, 5, 6, 7, 8, second[0], second[2 * n - 1], 1.5, first[0]);
    for (int k = 0; k < n; k++) r += first[k];
    return r;
}

static int matrix(int rows, int columns, int m[rows][columns]) {
    int t = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) t += (i + 1) * m[i][j];
    return t;
}

__attribute__((noinline)) int product(int n) {
    int a[n][n + 1], b[n + 1][n], c[n][n];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++) a[i][j] = i - j, b[j][i] = i * j + 1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            c[i][j] = 0;
            for (int k = 0; k <= n; k++) c[i][j] += a[i][k] * b[k][j];
        }
    return matrix(n, n, c) + matrix(n, n + 1, a);
}

__attribute__((noinline)) int deep(int n) {
    if (n == 0) return 1;
    int a[n];
    for (int k = 0; k < n; k++) a[k] = n;
    int below = deep(n - 1);
    return below + sum(n, a);
}

// A call of itself in the place of a return.
__attribute__((noinline)) int tail(int n, int all) {
    int a[n + 1];
    a[n] = all + n;
    if (n == 0) return a[0];
    return tail(n - 1, a[n]);
}

// What is taken in a loop stays to the end of the function.
__attribute__((noinline)) int list(int n) {
    struct node {
        struct node *next;
        int value;
    } *head = 0;
    for (int k = 0; k < n; k++) {
        struct node *made = __builtin_alloca(sizeof *made);
        made->next = head;
        made->value = k;
        head = made;
    }
    int s = 0, depth = 0;
    for (; head; head = head->next) s += ++depth * head->value;
    return s;
}

__attribute__((noinline)) int rows(int n, const char *name) {
    Row all[n];
    Row copy[n];
    for (int k = 0; k < n; k++) {
        strcpy(all[k].name, name);
        all[k].name[0] += k;
        all[k].rank = (short)(k * 300);
        all[k].weight = k / 4.0;
    }
    memcpy(copy, all, sizeof all);
    double w = 0;
    for (int k = 0; k < n; k++) w += copy[k].weight * copy[k].rank + copy[k].name[0];
    return (int)w + (int)sizeof all / (int)sizeof(Row);
}

__attribute__((noinline)) int aligned(int n) {
    int bad = 0;
    for (int k = 1; k < n; k++) {
        _Alignas(64) char here[48];
        char there[k];
        double numbers[k];
        memset(here, k, sizeof here);
        there[0] = there[k - 1] = 1;
        numbers[k - 1] = k;
        char *wide = __builtin_alloca_with_align(k, 8 * 128);
        wide[k - 1] = 2;
        bad += (uintptr_t)here % 64 != 0;
        bad += (uintptr_t)numbers % _Alignof(double) != 0;
        bad += (uintptr_t)wide % 128 != 0;
        bad += here[47] != (char)k || wide[k - 1] != 2 || numbers[k - 1] != k;
    }
    return bad;
}

__attribute__((noinline)) int further(int n, ...) {
    va_list list;
    va_start(list, n);
    int a[n];
    for (int k = 0; k < n; k++) a[k] = va_arg(list, int);
    va_end(list);
    return sum(n, a);
}

// Many values that are alive over it all, and a large frame.
__attribute__((noinline)) unsigned large(unsigned n, unsigned seed) {
    unsigned fixed[3000];
    for (unsigned k = 0; k < 3000; k++) fixed[k] = k ^ seed;
    unsigned a = seed, b = seed * 3, c = seed ^ 77, d = seed - 9, e = seed * seed, f = seed / 3, g = seed % 5, h = seed << 2;
    unsigned more[n];
    for (unsigned k = 0; k < n; k++) {
        more[k] = fixed[(k * 37) % 3000] + a + b - c + d;
        a += e, b ^= f, c -= g, d += h, e = e * 5 + k, f += a, g ^= b, h -= c;
    }
    return sum((int)n, (int *)more) + fixed[2999] + fixed[0] + many(a % 99, b % 99, c % 99, d % 99, e % 99, f % 99, g % 99, h % 99, more[0] % 99, 5, 0.5, n);
}

__attribute__((noinline)) int leave(int n, int at) {
    int r = 0;
    for (int k = 1; k < n; k++) {
        int a[k];
        a[k - 1] = k;
        if (k == at) goto out;
        if (k % 3 == 0) continue;
        r += a[k - 1];
    }
    r += 1000;
out:
    return r;
}

int main(void) {
    printf("%d %d %d\n", one(1), one(10), one(1000));
    printf("%lld\n", rounds(200000, 50));
    printf("%d %d\n", between(1), between(33));
    printf("%d %d\n", product(3), product(20));
    printf("%d %d\n", deep(50), tail(2000, 5));
    printf("%d\n", list(100));
    printf("%d %d\n", rows(3, "abc"), rows(40, "z"));
    printf("%d\n", aligned(60));
    printf("%d\n", further(5, 1, 20, 300, 4000, 50000));
    printf("%d %d\n", large(10, 3), large(500, 12345));
    printf("%d %d\n", leave(20, 11), leave(20, 100));
    return 0;
}
