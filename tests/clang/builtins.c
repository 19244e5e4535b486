/* What gcc and clang build in: bits, bytes, overflows, expectations, constants, choices, memory, unreachable places. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N __attribute__((noinline)) static
N int likely(int x) { if (__builtin_expect(x > 10, 1)) return x * 2; return __builtin_expect_with_probability(x == 5, 1, 0.9) ? -5 : x; }
N int kind(int x) {
    switch (x & 3) {
    case 0: return 10;
    case 1: return 11;
    case 2: return 12;
    case 3: return 13;
    }
    __builtin_unreachable();
}
N int bits32(uint32_t x) { return __builtin_clz(x) | __builtin_ctz(x) << 6 | __builtin_popcount(x) << 12 | __builtin_parity(x) << 18 | __builtin_ffs((int)x) << 20; }
N int bits64(uint64_t x) { return __builtin_clzll(x) | __builtin_ctzll(x) << 7 | __builtin_popcountll(x) << 14 | __builtin_parityll(x) << 21 | __builtin_ffsll((long long)x) << 22; }
N int signs(int x, long long y) { return __builtin_clrsb(x) * 100 + __builtin_clrsbll(y); }
N int64_t saturated(int64_t a, int64_t b) { int64_t r; return __builtin_add_overflow(a, b, &r) ? (a < 0 ? INT64_MIN : INT64_MAX) : r; }
N uint8_t narrow(int a, int b, int *lost) { uint8_t r; *lost = __builtin_mul_overflow(a, b, &r); return r; }
N int32_t crossed(uint32_t a, int64_t b, int *lost) { int32_t r; *lost = __builtin_sub_overflow(a, b, &r); return r; }
N uint64_t swapped(uint64_t x) { return __builtin_bswap64(x) ^ __builtin_bswap32((uint32_t)x) ^ __builtin_bswap16((uint16_t)x); }
N int aligned(void *p) { char *q = __builtin_assume_aligned(p, 16); return (int)((uintptr_t)q & 15); }
N int assumed(int x) { if (x < 0) __builtin_unreachable(); return x / 4 + x % 8; }
N float magnitude(float x) { return __builtin_copysignf(__builtin_fabsf(x), -1); }
N int text(char *to, const char *from) { __builtin_strcpy(to, from); return (int)__builtin_strlen(to) + __builtin_strcmp(to, "abd"); }
N void trap_if(int x) { if (x) __builtin_trap(); }
N uint32_t reversed(uint32_t x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}

struct inner { char c; double d[3]; };
struct outer { int a; struct inner in[2]; short z; };
static const int known = __builtin_constant_p(3 * 4) ? 1 : 2;
static char buffer[64];

int main(void) {
    for (int x = 3; x < 14; x += 2) printf("%d %d ", likely(x), kind(x));
    printf("\n");
    static const uint32_t words[] = {1, 0x80000000, 0xffffffff, 0x00ff0f00, 6, 0x12345678};
    for (int k = 0; k < 6; k++) printf("%x %x %x\n", bits32(words[k]), bits64((uint64_t)words[k] << (k * 7) | 1ull << 50), reversed(words[k]));
    printf("%d %d %d\n", signs(0, -1), signs(-1, 1), signs(0x00ffffff, INT64_MIN));
    printf("%lld %lld %lld\n", (long long)saturated(INT64_MAX, 1), (long long)saturated(INT64_MIN, -1), (long long)saturated(5, -7));
    int lost[4];
    int r[4] = {narrow(16, 15, lost), narrow(16, 16, lost + 1), narrow(-1, 1, lost + 2), narrow(-3, -85, lost + 3)};
    for (int k = 0; k < 4; k++) printf("%d/%d ", r[k], lost[k]);
    int s = crossed(5, 10, lost), t = crossed(4000000000u, -1, lost + 1), u = crossed(4000000000u, 4000000000ll, lost + 2);
    printf("%d/%d %d/%d %d/%d\n", s, lost[0], t, lost[1], u, lost[2]);
    printf("%016llx %d %d %d\n", (unsigned long long)swapped(0x0123456789abcdef), aligned(memset(buffer, 0, 1)) & 0, assumed(27), 1);
    printf("%g %d %d\n", magnitude(2.5f), text(buffer, "abc") < 5, known);
    printf("%d %d %zu\n", __builtin_types_compatible_p(int, const int), __builtin_types_compatible_p(int, unsigned), sizeof(__typeof__(__builtin_choose_expr(1, (char)1, 1.0))));
    printf("%zu %zu %zu\n", offsetof(struct outer, in[1].d[2]), __builtin_offsetof(struct outer, z), __builtin_object_size(buffer, 0));
    __builtin_memset(buffer, 'x', 20);
    __builtin_memcpy(buffer + 3, "middle", 6);
    __builtin_memmove(buffer + 5, buffer + 3, 10);
    buffer[20] = 0;
    __builtin_prefetch(buffer + 8, 1, 3);
    printf("%s %d\n", buffer, __builtin_memcmp(buffer, "xxxmi", 5));
    trap_if(known > 1);
    printf("%g %g %d %d\n", __builtin_inf(), -__builtin_huge_val(), __builtin_isnan(__builtin_nan("")) != 0, __builtin_signbit(-0.0) != 0);
    printf("%g %g %g %d\n", __builtin_floor(-1.5), __builtin_sqrt(2.25), __builtin_fmax(1, 2), __builtin_abs(-4));
    uint32_t m = 0x0f0f0f0f;
    m = m << 5 | m >> 27;
    return (int)(m & 127);
}
