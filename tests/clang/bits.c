// Bits counted, found, swapped and rotated; saturating differences; functions of floats.
#include <stdio.h>
#include <stdint.h>
#include <math.h>

static uint32_t rotate(uint32_t x, unsigned n) { return x << (n & 31) | x >> (-n & 31); }
static uint64_t rotate64(uint64_t x, unsigned n) { return x >> (n & 63) | x << (-n & 63); }
static uint16_t rotate16(uint16_t x, unsigned n) { return (uint16_t)(x << (n & 15) | x >> (-n & 15)); }
static unsigned below(unsigned a, unsigned b) { return a > b ? a - b : 0; }
static unsigned char most(unsigned char a, unsigned char b) { unsigned s = a + b; return s > 255 ? 255 : s; }

int main(void) {
    static const uint64_t numbers[] = {1, 0x80, 0x12345678, 0xffffffff, 0x8000000000000000, 0xfedcba9876543210};
    for (int k = 0; k < 6; k++) {
        uint64_t x = numbers[k];
        uint32_t w = (uint32_t)x | 0x100;
        printf("%d %d %d ", __builtin_popcountll(x), __builtin_ctzll(x), __builtin_clzll(x));
        printf("%d %d %d ", __builtin_popcount(w), __builtin_ctz(w), __builtin_clz(w));
        printf("%x %x %llx\n", __builtin_bswap16((uint16_t)x), __builtin_bswap32(w), (unsigned long long)__builtin_bswap64(x));
        printf("%x %llx %x\n", rotate(w, k * 7), (unsigned long long)rotate64(x, k * 13), rotate16((uint16_t)x, k * 5));
        printf("%u %d\n", below(w, 0x12345000), most((unsigned char)x, (unsigned char)(x >> 4)));
        if (__builtin_expect(x == 1, 0)) printf("one\n");
    }
    volatile double d = 2.25;
    volatile float f = -1.75f;
    printf("%g %g %g %g %g\n", sqrt(d), floor(f), ceil(d), trunc(f), copysign(d, f));
    printf("%g %g %g %g\n", sqrtf(-f), floorf(f), fabsf(f), fmin(d, f));
    double sum = 0;
    for (int k = 1; k < 20; k++) sum += d * k;
    printf("%g %g\n", sum, round(pow(d, 3)));
    return 0;
}
