/* Expressions of GNU C and of C: statement expressions, typeof, ranges, omitted operands, commas, conditionals of all types. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MAX(a, b) ({ __typeof__(a) x_ = (a); __typeof__(b) y_ = (b); x_ > y_ ? x_ : y_; })
#define SWAP(a, b) do { __typeof__(a) t_ = (a); (a) = (b); (b) = t_; } while (0)
#define COUNT(a) (sizeof(a) / sizeof *(a))
#define EACH(x, array) for (__typeof__(*(array)) *x = (array); x < (array) + COUNT(array); x++)
#define ROUND(x, to) (__extension__({ uint32_t r_ = (to)-1; ((x) + r_) & ~r_; }))

struct point { int x, y; };
static int calls;
static int tick(int x) { calls++; return x; }
static struct point point(int x, int y) { return (struct point){x, y}; }
static int classify(int c) {
    switch (c) {
    case '0' ... '9': return 1;
    case 'a' ... 'f': case 'A' ... 'F': return 2;
    case 'g' ... 'z': case 'G' ... 'Z': return 3;
    case -128 ... -1: return 4;
    default: return 0;
    }
}
static int find(const int *x, int n, int want) {
    return ({
        int k = 0, found = -1;
        for (; k < n; k++)
            if (x[k] == want) { found = k; break; }
        found;
    });
}
static int early(int n) { int x = ({ if (n < 0) return -1; n * 2; }); return x + 1; }
static const char *grade(int n) { return n >= 90 ? "a" : n >= 80 ? "b" : n >= 70 ? "c" : "f"; }

int main(void) {
    printf("%d %g %d\n", MAX(3, 7), MAX(2.5, 1), MAX(tick(4), tick(2)));
    int a = 5, b = 9;
    SWAP(a, b);
    struct point p = {1, 2}, q = {3, 4};
    SWAP(p, q);
    printf("%d %d %d %d %d\n", a, b, p.x, q.y, calls);
    int numbers[] = {4, 8, 15, 16, 23, 42}, sum = 0;
    EACH(n, numbers) sum += *n * (int)(n - numbers + 1);
    printf("%d %d %d %u %u\n", sum, find(numbers, 6, 16), find(numbers, 6, 17), ROUND(13, 8), ROUND(16u, 16));
    printf("%d %d ", tick(0) ?: 12, tick(7) ?: 13);
    printf("%d\n", calls);
    for (const char *s = "0fF gZ\xe9!"; *s; s++) printf("%d", classify(*s));
    printf(" %d %d\n", early(-4), early(20));
    int k = (tick(1), tick(2), tick(3)), m = (k++, k += 10, k--, k);
    printf("%d %d\n", k, m);
    for (int i = 0, j = 10; i < j; i++, j -= 2) printf("%d%d ", i, j);
    printf("%s%s%s%s\n", grade(95), grade(85), grade(75), grade(5));
    struct point best = a > b ? point(a, b) : (struct point){b, a};
    const struct point *which = best.x > 5 ? &p : &q;
    printf("%d %d %d\n", best.x, which->x, (a < b ? p : q).y);
    double mixed = a ? 1 : 2.5;
    void *null = a ? (void *)0 : (void *)&a;
    int64_t wide = b > 100 ? (int64_t)-1 : 4000000000u;
    printf("%g %d %lld %d\n", mixed, null == 0, (long long)wide, a > 5 ? -1 : 'x');
    int x = 3, *ptr = &numbers[2];
    x += x++ * 0 + 2, x = x - -x, x ^= x << 1;
    printf("%d %d ", x, *ptr++);
    printf("%d ", *++ptr);
    printf("%d ", (*ptr)--);
    printf("%d ", ++*ptr);
    printf("%d ", *ptr--);
    printf("%d\n", ptr[-1]);
    a = b = k = 6;
    a *= b -= k >> 1;
    printf("%d %d %d %d\n", a, b, !a + ~b, -(-k));
    int chain = 1 < 2 < 3 == 1 != 0, bits = 5 & 6 | 8 ^ 12 & 10, order = 2 + 3 * 4 % 5 - 6 / 2 << 1;
    printf("%d %d %d %d\n", chain, bits, order, sizeof(char[3]) * 2 == 6);
    if ((a = 0, b) && !(k = 0) || tick(9)) printf("%d %d %d %d\n", a, b, k, calls);
    int t = 0;
outer:
    while (1) {
        switch (t++ % 5) {
        case 0: continue;
        case 3: goto done;
        default: if (t > 100) goto outer;
        }
        t += 3;
    }
done:
    return ({ int r = t; r += calls; r; });
}
