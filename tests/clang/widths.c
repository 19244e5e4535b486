// Integers of all widths: arithmetic, conversions, comparisons, memory, arguments, bit fields, structs of them.
#include <stdio.h>
#include <stdint.h>

static int16_t halves[6] = {1, -2, 32767, -32768, 255, -256};
static uint16_t wide[4] = {65535, 1, 40000, 0};
static uint8_t bytes[3] = {255, 128, 7};
static struct { int16_t a; int8_t b; uint16_t c; } small[2] = {{-5, 6, 60000}, {7, -8, 9}};

struct Bits { unsigned a : 3, b : 5; int c : 7; unsigned d : 17; int e : 1; };

static int16_t mix(int16_t a, uint16_t b, int8_t c, uint8_t d) {
    a += b;
    a *= c;
    a ^= d << 3;
    return a;
}

static uint16_t rotate(uint16_t x, int n) { return (uint16_t)(x << n | x >> (16 - n)); }

static int compare(int16_t a, uint16_t b) { return (a < b) + 2 * (a == (int16_t)b) + 4 * ((uint16_t)a > b); }

static unsigned hash(const uint16_t *p, int n) {
    uint16_t h = 7;
    for (int k = 0; k < n; k++) h = (uint16_t)(h * 31 + p[k] / 3 - p[k] % 7);
    return h;
}

static short quotient(short a, short b) { return (short)(a / b); }
static unsigned short remainder_of(unsigned short a, unsigned short b) { return a % b; }

int main(void) {
    int total = 0;
    for (int k = 0; k < 6; k++) total += halves[k] * (k + 1) + (halves[k] >> 2) + ((uint16_t)halves[k] >> 3);
    printf("%d %u %d\n", total, hash(wide, 4), bytes[0] + bytes[1] * bytes[2]);
    for (int k = 0; k < 4; k++) printf("%d ", mix(halves[k], wide[k], (int8_t)(k * 50 - 90), bytes[k % 3]));
    printf("\n%d %d %d\n", rotate(0x1234, 5), compare(-1, 65535), compare(3, 2));
    printf("%d %u\n", quotient(-32767, 7), remainder_of(60001, 77));
    small[1] = small[0];
    small[1].a -= 32765;
    small[1].c++;
    printf("%d %d %u\n", small[1].a, small[1].b, small[1].c);
    volatile struct Bits bits = {5, 17, -33, 100000, -1};
    bits.a++;
    bits.c *= 2;
    bits.d += 31072;
    printf("%d %d %d %d %d\n", bits.a, bits.b, bits.c, bits.d, bits.e);
    float f = halves[1];
    f += wide[2];
    int16_t back = (int16_t)(f - 20000);
    printf("%d %d %d\n", (int)f, (int16_t)(int)(f * 0.5f), back);
    uint16_t *p = &wide[3];
    *p = (uint16_t)~*p;
    printf("%d %d\n", p[-3], *p);
    int16_t min = halves[0], max = halves[0];
    for (int k = 1; k < 6; k++) {
        if (halves[k] < min) min = halves[k];
        if (halves[k] > max) max = halves[k];
    }
    printf("%d %d\n", min, max);
    switch (min) {
    case -32768: printf("least\n"); break;
    case 5: printf("five\n");
    }
    return (uint8_t)max;
}
