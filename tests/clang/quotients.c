// Quotients, remainders and shifts of 128 bits, where the machine has registers of 64; what they are is known.
#include <stdio.h>

#ifdef __SIZEOF_INT128__
typedef __int128 Wide;
typedef unsigned __int128 Natural;

static Wide of(long long high, unsigned long long low) { return (Wide)(((Natural)high << 64) | low); }

__attribute__((noinline)) Wide quotient(Wide a, Wide b) { return a / b; }
__attribute__((noinline)) Wide remainder_of(Wide a, Wide b) { return a % b; }
__attribute__((noinline)) Natural natural(Natural a, Natural b) { return a / b; }
__attribute__((noinline)) Natural natural_rest(Natural a, Natural b) { return a % b; }
__attribute__((noinline)) Wide left(Wide a, int by) { return a << by; }
__attribute__((noinline)) Wide right(Wide a, int by) { return a >> by; }
__attribute__((noinline)) Natural down(Natural a, int by) { return a >> by; }
__attribute__((noinline)) Natural tenth(Natural a) { return a / 10; }

// By halves and by comparisons, one bit at a time.
static Natural slowly(Natural a, Natural b, Natural *rest) {
    Natural q = 0, r = 0;
    for (int k = 127; k >= 0; k--) {
        int top = (int)(r >> 127);
        r = r + r + (Natural)(((k < 64 ? (unsigned long long)a >> k : (unsigned long long)(a >> 64) >> (k - 64))) & 1);
        q += q;
        if (top || r >= b) r -= b, q++;
    }
    *rest = r;
    return q;
}

static int check(void) {
    static const unsigned long long words[] = {0, 1, 2, 10, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x123456789abcdef0, 3000000019};
    enum { COUNT = sizeof words / sizeof *words };
    int bad = 0;
    for (int i = 0; i < COUNT * COUNT; i++)
        for (int j = 0; j < COUNT * COUNT; j++) {
            Natural a = of((long long)words[i / COUNT], words[i % COUNT]), b = of((long long)words[j / COUNT], words[j % COUNT]), rest;
            if (b == 0) continue;
            Natural q = slowly(a, b, &rest);
            bad += natural(a, b) != q || natural_rest(a, b) != rest;
            Natural x = (Wide)a < 0 ? -a : a, y = (Wide)b < 0 ? -b : b;
            q = slowly(x, y, &rest);
            if (((Wide)a < 0) != ((Wide)b < 0)) q = -q;
            if ((Wide)a < 0) rest = -rest;
            if (a == (Natural)1 << 127 && b == (Natural)-1) continue;
            bad += quotient((Wide)a, (Wide)b) != (Wide)q || remainder_of((Wide)a, (Wide)b) != (Wide)rest;
        }
    for (int i = 0; i < COUNT * COUNT; i++) {
        Natural a = of((long long)words[i / COUNT], words[i % COUNT]), up = a, below = a, rest;
        Wide signed_below = (Wide)a;
        for (int by = 0; by < 128; by++) {
            bad += left((Wide)a, by) != (Wide)up || down(a, by) != below || right((Wide)a, by) != signed_below;
            up += up;
            below >>= 1;
            signed_below >>= 1;
        }
        bad += tenth(a) != slowly(a, 10, &rest);
    }
    return bad;
}
#else
static int check(void) { return 0; }
#endif

int main(void) {
    printf("%d\n", check());
    return 0;
}
