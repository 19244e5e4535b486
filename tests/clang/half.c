// Floats of 16 bits: `_Float16` of C with its operations, conversions, bits, arguments, results, memory; `__bf16` in memory.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef _Float16 half;
#define NOINLINE __attribute__((noinline))

struct mixed {
    half a;
    float b;
    half c[3];
};

// One operation a statement: what is in between is rounded, whatever a machine computes in.
NOINLINE half add(half a, half b) {
    half r = a + b;
    return r;
}
NOINLINE half sub(half a, half b) {
    half r = a - b;
    return r;
}
NOINLINE half mul(half a, half b) {
    half r = a * b;
    return r;
}
NOINLINE half divide(half a, half b) {
    half r = a / b;
    return r;
}
NOINLINE half negated(half a) { return -a; }
NOINLINE float wide(half a) { return a; }
NOINLINE double wider(half a) { return a; }
NOINLINE half narrow(float a) { return (half)a; }
NOINLINE half narrower(double a) { return (half)a; }
NOINLINE int to_int(half a) { return (int)a; }
NOINLINE unsigned long long to_long(half a) { return (unsigned long long)a; }
NOINLINE half from_int(int a) { return (half)a; }
NOINLINE half from_unsigned(unsigned a) { return (half)a; }
NOINLINE half from_char(signed char a) { return (half)a; }
NOINLINE half from_long(long long a) { return (half)a; }
NOINLINE int compared(half a, half b) { return (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | (a > b) << 4 | (a >= b) << 5; }
NOINLINE half chosen(int c, half a, half b) { return c ? a : b; }
NOINLINE uint16_t bits(half a) {
    uint16_t r;
    memcpy(&r, &a, 2);
    return r;
}
NOINLINE half of_bits(uint16_t a) {
    half r;
    memcpy(&r, &a, 2);
    return r;
}
NOINLINE half many(half a, float b, half c, double d, int e, half f, half g, half h, half i, half j, half k) {
    half sum = a;
    sum = add(sum, c), sum = add(sum, f), sum = add(sum, g), sum = add(sum, h), sum = add(sum, i), sum = add(sum, j);
    return add(sum, mul(k, (half)(b + d + e)));
}
NOINLINE void fill(struct mixed *m, half a) {
    m->a = a;
    m->b = 2;
    for (int k = 0; k < 3; k++)
        m->c[k] = a;
    m->c[1] = 1.5f;
}

half table[6] = {1, 2.5, -3, 65504, 0x1p-24, -0.0};
half (*const operations[])(half, half) = {add, sub, mul, divide};

int main(void) {
    // All values: there and back.
    unsigned wrong = 0, sum = 0;
    for (unsigned k = 0; k < 0x10000; k++) {
        half x = of_bits((uint16_t)k);
        if (x != x) {
            wrong += wide(x) == wide(x);
            continue;
        }
        wrong += bits(narrow(wide(x))) != k;
        wrong += bits(narrower(wider(x))) != k;
        float f = wide(x);
        uint32_t word;
        memcpy(&word, &f, 4);
        sum = sum * 31 + word;
    }
    printf("%u %u\n", wrong, sum);
    // Floats and doubles around what rounds up and down.
    uint32_t seed = 1;
    unsigned all = 0;
    for (int k = 0; k < 20000; k++) {
        seed = seed * 1664525u + 1013904223u;
        uint32_t word = (seed & 0x8fffffffu) | 0x30000000u | (k & 1) << 26;
        if (k % 3 == 0)
            word &= 0xfffff000u;
        float f;
        memcpy(&f, &word, 4);
        double d = (double)f * (1 + (double)(k % 7 - 3) * 0x1p-40);
        if (f != f || d != d || d > 1e30 || d < -1e30)
            continue;
        all = all * 31 + bits(narrow(f));
        all = all * 31 + bits(narrower(d));
    }
    printf("%u\n", all);
    half x = 1.25f;
    for (int k = 0; k < 6; k++)
        for (int op = 0; op < 4; op++) {
            half y = operations[op](x, table[k]);
            printf("%x ", y == y ? bits(y) : 1);
            x = y == y && y < 60000 && y > -60000 ? y : (half)0.75f;
        }
    printf("\n%d %d %d %llu\n", compared(x, table[0]), compared(table[2], table[2]), to_int(table[2]), to_long(table[3]));
    printf("%x %x %x %x %x\n", bits(from_int(-2049)), bits(from_unsigned(70000)), bits(from_char(-7)), bits(from_long(40001)),
           bits(negated(table[1])));
    printf("%g %g\n", wider(chosen(seed > 5, table[1], x)), wider(many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0.5f)));
    struct mixed m;
    fill(&m, table[1]);
    printf("%d %g %g %g %g\n", (int)sizeof m, (double)m.a, m.b, (double)m.c[1], (double)m.c[2]);
    return 0;
}
