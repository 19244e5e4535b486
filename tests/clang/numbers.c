/* Numbers of all kinds: floats and doubles, conversions between all types, limits, quotients and shifts. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

static double newton(double x) {
    double r = x > 1 ? x : 1;
    for (int k = 0; k < 60; k++) r = (r + x / r) / 2;
    return r;
}

static float halves(float x) { float s = 0; while (x > 1e-3f) s += x, x *= 0.5f; return s; }

volatile double d = 1e10;
volatile float f = -3.75f;
volatile long long ll = -7000000007LL;
volatile unsigned long long ull = 18446744073709551557ULL;
volatile int i = -17, seven = 7;
volatile unsigned u = 4000000000u;
volatile signed char sc = -100;
volatile unsigned short us = 60000;

int main(void) {
    printf("%.12f %.12f %.6f\n", newton(2), sqrt(d), halves(100));
    printf("%d %d %lld %lld\n", i / seven, i % seven, ll / seven, ll % seven);
    printf("%u %u %llu %llu\n", u / seven, u % seven, ull / 1000003, ull % 1000003);
    printf("%d %lld %.1f %.1f %u\n", (int)f, (long long)d, (double)ll, (double)ull, (unsigned)(float)u);
    printf("%.1f %.1f %.3f %d\n", (float)ll, (float)ull, (double)f * i, (int)(f * sc));
    printf("%d %d %lld %llu\n", sc >> 2, us << 3, ll >> 5, ull >> 60);
    printf("%d %d %d %d\n", u > (unsigned)i, ll < (long long)u, sc == -100, (short)us);
    printf("%d %d %d\n", f < d, !(f > d), f != f);
    double nan = 0.0 / (d - 1e10), inf = 1 / (d - 1e10);
    printf("%d %d %d %d %d\n", nan == nan, nan < 1, !(nan >= 1), inf > DBL_MAX, -inf < -DBL_MAX);
    printf("%.3f %.3f %.3f %.3f %.3f\n", fabs(f), floor(f), ceil(f), fmod(7.5, 2), pow(2, 0.5));
    printf("%.3f %.3f %.3f\n", fmin(1, d), fmax(f, 2), trunc(-2.7));
    printf("%d %lld %u %.2e %.2e\n", INT_MIN, LLONG_MAX, UINT_MAX, DBL_EPSILON, FLT_MAX);
    unsigned long long bits = 0;
    for (int k = 0; k < 64; k += 3) bits |= 1ULL << k;
    printf("%llx %llx %d\n", bits, bits * 0x9e3779b97f4a7c15ULL, (int)(bits >> (u & 31)));
    long sum = 0;
    for (short s = SHRT_MAX - 3; s > 0; s++) sum += s;
    for (unsigned char c = 250; c; c++) sum += c;
    printf("%ld %d\n", sum, (char)(sc * 3));
    return 0;
}
