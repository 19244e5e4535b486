/* Complex numbers: arithmetic of double and float ones, as arguments, results, members, in arrays; roots, a transform. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#pragma STDC FP_CONTRACT OFF

typedef double complex cd;
typedef float complex cf;
struct pole { int order; cd at; cf gain; };

__attribute__((noinline)) static cd product(cd a, cd b) { return a * b; }
__attribute__((noinline)) static cd quotient(cd a, cd b) { return a / b; }
__attribute__((noinline)) static cf mixed(int k, cf a, double x, cf b, float y) { return a * b + (float)x - k * y * I; }
__attribute__((noinline)) static cd squared(const cd *z) { return *z * *z; }
__attribute__((noinline)) static struct pole moved(struct pole p, cd by) { p.at += by; p.gain *= 2; p.order++; return p; }

static cd polynomial(const double *c, int n, cd z) {
    cd r = 0;
    while (n--) r = r * z + c[n];
    return r;
}
static void roots(const double *c, int n, cd *z) {
    for (int k = 0; k < n; k++) z[k] = k ? z[k - 1] * (0.4 + 0.9 * I) : 1;
    for (int round = 0; round < 60; round++)
        for (int k = 0; k < n; k++) {
            cd d = 1;
            for (int j = 0; j < n; j++) if (j != k) d *= z[k] - z[j];
            z[k] -= polynomial(c, n + 1, z[k]) / d;
        }
}
static void transform(cd *x, int n, int sign) {
    static const double c[] = {-1, 0, 0.70710678118654752, 0.92387953251128674};
    static const double s[] = {0, 1, 0.70710678118654752, 0.38268343236508977};
    for (int i = 0, j = 0; i < n; i++) {
        if (i < j) { cd t = x[i]; x[i] = x[j], x[j] = t; }
        for (int bit = n >> 1; (j ^= bit) < bit; bit >>= 1) {}
    }
    for (int half = 1, level = 0; half < n; half *= 2, level++) {
        cd w = c[level] + sign * s[level] * I;
        for (int at = 0; at < n; at += 2 * half) {
            cd turn = 1;
            for (int k = 0; k < half; k++, turn *= w) {
                cd t = turn * x[at + k + half];
                x[at + k + half] = x[at + k] - t;
                x[at + k] += t;
            }
        }
    }
}
static int escapes(cd c) { cd z = 0; int n = 0; for (; n < 30 && creal(z) * creal(z) + cimag(z) * cimag(z) < 4; n++) z = z * z + c; return n; }
static void show(cd z) { printf("%.8g%+.8gi ", creal(z) + 0.0, cimag(z) + 0.0); }

int main(void) {
    cd a = 3 + 4 * I, b = -1.5 + 0.25 * I;
    show(a + b), show(a - b), show(product(a, b)), show(quotient(a, b)), show(-a), show(~b), show(conj(a) * 2), show(squared(&b));
    cf f = 1.5f - 2 * I, g = mixed(3, f, 2.5, I, 0.5f);
    printf("\n%g %g %g %d %d\n", crealf(g), cimagf(g), cabs(a), a == b, a != 3);
    struct pole p = {2, a, f}, q = moved(p, b);
    printf("%d %g %g %g %g\n", q.order, creal(q.at), cimag(q.at), crealf(q.gain), cimagf(p.gain));
    double c[] = {-6, 11, -6, 1}, d[] = {1, 0, 0, 0, 1};
    cd z[4];
    roots(c, 3, z);
    for (int k = 0; k < 3; k++) printf("%.6f%+.6f ", creal(z[k]) + 1e-9, cimag(z[k]) + 1e-9);
    roots(d, 4, z);
    for (int k = 0; k < 4; k++) printf("%.6f%+.6f ", creal(z[k]), cimag(z[k]));
    cd x[16];
    for (int k = 0; k < 16; k++) x[k] = k % 5 - (k % 3) * I;
    transform(x, 16, 1);
    printf("\n");
    for (int k = 0; k < 16; k += 3) printf("%.6f%+.6f ", creal(x[k]) + 1e-9, cimag(x[k]) + 1e-9);
    transform(x, 16, -1);
    printf("%.6f%+.6f\n", creal(x[7]) / 16, cimag(x[7]) / 16);
    for (int y = -4; y <= 4; y++) {
        for (int k = -16; k < 8; k++) putchar(" .:-=+*%@#"[escapes(k / 8.0 + y / 3.5 * I) / 3 % 10]);
        putchar('\n');
    }
    cd w = a;
    w *= I, __real__ w += 1, __imag__ w = -__imag__ w;
    w /= 2;
    show(w), show(cexp(0)), show((cd)(cf)w), show((int)w);
    printf("%d %d\n", !!(0.0 + 1 * I), (_Bool)(0 * I));
    return (int)creal(w * conj(w));
}
