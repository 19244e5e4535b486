#include "prelude.h"

struct Complex {
    double re, im;
    Complex operator*(Complex o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
    Complex operator+(Complex o) const { return {re + o.re, im + o.im}; }
    double norm() const { return re * re + im * im; }
};
template <class T, int N> struct Matrix {
    T at[N][N] = {};
    Matrix operator*(const Matrix &o) const {
        Matrix out;
        for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++) out.at[i][j] += at[i][k] * o.at[k][j];
        return out;
    }
    static Matrix one() { Matrix m; for (int k = 0; k < N; k++) m.at[k][k] = T(1); return m; }
};
template <class T> T power(T base, unsigned exponent, T one) {
    for (; exponent; exponent >>= 1, base = base * base) if (exponent & 1) one = one * base;
    return one;
}
static int escape(Complex c) {
    Complex z{0, 0};
    int rounds = 0;
    while (z.norm() < 4 && rounds < 50) z = z * z + c, rounds++;
    return rounds;
}
static unsigned bits(unsigned x) {
    return unsigned(__builtin_popcount(x) + __builtin_clz(x | 1) * 100 + __builtin_ctz(x | 1u << 31) * 10000) ^ __builtin_bswap32(x) ^ __builtin_bitreverse32(x);
}
int main() {
    long long sum = 0;
    for (int y = -10; y <= 10; y++) for (int x = -20; x <= 10; x++) sum = sum * 3 % 1000003 + escape({x / hidden(10.0), y / 10.0});
    num(sum);
    Matrix<word, 2> fibonacci{{{1, 1}, {1, 0}}};
    num((long long)power(fibonacci, 60, Matrix<word, 2>::one()).at[0][1]);
    Matrix<float, 3> turn{{{0.5f, -1, 0}, {1, 0.5f, 0}, {0, 0, 2}}};
    auto turned = power(turn, hidden(9), Matrix<float, 3>::one());
    for (auto &row : turned.at) for (float x : row) num((long long)(x * 16));
    unsigned all = 0;
    for (unsigned k = 0; k < 40; k++) all = all * 31 + bits(hidden(k * 2654435761u));
    num(all); num(__builtin_popcountll(hidden(0xf0f0f0f0f0f0ull))); num(__builtin_clzll(hidden(77ull))); num(__builtin_parity(hidden(7u)));
    int out; num(__builtin_mul_overflow(hidden(70000), 70000, &out)); num(out);
    num(__builtin_rotateleft32(hidden(0x12345678u), 8)); num((long long)__builtin_rotateright64(hidden(0x123456789abcdefull), 20));
    line();
    return 0;
}
