#include "prelude.h"

struct Small { int a; short b; };
struct Pair { double x, y; };
struct Mixed { long long a; double b; };
struct Large { long long items[6]; };
struct Floats { float x, y, z, w; };
struct Nontrivial { int x; Nontrivial(int x) : x(x) {} Nontrivial(const Nontrivial &o) : x(o.x + 1) {} ~Nontrivial() { x = 0; } };
struct Empty {};
__attribute__((noinline)) Small small(Small s, int k) { s.a += k; s.b -= k; return s; }
__attribute__((noinline)) Pair pair(Pair p, Pair q, float k) { return {p.x + q.y * k, p.y - q.x}; }
__attribute__((noinline)) Mixed mixed(int a, Mixed m, double b, Mixed n) { return {m.a + n.a + a, m.b * n.b + b}; }
__attribute__((noinline)) Large large(Large l, long long k) { for (long long &x : l.items) x += k++; return l; }
__attribute__((noinline)) Floats floats(Floats f, Floats g) { return {f.x + g.w, f.y + g.z, f.z + g.y, f.w + g.x}; }
__attribute__((noinline)) Nontrivial nontrivial(Nontrivial n, Empty, Nontrivial m) { return Nontrivial(n.x * 10 + m.x); }
__attribute__((noinline)) int many(int a, char b, short c, long long d, float e, double f, bool g, byte h, int i, int j, const int &k, int &&l) {
    return int(a + b + c + d + e + f + g + h + i + j + k + l);
}
__attribute__((noinline)) int defaults(int a, int b = 20, int c = hidden(3)) { return a * b + c; }
static long long variadic(int count, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, count);
    long long sum = 0;
    for (int k = 0; k < count; k++) sum = sum * 3 + (k & 1 ? (long long)(__builtin_va_arg(list, double) * 2) : __builtin_va_arg(list, long long));
    __builtin_va_end(list);
    return sum;
}
int main() {
    Small s = small({hidden(1), 2}, 5);
    num(s.a * 100 + s.b);
    Pair p = pair({1.5, hidden(2.5)}, {3, 4}, 2);
    num((long long)(p.x * 10 + p.y * 1000));
    Mixed m = mixed(1, {2, 3.5}, 4.5, {hidden(5LL), 6});
    num(m.a); num((long long)(m.b * 2));
    Large l = large({{1, 2, 3, 4, 5, hidden(6LL)}}, 10);
    for (long long x : l.items) num(x);
    Floats f = floats({1, 2, 3, 4}, {hidden(10.0f), 20, 30, 40});
    num((long long)(f.x + f.y * 100 + f.z * 10000 + f.w * 1000000));
    Nontrivial n(hidden(4));
    num(nontrivial(n, {}, n).x);
    num(many(1, 2, 3, 4, 5.5f, 6.5, true, 8, 9, 10, 11, hidden(12)));
    num(defaults(hidden(2))); num(defaults(2, 3)); num(variadic(4, 1LL, 2.5, 3LL, 4.0));
    line();
    return 0;
}
