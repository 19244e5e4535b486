#include "prelude.h"

struct Base { virtual ~Base() {} virtual int id() const { return 0; } };
struct One : Base { int id() const override { return 1; } int own = 11; };
struct Two : Base { int id() const override { return 2; } double own = 2.5; };
void operator delete(void *at) noexcept { free(at); }
void operator delete(void *at, size) noexcept { free(at); }
template <class To> To *as(Base *base, int id) { return base->id() == id ? static_cast<To *>(base) : nullptr; }
union Punned { float f; unsigned u; };
int main() {
    One one; Two two;
    Base *all[] = {&one, &two, &one};
    for (Base *base : all) {
        if (One *x = as<One>(hidden(base), 1)) num(x->own);
        if (Two *x = as<Two>(base, 2)) num((long long)(x->own * 2));
    }
    num(int(hidden(-3.9))); num(unsigned(hidden(3e9))); num((signed char)hidden(300)); num((unsigned short)hidden(-1)); num(bool(hidden(0.1)));
    num((long long)hidden(-1u)); num((long long)float(hidden(16777217))); num((long long)double(hidden(0x7ffffffffffffbffull)) / 1024);
    Punned p; p.f = hidden(1.5f); num(p.u);
    num(__builtin_bit_cast(unsigned, hidden(-0.5f))); num((long long)__builtin_bit_cast(word, hidden(3.25)));
    const int *at = &one.own;
    num(*const_cast<int *>(at)); num(reinterpret_cast<word>(at) % alignof(int));
    byte raw[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    word w; __builtin_memcpy(&w, raw, 8); num((long long)w);
    line();
    return 0;
}
