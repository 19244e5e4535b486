/* Integer promotions and usual conversions: mixed signs, characters, comparisons, assignments, increments, constants. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#define KIND(x) _Generic((x), char: "char", signed char: "schar", unsigned char: "uchar", short: "short", unsigned short: "ushort", int: "int", \
    unsigned: "uint", int64_t: "wide", uint64_t: "uwide", float: "float", double: "double", default: "other")

static volatile uint8_t u8 = 250;
static volatile int8_t s8 = -6;
static volatile uint16_t u16 = 65530;
static volatile int16_t s16 = -6;
static volatile uint32_t u32 = 4294967290u;
static volatile int32_t s32 = -6;
static volatile uint64_t u64 = 18446744073709551610ull;
static volatile int64_t s64 = -6;

static int compare(void) {
    return (u8 == s8) << 0 | ((uint8_t)s8 == u8) << 1 | (u16 == s16) << 2 | ((uint16_t)s16 == u16) << 3 | (u32 == (uint32_t)s32) << 4 |
           (s32 < u8) << 5 | (s16 < u16) << 6 | ((unsigned)s16 > u16) << 7 | (s64 < u32) << 8 | (u64 == (uint64_t)s64) << 9 | (s8 < s64) << 10 |
           (-1 < (int)sizeof(int)) << 11 | (-1 < sizeof(int)) << 12 | ('\377' < 0) << 13 | (L'\x41' == 'A') << 14 | (~u8 < 0) << 15;
}
static uint8_t add8(uint8_t a, uint8_t b) { return a + b; }
static int8_t mul8(int8_t a, int8_t b) { return a * b; }
static uint16_t mul16(uint16_t a, uint16_t b) { return (uint32_t)a * b; }
static int16_t neg16(int16_t a) { return -a; }
static uint32_t avg(uint32_t a, uint32_t b) { return (a & b) + ((a ^ b) >> 1); }
static int sign(int64_t x) { return (x > 0) - (x < 0); }

int main(void) {
    char c = 'a';
    short h = 1;
    printf("%s %s %s %s %s\n", KIND(c), KIND(c + c), KIND(h), KIND(+h), KIND(h << 1));
    printf("%s %s %s %s %s\n", KIND(u8 + u8), KIND(s8 * 1u), KIND(u32 + s64), KIND(s64 + u64), KIND(1 ? u8 : s16));
    printf("%s %s %s %s %s %s\n", KIND('x'), KIND(1.0f + 1), KIND(1.0f + 1.0), KIND(0x7fffffff), KIND(0xffffffff), KIND((int64_t)1 << 32));
    printf("%x\n", compare());
    printf("%d %d %d %u %d\n", u8 + u8, u8 * s8, u16 + s16, u32 + s32, ~u16);
    printf("%lld %llu %lld %lld\n", (long long)u32 + s8, (unsigned long long)(u64 + u8), (long long)(s64 * u8), (long long)(s64 - u32));
    printf("%d %d %d %d\n", u8 << 4, s8 >> 1, (uint8_t)(u8 << 4) >> 2, (int8_t)(u8 >> 1));
    printf("%d %d %u %d\n", s32 / 4, s32 % 4, u32 / 4, (int)(u32 % 7));
    printf("%lld %lld %lld %llu\n", (long long)(s32 * (int64_t)u32), (long long)s64 / 4, (long long)(s64 % 4), (unsigned long long)(u64 / 10));
    printf("%d %d %d %d\n", add8(200, 100), mul8(100, 3), mul16(65535, 65535), neg16(-32768));
    printf("%u %d %d %d\n", avg(4294967295u, 4294967293u), sign(s64), sign(0), sign(u32));
    uint8_t b = 255;
    int8_t d = 127;
    printf("%d ", b++);
    printf("%d ", b--);
    printf("%d ", ++d);
    printf("%d ", d--);
    printf("%d\n", d);
    b += 300, d -= 200;
    printf("%d %d ", b, d);
    b *= b, d /= 3;
    printf("%d %d ", b, d);
    b <<= 3, d >>= 2;
    printf("%d %d ", b, d);
    b = b ? -b : 7, d %= 5;
    printf("%d %d\n", b, d);
    uint16_t m = 40000;
    m *= 2, m ^= -1, m |= 1 << 3;
    int16_t n = m;
    n = n < 0 ? n + 1 : n - 1;
    unsigned o = n;
    printf("%d %d %u %d\n", m, n, o, o > INT_MAX);
    char text[] = {'\x80', '\x7f', 'A' + 256 * 0, 'z' - 'a' + 'A', '\101', '\0'};
    int t = 0;
    for (char *p = text; *p; p++) t = t * 3 + *p;
    printf("%d %d %d %d\n", t, text[0] < text[1], (unsigned char)text[0] > text[1], text[0] == 0x80);
    printf("%d %d %d %d\n", -7 / 2, -7 % 2, 7 / -2, 7 % -2);
    printf("%d %d %u %u\n", 0x80000000 == INT_MIN, -2147483647 - 1 < 0, -1u / 2, (unsigned)-1 >> 31);
    printf("%d %d\n", (int)(0.1f + 0.2f == 0.3f), (int)(3 * 1.1 == 3.3000000000000003));
    return (char)(s8 + u8) + 20;
}
