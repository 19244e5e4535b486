/* setjmp and longjmp: errors out of depths, loops by jumps, generators of tries, values that live over them. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf top;
static int depth;

__attribute__((noinline)) static int dig(int n) {
    char room[64];
    for (int k = 0; k < 64; k++) room[k] = (char)(k + n);
    if (n == 0) longjmp(top, 17 + room[5]);
    depth++;
    return dig(n - 1) + room[n];
}

struct context { jmp_buf to; const char *message; struct context *outer; };
static struct context *current;
static void fail(const char *message) {
    struct context *c = current;
    c->message = message;
    current = c->outer;
    longjmp(c->to, 1);
}
#define TRY(c) for (int once = (c.outer = current, current = &c, 1); once; once = 0) if (setjmp(c.to) == 0)

static int parse(const char *s) {
    int n = 0;
    if (!*s) fail("empty");
    for (; *s; s++) {
        if (*s < '0' || *s > '9') fail("no digit");
        if (n > 99999) fail("too large");
        n = n * 10 + *s - '0';
    }
    return n;
}
static int guarded(const char *s, int otherwise) {
    struct context c;
    volatile int result = otherwise;
    TRY(c) {
        result = parse(s) + 1;
        current = c.outer;
    } else printf("(%s) ", c.message);
    return result;
}
static int nested(const char *s) {
    struct context c;
    volatile int steps = 0;
    TRY(c) {
        steps++;
        steps += guarded(s, 1000);
        if (steps > 1000) fail("again");
        current = c.outer;
    } else steps += 5;
    return steps;
}

/* Many values that are needed on the way back only. */
__attribute__((noinline)) static int values(int a, int b, int c, int d, int e, int f) {
    jmp_buf here;
    int g = a * b, h = b * c, i = c * d, j = d * e, k = e * f, l = f * a, m = a + b * 3, n = c - d * 7, o = e ^ f, p = a << 3;
    int again = setjmp(here);
    if (again == 0) {
        int x[12], s = 0;
        for (int q = 0; q < 12; q++) x[q] = parse("12") + q * a;
        int u = x[0] * x[1], v = x[2] * x[3], w = x[4] * x[5], y = x[6] * x[7], z = x[8] * x[9];
        for (int q = 0; q < 12; q++) s += parse("3") * x[q] + u - v + w - y + z;
        printf("%d %d %d %d %d %d\n", s, u, v, w, y, z);
        longjmp(here, (s & 7) + 1);
    }
    printf("%d %d %d %d %d %d %d %d %d %d\n", g, h, i, j, k, l, m, n, o, p);
    return again + g + h + i + j + k + l + m + n + o + p;
}

int main(void) {
    int code = setjmp(top);
    if (code == 0) dig(20);
    printf("%d %d\n", code, depth);
    volatile int rounds = 0;
    switch (setjmp(top)) {
    case 0: rounds = 1; longjmp(top, 3);
    case 3: rounds += 10; longjmp(top, 5);
    case 5: rounds += 100; break;
    default: rounds = -1;
    }
    printf("%d\n", rounds);
    volatile int turns = 0;
    int last = setjmp(top);
    if (turns < 10) {
        turns++;
        longjmp(top, last + turns);
    }
    printf("%d %d\n", turns, last);
    printf("%d ", guarded("41", 0));
    printf("%d ", guarded("4x", -1));
    printf("%d ", guarded("", -2));
    printf("%d\n", guarded("1234567", -3));
    printf("%d ", nested("5"));
    printf("%d\n", nested("z"));
    current = 0;
    printf("%d\n", values(3, 5, 7, 11, 13, 17));
    return current == 0;
}
