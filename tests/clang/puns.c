/* Unions and the bytes of objects: bits of floats and doubles, tagged values, overlays, memcpy between types. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

union word { uint32_t u; int32_t i; float f; uint8_t b[4]; uint16_t h[2]; struct { uint32_t mantissa : 23, exponent : 8, sign : 1; } parts; };
union wide { uint64_t u; int64_t i; double d; uint32_t w[2]; struct { uint64_t mantissa : 52, exponent : 11, sign : 1; } parts; };

static float root(float x) {
    union word v = {.f = x};
    v.u = (v.u >> 1) + 0x1fbd1df5;
    for (int k = 0; k < 4; k++) v.f = 0.5f * (v.f + x / v.f);
    return v.f;
}
static float inverse_root(float number) {
    uint32_t i;
    float y = number;
    memcpy(&i, &y, sizeof i);
    i = 0x5f3759df - (i >> 1);
    memcpy(&y, &i, sizeof y);
    return y * (1.5f - number * 0.5f * y * y);
}
static int exponent(double d) { union wide w = {.d = d}; return w.parts.exponent - 1023; }
static double assembled(int sign, int exponent, uint64_t mantissa) {
    union wide w;
    w.parts.sign = sign;
    w.parts.exponent = exponent + 1023;
    w.parts.mantissa = mantissa;
    return w.d;
}

enum kind { NOTHING, NUMBER, REAL, TEXT, PAIR };
struct value {
    enum kind kind;
    union { int32_t number; double real; const char *text; struct { int16_t first, second; } pair; };
};
static void show(struct value v) {
    switch (v.kind) {
    case NOTHING: printf("nothing"); break;
    case NUMBER: printf("%d", v.number); break;
    case REAL: printf("%g", v.real); break;
    case TEXT: printf("'%s'", v.text); break;
    case PAIR: printf("(%d, %d)", v.pair.first, v.pair.second); break;
    }
}
static struct value plus(struct value a, struct value b) {
    if (a.kind == NUMBER && b.kind == NUMBER) return (struct value){NUMBER, {a.number + b.number}};
    if (a.kind == PAIR && b.kind == PAIR) return (struct value){PAIR, {.pair = {a.pair.first + b.pair.first, a.pair.second + b.pair.second}}};
    if ((a.kind == REAL && b.kind <= REAL) || (b.kind == REAL && a.kind <= REAL)) {
        double x = a.kind == REAL ? a.real : a.kind ? a.number : 0, y = b.kind == REAL ? b.real : b.kind ? b.number : 0;
        return (struct value){.kind = REAL, .real = x + y};
    }
    return (struct value){NOTHING};
}
static int64_t ordered(double d) {
    int64_t bits;
    memcpy(&bits, &d, 8);
    return bits < 0 ? INT64_MIN - bits : bits;
}

int main(void) {
    float floats[] = {1, -2, 0.1f, 3.4e38f, 1e-45f, -0.0f, 0.15625f};
    for (unsigned k = 0; k < sizeof floats / sizeof *floats; k++) {
        union word w = {.f = floats[k]};
        printf("%08x %d %02x%02x%02x%02x %u %u %06x\n", w.u, w.i, w.b[0], w.b[1], w.b[2], w.b[3], w.parts.sign, w.parts.exponent, w.parts.mantissa);
    }
    printf("%.5f %.5f %.4f\n", root(2), root(1000), inverse_root(16));
    double doubles[] = {1, 0.1, -1e300, 5e-324, 1.0 / 3};
    for (int k = 0; k < 5; k++) {
        union wide w = {.d = doubles[k]};
        printf("%016llx %d %08x %08x\n", (unsigned long long)w.u, exponent(doubles[k]), w.w[0], w.w[1]);
    }
    printf("%g %g\n", assembled(1, 3, (uint64_t)1 << 51), assembled(0, -1, 0));
    struct value values[] = {{NUMBER, {5}}, {REAL, {.real = 2.5}}, {TEXT, {.text = "x"}}, {.kind = PAIR, .pair = {-3, 9}}, {NOTHING}};
    for (int a = 0; a < 5; a++)
        for (int b = a; b < 5; b++) {
            show(plus(values[a], values[b]));
            putchar(b == 4 ? '\n' : ' ');
        }
    union word w = {.u = 0};
    w.h[1] = 0x3f80;
    printf("%g ", w.f);
    w.b[3] |= 0x80;
    printf("%g %d\n", w.f, w.i < 0);
    return ordered(1.0) - ordered(0.9999999999999999) == 1 && ordered(-1.0) < ordered(-0.5) && ordered(-0.0) == ordered(0.0) - 0;
}
