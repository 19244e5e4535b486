#include "prelude.h"

struct Ratio {
    long long above, below;
    constexpr Ratio(long long above, long long below = 1) : above(above), below(below) { reduce(); }
    constexpr void reduce() {
        long long a = above < 0 ? -above : above, b = below;
        while (b) { long long t = a % b; a = b; b = t; }
        if (a) { above /= a; below /= a; }
    }
    friend constexpr Ratio operator+(Ratio a, Ratio b) { return {a.above * b.below + b.above * a.below, a.below * b.below}; }
    friend constexpr Ratio operator*(Ratio a, Ratio b) { return {a.above * b.above, a.below * b.below}; }
    constexpr Ratio operator-() const { return {-above, below}; }
    constexpr bool operator<(Ratio b) const { return above * b.below < b.above * below; }
    constexpr bool operator==(const Ratio &) const = default;
    Ratio &operator+=(Ratio b) { return *this = *this + b; }
    Ratio &operator++() { return *this += 1; }
    Ratio operator++(int) { Ratio old = *this; ++*this; return old; }
    explicit operator double() const { return double(above) / below; }
    explicit operator bool() const { return above != 0; }
    long long operator()(int k) const { return above * k / below; }
};
constexpr Ratio operator""_r(word x) { return {(long long)x}; }
struct Bits {
    word bits = 0;
    struct Bit {
        Bits &of;
        int k;
        Bit &operator=(bool x) { of.bits = of.bits & ~(1ull << k) | word(x) << k; return *this; }
        operator bool() const { return of.bits >> k & 1; }
    };
    Bit operator[](int k) { return {*this, k}; }
    Bits operator<<(int by) const { return {bits << by}; }
    Bits &operator|=(Bits b) { bits |= b.bits; return *this; }
};
struct Chain {
    Chain &operator<<(int x) { num(x); return *this; }
    Chain &operator<<(const char *x) { printf("%s ", x); return *this; }
    Chain &operator,(int x) { num(x * 2); return *this; }
};
int main() {
    Ratio sum = 0_r;
    for (int k = 1; k <= hidden(10); k++) sum += Ratio(1, k);
    num(sum.above); num(sum.below); num((long long)(double(sum) * 1e6));
    Ratio x(hidden(6), 8);
    num((x++).above); num((++x).above); num(x(100)); num(bool(x + -x)); num(x < 3_r); num(x == Ratio(11, 4));
    constexpr Ratio known = Ratio(1, 3) * Ratio(3, 5) + 2_r;
    num(known.above * 100 + known.below);
    line();
    Bits bits;
    bits[3] = true; bits[40] = hidden(true); bits[3] = bits[40] && !bits[5];
    bits |= bits << 4;
    num((long long)bits.bits);
    Chain() << 1 << "two" << 3, 4, 5;
    line();
    return 0;
}
