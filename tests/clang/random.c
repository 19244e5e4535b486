/* Random numbers of seven kinds, shuffles, samples, a walk, the statistics of all, and pi by chance. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#pragma STDC FP_CONTRACT OFF

static uint32_t lcg_state = 1;
static uint32_t lcg(void) { return (lcg_state = lcg_state * 1664525 + 1013904223); }
static uint32_t park_state = 1;
static uint32_t park(void) { return park_state = (uint32_t)((uint64_t)park_state * 48271 % 2147483647); }
static uint64_t shift_state = 88172645463325252ull;
static uint64_t xorshift(void) { uint64_t x = shift_state; x ^= x << 13, x ^= x >> 7, x ^= x << 17; return shift_state = x; }
static uint64_t mix_state;
static uint64_t splitmix(void) {
    uint64_t z = (mix_state += 0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9, z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}
static uint64_t pcg_state = 42;
static uint32_t pcg(void) {
    uint64_t old = pcg_state;
    pcg_state = old * 6364136223846793005ull + 1442695040888963407ull;
    uint32_t x = (uint32_t)((old >> 18 ^ old) >> 27), r = (uint32_t)(old >> 59);
    return x >> r | x << (-r & 31);
}
static uint32_t twister[624];
static int at = 624;
static void seed(uint32_t s) { for (uint32_t k = 0; k < 624; k++) { twister[k] = s; s = 1812433253 * (s ^ s >> 30) + k + 1; } at = 624; }
static uint32_t mersenne(void) {
    if (at == 624) {
        for (int k = 0; k < 624; k++) {
            uint32_t y = (twister[k] & 0x80000000) | (twister[(k + 1) % 624] & 0x7fffffff);
            twister[k] = twister[(k + 397) % 624] ^ y >> 1 ^ (y & 1 ? 0x9908b0df : 0);
        }
        at = 0;
    }
    uint32_t y = twister[at++];
    y ^= y >> 11, y ^= y << 7 & 0x9d2c5680, y ^= y << 15 & 0xefc60000;
    return y ^ y >> 18;
}
static uint64_t s[4] = {1, 2, 3, 4};
static uint64_t rol(uint64_t x, int k) { return x << k | x >> (64 - k); }
static uint64_t xoshiro(void) {
    uint64_t r = rol(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0], s[3] ^= s[1], s[1] ^= s[2], s[0] ^= s[3], s[2] ^= t, s[3] = rol(s[3], 45);
    return r;
}
static uint32_t high(uint64_t (*f)(void)) { return (uint32_t)(f() >> 32); }
static uint32_t from(int kind) {
    switch (kind) {
    case 0: return lcg();
    case 1: return park() << 1;
    case 2: return high(xorshift);
    case 3: return high(splitmix);
    case 4: return pcg();
    case 5: return mersenne();
    default: return high(xoshiro);
    }
}
static double unit(int kind) { return from(kind) / 4294967296.0; }
static uint32_t below(int kind, uint32_t n) { return (uint32_t)((uint64_t)from(kind) * n >> 32); }

int main(void) {
    seed(5489);
    for (int kind = 0; kind < 7; kind++) {
        uint32_t x = 0, rows[10] = {0};
        for (int k = 0; k < 2000; k++) x = from(kind), rows[x / 429496730]++;
        double square = 0, sum = 0, inside = 0;
        for (int k = 0; k < 10; k++) square += (rows[k] - 200.0) * (rows[k] - 200.0) / 200;
        for (int k = 0; k < 2000; k++) {
            double a = unit(kind), b = unit(kind);
            sum += a;
            inside += a * a + b * b < 1;
        }
        printf("%u %.6f %.9f %.4f\n", x, square, sum / 2000, inside / 500);
    }
    int cards[52], heads = 0, place = 0, farthest = 0;
    for (int k = 0; k < 52; k++) cards[k] = k;
    for (uint32_t k = 52; --k;) { uint32_t j = below(5, k + 1); int t = cards[k]; cards[k] = cards[j], cards[j] = t; }
    for (int k = 0; k < 52; k += 6) printf("%d ", cards[k]);
    for (int k = 0; k < 10000; k++) {
        int step = (int)(from(6) >> 31) * 2 - 1;
        place += step, heads += step > 0;
        if (place > farthest) farthest = place;
    }
    double sum = 0, squares = 0;
    for (int k = 0; k < 1000; k++) {
        double g = sqrt(-2 * log(1 - unit(3))) * cos(6.283185307179586 * unit(3));
        sum += g, squares += g * g;
    }
    printf("%d %d %d %.6f %.6f\n", place, heads, farthest, sum / 1000, squares / 1000);
    return (int)below(4, 200);
}
