// Results in memory, also of what is called by its address; packed structs, and what else is not aligned; bits of floats.
#include <stdio.h>
#include <string.h>
#include <stdint.h>

struct Big { int n; double x[2]; short s[3]; char name[8]; };
static int calls;

static struct Big make(int n, double x) {
    struct Big b = {n, {x, -x}, {(short)n, (short)(n * 2), -1}, "big"};
    calls++;
    return b;
}

struct Big later(int n) {
    struct Big b = make(n + 1, n * 0.5);
    b.name[0] = 'B';
    return b;
}

static struct Big (*maker)(int, double) = make;

#pragma pack(push, 1)
struct Packed { char a; short b; int c; double d; int *p; float f; };
#pragma pack(pop)

static struct Packed packed = {1, -2, 0x12345678, 2.5, &calls, 0.25f};
static unsigned char raw[40];

static float as_float(uint32_t bits) { float f; memcpy(&f, &bits, 4); return f; }
static uint32_t as_bits(float f) { uint32_t bits; memcpy(&bits, &f, 4); return bits; }

int main(void) {
    struct Big a = make(3, 1.5), b = later(7);
    printf("%d %g %g %d %d %s\n", a.n, a.x[0], a.x[1], a.s[1], a.s[2], a.name);
    printf("%d %g %s %d\n", b.n, b.x[1], b.name, calls);
    a = maker(20, 4);
    printf("%d %g %d\n", a.n, maker(1, 0.125).x[1], a.s[1]);
    packed.c += packed.b;
    packed.d *= packed.f;
    packed.b <<= 3;
    ++*packed.p;
    printf("%d %d %x %g %d %g %d\n", packed.a, packed.b, packed.c, packed.d, *packed.p, packed.f, (int)(sizeof packed - sizeof(int *)));
    memmove(raw + 3, &packed.c, 4);
    memmove(raw + 5, raw + 3, 4);
    for (int k = 0; k < 10; k++) printf("%02x ", raw[k]);
    printf("\n%08x %g\n", as_bits(-1.5f), as_float(0x40490fdb));
    volatile struct Big v = a;
    struct Big w = v;
    printf("%d %s\n", w.n, w.name);
    return 0;
}
