// long long and double: on 32-bit machines pairs of words, and registers of their own.
#include <stdio.h>
#pragma STDC FP_CONTRACT OFF
typedef long long wide;
typedef unsigned long long uwide;

wide numbers[24];
double reals[24];
struct Mixed { char first; double real; wide whole; float single; } mixture;

__attribute__((noinline)) wide mix(int a, wide b, double c, float d, wide e, int f, double g, uwide h, float i, wide j) {
    return a + 2 * b + (wide)(3 * c) + (wide)(4 * d) - 5 * e + 6 * f + (wide)(7 * g) + (wide)(8 * h) + (wide)(9 * i) - j;
}
__attribute__((noinline)) double real(float a, double b, float c, wide d, double e, float f, double g, double h, double i, double j,
                                      double k, float l, wide m) {
    return a + 2 * b + 3 * c + 4 * (double)d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * (double)m;
}
__attribute__((noinline)) wide power(wide x, unsigned n) { return n == 0 ? 1 : n & 1 ? x * power(x * x, n / 2) : power(x * x, n / 2); }
__attribute__((noinline)) wide divisor(wide a, wide b) { while (b != 0) { wide rest = a % b; a = b; b = rest; } return a; }
__attribute__((noinline)) uwide mixed(uwide x) { x ^= x >> 30; x *= 0xbf58476d1ce4e5b9ull; x ^= x >> 27; x *= 0x94d049bb133111ebull; return x ^ x >> 31; }
__attribute__((noinline)) wide shifted(wide x, int n) { return (x << (n & 63)) ^ (x >> (63 - n & 63)) ^ (wide)((uwide)x >> (n * 5 & 63)); }
__attribute__((noinline)) int low(wide (*f)(wide, int), wide x, int n) { return (int)f(x, n) ^ (int)(f(x, n) >> 32); }
__attribute__((noinline)) int order(wide a, wide b) { return (a < b) + 2 * (a <= b) + 4 * (a == b) + 8 * ((uwide)a < (uwide)b) + 16 * (a > 0) + 32 * (b >= 0); }
__attribute__((noinline)) wide chosen(int c, wide a, wide b) { return c > 3 ? a : b; }
__attribute__((noinline)) double pressed(const double *p, const wide *q) {
    double a = p[0], b = p[1], c = p[2], d = p[3], e = p[4], f = p[5], g = p[6], h = p[7], i = p[8], j = p[9], k = p[10], l = p[11];
    wide s = q[0], t = q[1], u = q[2], v = q[3], w = q[4], x = q[5];
    for (int round = 0; round < 6; round++) {
        a += b * c, b -= c * 0.5, c += d, d -= e * f, e += f * 0.25, f -= g, g += h, h -= i, i += j * k, j -= k, k += l, l -= a * 0.125;
        s += t ^ u, t -= u + v, u ^= v << round, v += w >> round, w *= x | 1, x -= s;
        printf("%.6f %lld ", a, s);
    }
    return a + b + c + d + e + f + g + h + i + j + k + l + (double)(s ^ t ^ u ^ v ^ w ^ x);
}

int main(void) {
    for (int k = 0; k < 24; k++) {
        numbers[k] = (wide)mixed((uwide)k) >> k;
        reals[k] = k * 0.25 + 1e-3;
    }
    printf("%lld\n", mix(1, numbers[1] >> 20, 2.5, 3.5f, numbers[2] >> 20, 4, 5.25, 6, 7.5f, numbers[3]));
    printf("%.9g\n", real(1.5f, 2.5, 3.5f, 1ll << 40, 5.5, 6.5f, 7.5, 8.5, 9.5, 10.5, 11.5, 12.5f, -7));
    printf("%lld %lld\n", power(3, 39), power(-7, 22));
    printf("%lld %lld\n", divisor(1071ll << 33, 462ll << 30), divisor(-12345678901234, 9876543210));
    for (int k = 0; k < 24; k++) {
        wide x = numbers[k], y = numbers[23 - k] >> 2 * k;
        printf("%lld %d %d %lld ", shifted(x, 3 * k), low(shifted, x, k), order(x, y), chosen(k, x, y));
        printf("%lld %llu %lld ", x / (y | 1), (uwide)x % (uwide)(y | 1), x % 1000);
        printf("%.17g %.9g %lld %lld\n", (double)x, (double)(float)x, (wide)(x * 0.75), (wide)(float)(x / 3));
    }
    for (int k = 0; k < 63; k++) {
        uwide x = ((uwide)1 << 63) + ((uwide)3 << k) + (k & 1), y = mixed((uwide)k) >> k;
        double d = (double)x, e = (double)y * 1.25;
        float f = (float)x, g = (float)y;
        printf("%.17g %.9g %.9g %llu %llu %u %u\n", d, f, g, (uwide)(d * 0.9), (uwide)(g * 0.5f), (unsigned)(e / 4294967296.0 / 4), (unsigned)x);
        printf("%.17g %.9g\n", (double)(unsigned)y, (float)(unsigned)x);
    }
    printf("%.6f\n", pressed(reals, numbers));
    mixture.first = 1, mixture.real = 0.1, mixture.whole = numbers[5], mixture.single = 1.5f;
    mixture.real += mixture.single, mixture.whole += mixture.first;
    printf("%.17g %lld\n", mixture.real, mixture.whole);
    printf("%d %f %lld %d %lld %f\n", 1, 2.0, 3ll, 4, 5ll, 6.0);
    return (int)(divisor(48, 36) + (wide)reals[8]);
}
