/* Younger parts of C: _Generic, _Bool, _Static_assert, flexible arrays, anonymous members, inline, complex bit operations. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define NAME(x) _Generic((x), int: "int", unsigned: "unsigned", double: "double", float: "float", char *: "text", default: "other")
_Static_assert(sizeof(long long) == 8, "");

struct packet {
    unsigned kind : 3, urgent : 1, : 4, size : 12;
    union { struct { short x, y; }; int both; };
    int count;
    double values[];
};

static inline int clamp(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
static _Bool flip(_Bool b) { return !b; }
_Alignas(64) static char line[64];
typedef int row[4];
static int trace(row *m) { int t = 0; for (int k = 0; k < 4; k++) t += m[k][k]; return t; }

static double total(const struct packet *p) {
    double t = 0;
    for (int k = 0; k < p->count; k++) t += p->values[k];
    return t;
}

int main(void) {
    printf("%s %s %s %s %s %s\n", NAME(1), NAME(1u), NAME(1.0), NAME(1.0f), NAME("x" + 0), NAME(1LL));
    struct packet *p = malloc(sizeof *p + 5 * sizeof(double));
    *p = (struct packet){.kind = 5, .urgent = 1, .size = 3000, .count = 5};
    p->x = -1, p->y = 2;
    for (int k = 0; k < 5; k++) p->values[k] = k * 1.25;
    p->kind += 4, p->size -= 4000;
    printf("%u %u %u %x %.2f\n", p->kind, p->urgent, p->size, (unsigned)p->both, total(p));
    bool b = 256, c = 0.5, d = (bool)(void *)0;
    printf("%d %d %d %d %d\n", b, c, d, flip(b), b + c + flip(d));
    printf("%d %d %d\n", clamp(-5, 0, 10), clamp(50, 0, 10), (int)((unsigned long)line % 64));
    row m[4];
    for (int k = 0; k < 16; k++) m[k / 4][k % 4] = k;
    printf("%d %zu %zu\n", trace(m), sizeof(row), sizeof m / sizeof *m);
    unsigned x = 0x12345678;
    printf("%x %d %d %d %d\n", __builtin_bswap32(x), __builtin_popcount(x), __builtin_clz(x), __builtin_ctz(x), __builtin_parity(x));
    printf("%x %d\n", x << 7 | x >> 25, __builtin_expect(x > 5, 1));
    return __func__[0] == 'm';
}
