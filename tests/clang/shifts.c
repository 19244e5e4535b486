/* Shifts and rotations by constants and variables, of all widths: on 32-bit machines of pairs, too; bit tricks on 64 bits. */
#include <stdint.h>
#include <stdio.h>

#define N __attribute__((noinline)) static
N uint64_t left(uint64_t x, unsigned n) { return x << n; }
N uint64_t right(uint64_t x, unsigned n) { return x >> n; }
N int64_t arithmetic(int64_t x, unsigned n) { return x >> n; }
N uint64_t rotated(uint64_t x, unsigned n) { return n % 64 ? x << n % 64 | x >> (64 - n % 64) : x; }
N uint32_t rotated32(uint32_t x, unsigned n) { return x << (n & 31) | x >> (-n & 31); }
N uint8_t rotated8(uint8_t x, unsigned n) { return (uint8_t)(x << (n & 7) | x >> (-n & 7)); }
N uint64_t funnel(uint64_t high, uint64_t low, unsigned n) { return n ? high << n | low >> (64 - n) : high; }
N int32_t sar32(int32_t x, unsigned n) { return x >> n; }
N int16_t sar16(int16_t x, unsigned n) { return (int16_t)(x >> n); }
N int8_t shl8(int8_t x, unsigned n) { return (int8_t)((uint8_t)x << n); }
N uint64_t morton(uint32_t x) {
    uint64_t r = x;
    r = (r | r << 16) & 0x0000ffff0000ffff;
    r = (r | r << 8) & 0x00ff00ff00ff00ff;
    r = (r | r << 4) & 0x0f0f0f0f0f0f0f0f;
    r = (r | r << 2) & 0x3333333333333333;
    return (r | r << 1) & 0x5555555555555555;
}
N uint64_t reversed(uint64_t x) {
    uint64_t r = 0;
    for (int k = 0; k < 64; k++, x >>= 1) r = r << 1 | (x & 1);
    return r;
}
N int64_t extended(uint64_t x, int bits) { return (int64_t)(x << (64 - bits)) >> (64 - bits); }
N int count(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555;
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (int)(x * 0x0101010101010101 >> 56);
}
N int first(uint64_t x) { int n = 0; while (!(x & 1)) x >>= 1, n++; return n; }
N uint64_t set(uint64_t x, int bit, int to) { return to ? x | 1ull << bit : x & ~(1ull << bit); }
N uint64_t next(uint64_t x) { uint64_t low = x & -x, r = x + low; return (((r ^ x) >> 2) / low) | r; }

int main(void) {
    uint64_t x = 0x8123456789abcdef;
    for (unsigned n = 0; n < 64; n += 7) {
        printf("%016llx %016llx %016llx\n", (unsigned long long)left(x, n), (unsigned long long)right(x, n), (unsigned long long)arithmetic((int64_t)x, n));
        printf("%016llx %016llx %08x %02x\n", (unsigned long long)rotated(x, n), (unsigned long long)funnel(x, ~x, n), rotated32((uint32_t)x, n), rotated8(0xb1, n));
    }
    for (unsigned n = 30; n < 35; n++) printf("%llx %llx %llx\n", (unsigned long long)left(3, n), (unsigned long long)right(x, n), (unsigned long long)arithmetic(-5, n));
    for (unsigned n = 0; n < 32; n += 5) printf("%d %d %d\n", sar32(-1234567, n), sar16(-12345, n & 15), shl8(-77, n & 7));
    printf("%016llx %016llx\n", (unsigned long long)(x << 1), (unsigned long long)(x >> 63));
    printf("%016llx %016llx %016llx\n", (unsigned long long)(x << 32), (unsigned long long)(x >> 32), (unsigned long long)((int64_t)x >> 32));
    printf("%016llx %016llx %016llx\n", (unsigned long long)(x << 40), (unsigned long long)(x >> 33), (unsigned long long)((int64_t)x >> 63));
    printf("%016llx %016llx\n", (unsigned long long)morton(0xdeadbeef), (unsigned long long)reversed(x));
    for (int bits = 1; bits <= 64; bits *= 2) printf("%lld ", (long long)extended(x, bits));
    printf("\n%d %d %d %d\n", count(x), count(0), count(~0ull), first(0x4000000000));
    for (int bit = 0; bit < 64; bit += 9) x = set(set(x, bit, bit & 1), 63 - bit, !(bit & 1));
    printf("%016llx\n", (unsigned long long)x);
    uint64_t s = 0x1f;
    for (int k = 0; k < 1000; k++) s = next(s);
    printf("%llx\n", (unsigned long long)s);
    uint32_t h = 2166136261u;
    for (int k = 0; k < 100; k++) h ^= (uint32_t)k, h *= 16777619, h ^= h >> 15, h = h << 13 | h >> 19;
    printf("%08x\n", h);
    return count(s);
}
