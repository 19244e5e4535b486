#include "prelude.h"

template <class T, int N> struct Array {
    T items[N];
    static constexpr int count = N;
    T &operator[](int k) { return items[k]; }
    const T &operator[](int k) const { return items[k]; }
    template <class F> auto map(F f) const {
        Array<decltype(f(items[0])), N> out{};
        for (int k = 0; k < N; k++) out[k] = f(items[k]);
        return out;
    }
    T *begin() { return items; }
    T *end() { return items + N; }
};
template <class T> T most(T a, T b) { return a < b ? b : a; }
template <class T, class... More> T most(T a, T b, More... more) { return most(most(a, b), more...); }
template <class... T> long long sum(T... x) { return (0LL + ... + x); }
template <int N> struct Factorial { static constexpr word value = N * Factorial<N - 1>::value; };
template <> struct Factorial<0> { static constexpr word value = 1; };
template <class T> struct Name { static const char *of() { return "other"; } };
template <> struct Name<int> { static const char *of() { return "int"; } };
template <class T> struct Name<T *> { static const char *of() { return "pointer"; } };
template <class T> concept Small = sizeof(T) <= 2;
template <class T> int kind(T) { return 1; }
template <Small T> int kind(T) { return 2; }

int main() {
    Array<int, 5> a{{3, 1, 4, 1, 5}};
    auto b = a.map([](int x) { return x * 0.5; });
    auto c = b.map([k = hidden(10)](double x) { return (long long)(x * k); });
    for (long long x : c) num(x);
    num(a.count); num(most(3, 9, hidden(4), 7)); num((long long)most(1.5, 2.5, 0.5));
    num(sum(1, 2LL, 'a', hidden(short(4)))); num((long long)Factorial<20>::value);
    printf("%s %s %s ", Name<int>::of(), Name<char>::of(), Name<int *>::of());
    num(kind(1)); num(kind('a')); num(kind(short(1)));
    if constexpr (sizeof(long long) == 8) num(88);
    line();
    return 0;
}
