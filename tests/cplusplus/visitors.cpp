#include "prelude.h"

struct Number; struct Sum; struct Product; struct Minus;
struct Visitor {
    virtual void of(const Number &) = 0; virtual void of(const Sum &) = 0; virtual void of(const Product &) = 0; virtual void of(const Minus &) = 0;
};
struct Node { virtual void accept(Visitor &) const = 0; };
template <class Own> struct Accepts : Node { void accept(Visitor &v) const override { v.of(static_cast<const Own &>(*this)); } };
struct Number : Accepts<Number> { int value; explicit Number(int v) : value(v) {} };
struct Sum : Accepts<Sum> { const Node &a, &b; Sum(const Node &a, const Node &b) : a(a), b(b) {} };
struct Product : Accepts<Product> { const Node &a, &b; Product(const Node &a, const Node &b) : a(a), b(b) {} };
struct Minus : Accepts<Minus> { const Node &a; explicit Minus(const Node &a) : a(a) {} };
struct Value : Visitor {
    long long value = 0;
    long long run(const Node &n) { n.accept(*this); return value; }
    void of(const Number &n) override { value = n.value; }
    void of(const Sum &n) override { long long a = run(n.a); value = a + run(n.b); }
    void of(const Product &n) override { long long a = run(n.a); value = a * run(n.b); }
    void of(const Minus &n) override { value = -run(n.a); }
};
struct Printer : Visitor {
    int depth = 0, deepest = 0;
    void in(const Node &n) { if (++depth > deepest) deepest = depth; n.accept(*this); depth--; }
    void of(const Number &n) override { printf("%d", n.value); }
    void of(const Sum &n) override { printf("("); in(n.a); printf("+"); in(n.b); printf(")"); }
    void of(const Product &n) override { in(n.a); printf("*"); in(n.b); }
    void of(const Minus &n) override { printf("-"); in(n.a); }
};
int main() {
    Number one(hidden(1)), two(2), three(hidden(3));
    Sum sum(one, two);
    Product product(sum, three);
    Minus minus(product);
    Sum whole(minus, sum);
    num(Value().run(whole));
    Printer printer;
    printer.in(whole);
    num(printer.deepest);
    line();
    return 0;
}
