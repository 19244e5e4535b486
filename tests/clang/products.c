/* Wide products and quotients by hand: 64 by 64 to 128, 128 by 64, modular powers, quotients by all sorts of constants. */
#include <stdint.h>
#include <stdio.h>

struct pair { uint64_t high, low; };
#define N __attribute__((noinline)) static

N struct pair product(uint64_t a, uint64_t b) {
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
    uint64_t mid = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;
    return (struct pair){hh + (lh >> 32) + (hl >> 32) + (mid >> 32), mid << 32 | (uint32_t)ll};
}
N struct pair sum(struct pair a, struct pair b) {
    uint64_t low = a.low + b.low;
    return (struct pair){a.high + b.high + (low < a.low), low};
}
N uint64_t remainder_of(struct pair n, uint64_t d) {
    uint64_t r = 0;
    for (int k = 127; k >= 0; k--) {
        uint64_t bit = k > 63 ? n.high >> (k - 64) & 1 : n.low >> k & 1, out = r >> 63;
        r = r << 1 | bit;
        if (out || r >= d) r -= d;
    }
    return r;
}
N uint64_t power(uint64_t b, uint64_t e, uint64_t m) {
    uint64_t r = 1;
    for (; e; e >>= 1, b = remainder_of(product(b, b), m))
        if (e & 1) r = remainder_of(product(r, b), m);
    return r;
}
N int is_prime(uint64_t n) {
    if (n < 4) return n > 1;
    if (n % 2 == 0) return 0;
    uint64_t d = n - 1;
    int s = 0;
    while (d % 2 == 0) d /= 2, s++;
    static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    for (int k = 0; k < 12; k++) {
        if (bases[k] % n == 0) continue;
        uint64_t x = power(bases[k] % n, d, n);
        if (x == 1 || x == n - 1) continue;
        int r = 1;
        for (; r < s; r++) if ((x = remainder_of(product(x, x), n)) == n - 1) break;
        if (r == s) return 0;
    }
    return 1;
}
N int64_t high_signed(int64_t a, int64_t b) {
    struct pair p = product((uint64_t)a, (uint64_t)b);
    return (int64_t)(p.high - (a < 0 ? (uint64_t)b : 0) - (b < 0 ? (uint64_t)a : 0));
}
#define QUOTIENTS(d)                                                                                                   \
    do {                                                                                                               \
        check = check * 31 + (uint64_t)(x / (d)) + (uint64_t)(x % (d)) * 7;                                            \
        check = check * 31 + ux / (uint64_t)(d) + ux % (uint64_t)(d) * 7;                                              \
        check = check * 31 + (uint64_t)(int64_t)(y / (int32_t)(d)) + (uint32_t)(y % (int32_t)(d));                     \
        check = check * 31 + uy / (uint32_t)(d) + uy % (uint32_t)(d);                                                  \
    } while (0)

int main(void) {
    static const uint64_t values[] = {0, 1, 0xffffffff, 0x100000000, 0xffffffffffffffff, 0x123456789abcdef0, 1000000007, 0x8000000000000000};
    struct pair total = {0, 0};
    for (int a = 0; a < 8; a++)
        for (int b = a; b < 8; b++) {
            struct pair p = product(values[a], values[b]);
            total = sum(total, p);
            if (b % 3 == 0) printf("%016llx%016llx %lld\n", (unsigned long long)p.high, (unsigned long long)p.low, (long long)high_signed((int64_t)values[a], (int64_t)values[b]));
        }
    printf("%016llx%016llx\n", (unsigned long long)total.high, (unsigned long long)total.low);
    printf("%llu %llu\n", (unsigned long long)power(3, 1000000000000, 1000000007), (unsigned long long)power(7, 0xfffffffffff, 0xffffffffffffffc5));
    printf("%d %d %d %d\n", is_prime(18446744073709551557ull), is_prime(18446744073709551556ull), is_prime(3215031751), is_prime(1000000007));
    uint64_t check = 1;
    for (int k = 0; k < 200; k++) {
        int64_t x = (int64_t)(check * 0x9e3779b97f4a7c15), y64 = x ^ x >> 29;
        uint64_t ux = (uint64_t)x;
        int32_t y = (int32_t)y64;
        uint32_t uy = (uint32_t)y64;
        QUOTIENTS(3); QUOTIENTS(5); QUOTIENTS(7); QUOTIENTS(10); QUOTIENTS(16); QUOTIENTS(100); QUOTIENTS(641); QUOTIENTS(1000000); QUOTIENTS(0x7fffffff); QUOTIENTS(2);
        if (x != INT64_MIN) QUOTIENTS(-7);
        int64_t d = (int64_t)(check >> (k % 60)) | 1;
        if (d != -1) check += (uint64_t)(x / d + x % d) + ux / (uint64_t)d;
        if ((int32_t)d != -1) check += (uint64_t)(y / (int32_t)d + y % (int32_t)d) + uy / (uint32_t)d;
    }
    printf("%016llx\n", (unsigned long long)check);
    return (int)(check % 251);
}
