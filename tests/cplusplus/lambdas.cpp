#include "prelude.h"

template <class F> struct Defer {
    F f;
    ~Defer() { f(); }
};
template <class F> Defer(F) -> Defer<F>;
struct Function {
    int (*call)(void *, int);
    void *of;
    template <class F> Function(F &f) : call([](void *of, int x) { return (*static_cast<F *>(of))(x); }), of(&f) {}
    int operator()(int x) const { return call(of, x); }
};
static int twice(Function f, int x) { return f(f(x)); }
template <class F> auto curry(F f) {
    return [f](auto a) { return [f, a](auto b) { return f(a, b); }; };
}
int main() {
    int count = 0;
    {
        Defer at_end{[&] { num(count); }};
        Defer before{[&count] { count *= 2; }};
        auto add = [&count, k = hidden(3)](int x) mutable { k++; count++; return x + k; };
        num(twice(add, 10));
        num(twice(add, 10));
    }
    auto recursive = [](auto &&self, int n) -> long long { return n < 2 ? n : self(self, n - 1) + self(self, n - 2); };
    num(recursive(recursive, hidden(20)));
    num(curry([](int a, int b) { return a * 100 + b; })(7)(8));
    int (*plain)(int) = [](int x) { return -x; };
    num(hidden(plain)(9));
    line();
    return 0;
}
