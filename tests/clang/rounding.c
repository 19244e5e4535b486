/* Rounding: floor, ceil, trunc, round and their kin, parts of floats, formats with all their digits, texts to numbers. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static double doubles[] = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 1e15 + 0.5, -4503599627370497.5, 1e300, 3.999999999, -7.0000001, 123456789.987654321};
static float floats[] = {0.0f, -0.5f, 0.5f, 1.5f, -2.5f, 8388607.5f, 16777217.0f, 1e30f, 0.1f, -3.75f};

__attribute__((noinline)) static void parts(double x) {
    int e;
    double whole, m = frexp(x, &e), f = modf(x, &whole);
    printf("%.17g %d %.6g %.6g %d\n", m, e, whole, f, ilogb(x == 0 ? 1 : x));
}
static double to_places(double x, int places) {
    double by = pow(10, places);
    return round(x * by) / by;
}
static double kahan(const double *x, int n) {
    double sum = 0, lost = 0;
    for (int k = 0; k < n; k++) {
        double y = x[k] - lost, t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    return sum;
}

int main(void) {
    for (unsigned k = 0; k < sizeof doubles / sizeof *doubles; k++) {
        double x = doubles[k];
        printf("%g: %g %g %g %g %g %g\n", x, floor(x), ceil(x), trunc(x), round(x), rint(x), nearbyint(x));
        parts(x);
        if (fabs(x) < 1e18) printf("%lld %lld %lld\n", (long long)llround(x), (long long)llrint(x), (long long)x);
    }
    for (unsigned k = 0; k < sizeof floats / sizeof *floats; k++) {
        float x = floats[k];
        printf("%g: %g %g %g %g %g %d\n", x, floorf(x), ceilf(x), truncf(x), roundf(x), rintf(x), fabsf(x) < 1e9f ? (int)x : -1);
    }
    double tenth = 0.1, third = 1.0 / 3;
    printf("%.20f %.17g %.17e %a %A\n", tenth, third, tenth * 3, tenth, third);
    printf("%.0f %.0f %.0f %.1f %.2f %.3e %g %g %G\n", 0.5, 1.5, 2.5, 0.25, 2.675, 123456.5, 1e5, 1e-5, 1e20);
    printf("%10.3f|%-10.2f|%+.1f|%010.4f|% .3f|%#.0f\n", 3.14159, 2.71828, 1.0, -1.5, 2.0, 3.0);
    printf("%g %g %g %g\n", DBL_MAX, DBL_MIN, DBL_EPSILON, (double)FLT_MAX);
    printf("%f %f %f %F\n", INFINITY, -INFINITY, -(INFINITY - INFINITY) != 0 ? 1.0 : 0.0, HUGE_VAL);
    const char *texts[] = {"1e400", "-0", "0x1.8p3", "4.9e-324", "2.2250738585072011e-308", "inf", "17e", "9007199254740993", ".5.5"};
    for (int k = 0; k < 9; k++) {
        char *end;
        double x = strtod(texts[k], &end);
        printf("%.17g '%s' %d %g\n", x, end, signbit(x) != 0, strtof(texts[k], 0));
    }
    printf("%g %g %g %g\n", to_places(2.34567, 2), to_places(-0.005, 2), to_places(1e6 / 7, 3), to_places(99.995, 1));
    double sums[100];
    for (int k = 0; k < 100; k++) sums[k] = k % 2 ? 1e16 : k * 0.1 - 1e16;
    printf("%.10g %.10g %.10g\n", kahan(sums, 100), fmod(-7.5, 2), fmod(1e20, 7));
    printf("%g %g %g %g\n", remainder(7.5, 2), copysign(3, -0.0), fmax(1, NAN), fmin(-2, 3));
    printf("%.17g %.17g %.9g\n", nextafter(1, 2), nextafter(0, -1), nextafterf(1, 0));
    printf("%g %g %.9g %g\n", ldexp(0.75, 10), scalbn(1, -1074), logb(1e10), fdim(5, 3));
    return (int)lround(-2.5) + 10;
}
