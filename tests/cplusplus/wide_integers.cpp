#include "prelude.h"

typedef unsigned __int128 wide;
typedef __int128 signed_wide;
static void hex(wide x) { printf("%llx:%llx ", (word)(x >> 64), (word)x); }
static wide power(wide base, unsigned exponent, wide modulus) {
    wide result = 1;
    for (base %= modulus; exponent; exponent >>= 1, base = base * base % modulus)
        if (exponent & 1) result = result * base % modulus;
    return result;
}
int main() {
    wide a = (wide(hidden(0x0123456789abcdefull)) << 64) | hidden(0xfedcba9876543210ull);
    wide b = hidden(0x1234567890123ull);
    hex(a + b); hex(a - b); hex(a * b); hex(a / b); hex(a % b); hex(-a); hex(~a);
    line();
    for (int by = 0; by < 128; by += 17) { hex(a << hidden(by)); hex(a >> hidden(by)); hex(signed_wide(-a) >> hidden(by)); }
    line();
    signed_wide c = -signed_wide(a), d = hidden(-98765432101LL);
    hex(c / d); hex(c % d); num(c < d); num(wide(c) < wide(d)); hex(c * d);
    hex(power(hidden(5), 77, (wide(1) << 61) - 1));
    signed_wide out;
    num(__builtin_add_overflow(signed_wide(wide(-1) >> 1), signed_wide(hidden(1)), &out)); hex(out);
    num(__builtin_mul_overflow(c, d, &out)); hex(out);
    wide up;
    num(__builtin_sub_overflow(b, a, &up)); hex(up);
    line();
    num((long long)(double(b) / 3)); hex(wide(hidden(1e25))); hex(signed_wide(hidden(-1e25)));
    num((long long)(float(hidden(c)) / 1e30f));
    line();
    return 0;
}
