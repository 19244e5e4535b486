/* Conversions: floats to integers of all widths at their edges, integers to floats with rounding, between all integers. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#pragma STDC FP_CONTRACT OFF

static volatile double edges[] = {0, -0.99, 0.99, 127.9, -128.9, 255.5, 32767.99, -32768.5, 65535.25, 2147483647.5, -2147483648.9, 4294967295.75, 9007199254740993.0, -1e18, 9.2233720368547748e18, 1.8446744073709550e19};
static volatile float singles[] = {0, -0.75f, 16777215, 2147483520.0f, -2147483648.0f, 4294967040.0f, 9.2233715e18f, -9.2233720e18f, 1.8446743e19f};
static volatile int64_t wides[] = {0, 1, -1, 16777217, -16777219, 9007199254740993, -9007199254740995, INT64_MAX, INT64_MIN, 0x7fffffbfffffffff, 0x7fffffc000000000, 4503599627370497};
static volatile uint64_t naturals[] = {0, UINT64_MAX, 0x8000000000000000, 0x8000000000000400, 0x8000000000000401, 0xfffffffffffffbff, 0x8000008000000000, 0x8000008000000001, 4294967295};

int main(void) {
    for (unsigned k = 0; k < sizeof edges / sizeof *edges; k++) {
        double d = edges[k];
        if (d > -129 && d < 128) printf("%d ", (int8_t)d);
        if (d > -1 && d < 256) printf("%u ", (uint8_t)d);
        if (d > -32769 && d < 32768) printf("%d ", (int16_t)d);
        if (d > -1 && d < 65536) printf("%u ", (uint16_t)d);
        if (d > -2147483649.0 && d < 2147483648.0) printf("%d ", (int32_t)d);
        if (d > -1 && d < 4294967296.0) printf("%u ", (uint32_t)d);
        if (d >= -9223372036854775808.0 && d < 9223372036854775808.0) printf("%lld ", (long long)d);
        if (d > -1 && d < 18446744073709551616.0) printf("%llu", (unsigned long long)d);
        printf("\n");
    }
    for (unsigned k = 0; k < sizeof singles / sizeof *singles; k++) {
        float f = singles[k];
        if (f >= -2147483648.0f && f < 2147483648.0f) printf("%d ", (int32_t)f);
        if (f > -1 && f < 4294967296.0f) printf("%u ", (uint32_t)f);
        if (f >= -9223372036854775808.0f && f < 9223372036854775808.0f) printf("%lld ", (long long)f);
        if (f > -1) printf("%llu", (unsigned long long)f);
        printf(" %.17g\n", (double)f);
    }
    for (unsigned k = 0; k < sizeof wides / sizeof *wides; k++) {
        int64_t w = wides[k];
        printf("%.17g %.9g %.9g %.17g %d %d %d %u %u %u\n", (double)w, (float)w, (float)(int32_t)w, (double)(uint32_t)w, (int32_t)w, (int16_t)w, (int8_t)w, (uint32_t)w, (uint16_t)w, (uint8_t)w);
    }
    for (unsigned k = 0; k < sizeof naturals / sizeof *naturals; k++) {
        uint64_t n = naturals[k];
        printf("%.17g %.9g %.9g %lld\n", (double)n, (float)n, (float)(uint32_t)n, (long long)n);
    }
    volatile int8_t c = -100;
    volatile uint8_t u = 200;
    volatile int16_t s = -30000;
    volatile uint16_t v = 60000;
    printf("%d %u %lld %llu\n", c, (unsigned)c, (long long)c, (unsigned long long)c);
    printf("%d %u %lld %llu\n", u, (unsigned)(int8_t)u, (long long)(int8_t)u, (unsigned long long)u);
    printf("%d %g %g %d\n", (uint8_t)s, (double)s, (float)v, (int16_t)v);
    printf("%d %d %d %d\n", (int8_t)v, (int8_t)(c * 2), (uint8_t)(u + 100), (int16_t)(s * 3));
    float f = 0.1f;
    double d = f, e = 0.1;
    printf("%d %d %.17g %.9g\n", d == e, f == (float)e, d, (float)(d + e));
    printf("%d %d %d\n", (_Bool)0.25, (_Bool)(float)0, (_Bool)NAN);
    printf("%g %g\n", (double)(float)1e39, (double)(float)-1e-50);
    f = 16777216;
    f += 1;
    printf("%d %.9g %.9g\n", f == 16777216, 1e10f, (float)1e10 / 3);
    int total = 0;
    for (float x = 0; x < 1; x += 0.1f) total++;
    for (double x = 0; x < 1; x += 0.1) total += 100;
    printf("%d\n", total);
    return (uint8_t)edges[10 - 5];
}
