#include "prelude.h"

struct Top {
    int top = 1;
    virtual int f() { return top; }
    virtual ~Top() { num(100); }
};
struct Left : virtual Top {
    int left = 2;
    int f() override { return left + top; }
    virtual int only() { return 20; }
    ~Left() override { num(101); }
};
struct Right : virtual Top {
    double right = 3.5;
    virtual double g() { return right * top; }
    ~Right() override { num(102); }
};
struct Bottom : Left, Right {
    long long bottom = 4;
    int f() override { return int(left + right + bottom + top); }
    double g() override { return 10 * Right::g(); }
    ~Bottom() override { num(103); }
};
struct A { virtual int a() { return 1; } int x = 5; };
struct B { virtual int b() { return 2; } int y = 6; };
struct C : A, B {
    int b() override { return x * 10 + y; }
    virtual int c() { return a() + b(); }
};
void operator delete(void *at) noexcept { free(at); }
void operator delete(void *at, size) noexcept { free(at); }

int main() {
    {
        Bottom bottom;
        Left *left = &bottom;
        Right *right = &bottom;
        Top *top = hidden<Top *>(right);
        num(left->f()); num(right->f()); num(top->f()); num(left->only());
        num((long long)(right->g() * 4));
        num(static_cast<Bottom *>(left) == static_cast<Bottom *>(right));
        Left alone;
        num(hidden<Top *>(&alone)->f());
    }
    line();
    C c;
    B *b = hidden<B *>(&c);
    num(b->b()); num(static_cast<C *>(b)->c()); num(hidden<A *>(&c)->a());
    int (C::*member)() = &C::c;
    int (B::*base)() = &B::b;
    int C::*field = &C::x;
    num((c.*hidden(member))()); num((b->*hidden(base))()); num(c.*hidden(field));
    line();
    return 0;
}
