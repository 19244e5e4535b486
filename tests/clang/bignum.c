/* Large numbers: sums, products, quotients, powers, texts, factorials, digits of e and pi, greatest divisors. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 40
typedef struct { int n; uint32_t w[WORDS]; } big;

static big of(uint64_t x) { big b = {0}; for (; x; x >>= 32) b.w[b.n++] = (uint32_t)x; return b; }
static void trim(big *b) { while (b->n && !b->w[b->n - 1]) b->n--; }
static int compare(const big *a, const big *b) {
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int k = a->n; k--;) if (a->w[k] != b->w[k]) return a->w[k] < b->w[k] ? -1 : 1;
    return 0;
}
static big plus(big a, const big *b) {
    uint64_t carry = 0;
    int n = a.n > b->n ? a.n : b->n;
    for (int k = 0; k < n || carry; k++, carry >>= 32) {
        carry += (uint64_t)a.w[k] + b->w[k];
        a.w[k] = (uint32_t)carry;
        if (k >= a.n) a.n = k + 1;
    }
    return a;
}
static big minus(big a, const big *b) {
    int64_t borrow = 0;
    for (int k = 0; k < a.n; k++) {
        borrow += (int64_t)a.w[k] - b->w[k];
        a.w[k] = (uint32_t)borrow;
        borrow >>= 32;
    }
    trim(&a);
    return a;
}
static big times(const big *a, const big *b) {
    big r = {0};
    for (int i = 0; i < a->n; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < b->n || carry; j++) {
            carry += r.w[i + j] + (uint64_t)a->w[i] * (j < b->n ? b->w[j] : 0);
            r.w[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    r.n = a->n + b->n;
    trim(&r);
    return r;
}
static uint32_t divide_small(big *a, uint32_t d) {
    uint64_t rest = 0;
    for (int k = a->n; k--;) {
        rest = rest << 32 | a->w[k];
        a->w[k] = (uint32_t)(rest / d);
        rest %= d;
    }
    trim(a);
    return (uint32_t)rest;
}
static void shift(big *a, int bit) {
    uint32_t carry = (uint32_t)bit;
    for (int k = 0; k < a->n || carry; k++) {
        uint32_t out = a->w[k] >> 31;
        a->w[k] = a->w[k] << 1 | carry;
        carry = out;
        if (k >= a->n) a->n = k + 1;
    }
}
static big divided(const big *a, const big *d, big *rest) {
    big q = {0};
    *rest = of(0);
    for (int k = a->n * 32; k--;) {
        shift(rest, a->w[k / 32] >> k % 32 & 1);
        int fits = compare(rest, d) >= 0;
        if (fits) *rest = minus(*rest, d);
        shift(&q, fits);
    }
    return q;
}
static char *text(big a, char *to) {
    char *at = to + 399;
    *at = 0;
    do {
        uint32_t nine = divide_small(&a, 1000000000);
        for (int k = 0; k < 9 && (a.n || nine || k == 0); k++, nine /= 10) *--at = (char)('0' + nine % 10);
    } while (a.n);
    return memmove(to, at, strlen(at) + 1);
}
static big parsed(const char *s) {
    big r = of(0), ten = of(10);
    for (; *s; s++) { big d = of((uint64_t)(*s - '0')); r = times(&r, &ten); r = plus(r, &d); }
    return r;
}
static big power(uint32_t base, unsigned e) {
    big r = of(1), b = of(base);
    for (; e; e >>= 1) {
        if (e & 1) r = times(&r, &b);
        if (e > 1) b = times(&b, &b);
    }
    return r;
}
static big divisor(big a, big b) {
    while (b.n) { big rest; divided(&a, &b, &rest); a = b; b = rest; }
    return a;
}
static void spigot(int digits) {
    int n = digits * 10 / 3 + 1, *a = malloc((size_t)n * sizeof *a), nines = 0, held = 0, started = 0;
    for (int k = 0; k < n; k++) a[k] = 2;
    for (int d = 0; d < digits; d++) {
        int q = 0;
        for (int k = n; k--;) {
            int x = 10 * a[k] + q * (k + 1);
            a[k] = x % (2 * k + 1 ? 2 * k + 1 : 1);
            q = x / (2 * k + 1);
        }
        a[0] = q % 10;
        q /= 10;
        if (q == 9) nines++;
        else {
            if (started) putchar('0' + held + q / 10);
            for (; nines; nines--) putchar(q == 10 ? '0' : '9');
            held = q % 10;
            started = 1;
        }
    }
    printf("%d\n", held);
    free(a);
}

int main(void) {
    char out[400];
    big f = of(1), a = of(0), b = of(1), rest;
    for (uint32_t k = 2; k <= 60; k++) { big m = of(k); f = times(&f, &m); }
    puts(text(f, out));
    for (int k = 0; k < 300; k++) { big t = plus(a, &b); a = b; b = t; }
    puts(text(a, out));
    big p = power(7, 100), q = power(3, 77);
    puts(text(p, out));
    big d = divided(&p, &q, &rest);
    printf("%s ", text(d, out));
    puts(text(rest, out));
    big back = times(&d, &q);
    back = plus(back, &rest);
    printf("%d %d\n", compare(&back, &p), compare(&q, &p));
    big m = parsed("123456789012345678901234567890"), n = parsed("987654321098765432109876543210");
    printf("%s ", text(times(&m, &n), out));
    puts(text(divisor(m, n), out));
    big e = of(0), scale = power(10, 60), term = scale;
    for (uint32_t k = 1; term.n; k++) { e = plus(e, &term); divide_small(&term, k); }
    puts(text(e, out));
    spigot(60);
    puts(text(minus(power(2, 127), &(big){1, {1}}), out));
    return (int)divide_small(&f, 251);
}
