/* Functions of math.h, with ten digits, which all libraries agree on; classification; errors; integrals and series. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#pragma STDC FP_CONTRACT OFF

typedef double function(double);
struct named { const char *name; function *f; double from, to; };
#define ROW(f, from, to) {#f, f, from, to}
static const struct named functions[] = {ROW(sin, -3, 3), ROW(cos, -3, 3), ROW(tan, -1, 1), ROW(asin, -1, 1), ROW(acos, -1, 1), ROW(atan, -9, 9), ROW(sinh, -2, 2),
    ROW(cosh, -2, 2), ROW(tanh, -2, 2), ROW(exp, -5, 5), ROW(log, 0.1, 9), ROW(log10, 0.1, 2000), ROW(log2, 1, 1000), ROW(sqrt, 0, 10), ROW(cbrt, -8, 8),
    ROW(exp2, -4, 9), ROW(expm1, -1, 1), ROW(log1p, -0.5, 3), ROW(erf, -1, 1), ROW(tgamma, 1, 5), ROW(fabs, -2, 2), ROW(asinh, -3, 3)};

static double integral(function *f, double a, double b, int n) {
    double h = (b - a) / n, t = f(a) + f(b);
    for (int k = 1; k < n; k++) t += f(a + k * h) * (k % 2 ? 4 : 2);
    return t * h / 3;
}
static double bisection(function *f, double a, double b) {
    for (int k = 0; k < 60; k++) {
        double m = (a + b) / 2;
        if ((f(m) > 0) == (f(b) > 0)) b = m;
        else a = m;
    }
    return (a + b) / 2;
}
static double shifted_cosine(double x) { return cos(x) - x; }
static double bell(double x) { return exp(-x * x); }
static const char *class_of(double x) {
    switch (fpclassify(x)) {
    case FP_NAN: return "nan";
    case FP_INFINITE: return "infinite";
    case FP_ZERO: return "zero";
    case FP_SUBNORMAL: return "subnormal";
    default: return "normal";
    }
}

int main(void) {
    for (unsigned k = 0; k < sizeof functions / sizeof *functions; k++) {
        const struct named *n = &functions[k];
        printf("%s %.9g %.9g %.9g\n", n->name, n->f(n->from), n->f(n->to), integral(n->f, n->from + (n->to - n->from) * 0.25, n->to - (n->to - n->from) * 0.3, 20));
    }
    printf("%.9g %.9g\n", bisection(shifted_cosine, 0, 1) , integral(bell, -6, 6, 200));
    volatile double zero = 0, one = 1, huge = 1e308, tiny = 1e-310;
    double odd[] = {zero, -zero, one / zero, -one / zero, zero / zero, huge * 10, tiny, tiny / 1e10, sqrt(-one), one};
    for (int k = 0; k < 10; k++)
        printf("%s %d%d%d%d ", class_of(odd[k]), signbit(odd[k]) != 0 && !isnan(odd[k]), isfinite(odd[k]) != 0, isinf(odd[k]) != 0, isnormal(odd[k]) != 0);
    int order = 0;
    for (int a = 0; a < 10; a++)
        for (int b = 0; b < 10; b++)
            order = order * 3 % 1000003 + (odd[a] < odd[b]) + 2 * (odd[a] == odd[b]) + 4 * (odd[a] >= odd[b]) + 8 * !(odd[a] <= odd[b]) + 16 * (odd[a] != odd[b]) +
                    32 * (isunordered(odd[a], odd[b]) != 0) + 64 * (isless(odd[a], odd[b]) != 0) + 128 * (islessgreater(odd[a], odd[b]) != 0);
    printf("%d\n", order);
    printf("%.9g %.9g %.9g %.9g\n", pow(2, 0.5), pow(-2, 3), pow(10, -3), pow(1.0001, 10000));
    printf("%.9g %.9g %.9g %.9g\n", atan2(1, -1), atan2(-0.0, -1), hypot(3, 4), hypot(1e200, 1e200));
    printf("%.6g %.6g %.6g %.6g\n", sinf(1), powf(2, 0.25f), expf(-1), atan2f(1, 2));
    printf("%.9g %.9g %d\n", fma(2, 3, 4), lgamma(10), abs(-5) + (int)labs(-6L) + (int)llabs(-7LL));
    double basel = 0, leibniz = 0;
    for (int k = 1; k < 2000; k++) basel += 1.0 / k / k, leibniz += (k % 2 ? 4.0 : -4.0) / (2 * k - 1);
    printf("%.12g %.12g\n", sqrt(basel * 6), leibniz);
    float single = 0;
    for (int k = 1; k < 1000; k++) single += sqrtf((float)k) / 3;
    printf("%.6g %.9g\n", single, (double)(float)sqrt(2));
    return (int)floor(hypot(5, 12));
}
