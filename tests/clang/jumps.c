/* Control flow: goto into and out of loops, nested breaks, do, conditions with effects, commas, long chains. */
#include <stdio.h>

static int calls;
static int yes(int x) { calls += x; return 1; }
static int no(int x) { calls += 10 * x; return 0; }

static int collatz(unsigned n) {
    int steps = 0;
again:
    if (n == 1) return steps;
    n = n % 2 ? 3 * n + 1 : n / 2;
    steps++;
    goto again;
}

static int find(int m[4][4], int want) {
    int y, x;
    for (y = 0; y < 4; y++)
        for (x = 0; x < 4; x++)
            if (m[y][x] == want) goto found;
    return -1;
found:
    return y * 10 + x;
}

static int duff(const char *from, char *to, int n) {
    int rounds = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { *to++ = *from++;
    case 3: *to++ = *from++;
    case 2: *to++ = *from++;
    case 1: *to++ = *from++;
            } while (--rounds > 0);
    }
    return n;
}

static unsigned gcd(unsigned a, unsigned b) { return b ? gcd(b, a % b) : a; }
static int ackermann(int m, int n) { return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1)); }

int main(void) {
    int m[4][4];
    for (int k = 0; k < 16; k++) m[k / 4][k % 4] = k * 7 % 16;
    printf("%d %d %d %d\n", collatz(27), find(m, 9), find(m, 99), gcd(1071, 462));
    int r = (yes(1) && no(2)) || (yes(3), yes(4)) ? yes(5) : no(6);
    printf("%d %d\n", r, calls);
    int both = no(7) | yes(8);
    printf("%d %d\n", both, calls);
    char to[12] = {0};
    duff("hello world", to, 11);
    printf("%s %d\n", to, ackermann(2, 5));
    int k = 0, out = 0;
    do {
        if (k == 3) continue;
        for (int j = 0;; j++) {
            if (j > k) break;
            if ((j ^ k) == 5) goto done;
            out += j;
        }
    } while (++k < 10);
done:
    printf("%d %d\n", k, out);
    for (int a = 0, b = 10; a < b; a += 2, b--) out = out * 3 + (a, b);
    while (out > 100) out = out > 1000 ? out / 7 : out - 13;
    return out;
}
