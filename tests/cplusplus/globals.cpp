#include "prelude.h"

struct Noisy {
    int id;
    explicit Noisy(int id) : id(id) { printf("+%d ", id); }
    ~Noisy() { printf("-%d ", id); }
    Noisy(const Noisy &) = delete;
};
static int next(int by) {
    static int number = hidden(10);
    return number += by;
}
Noisy first(next(1));
static Noisy second(next(2));
namespace {
Noisy third(next(3));
int table[4] = {next(10), next(10), 3, next(10)};
}
struct Holder {
    static Noisy kept;
    static inline int value = next(100);
    static const Noisy &lazy(int x) {
        static Noisy made(x);
        return made;
    }
};
Noisy Holder::kept(next(1));
template <class T> T variable = T(next(5));
__attribute__((constructor(200))) static void early() { printf("early "); }
__attribute__((destructor)) static void late() { printf("late\n"); }
__attribute__((init_priority(300))) Noisy prior(300);

int main() {
    line();
    num(Holder::lazy(500).id); num(Holder::lazy(600).id);
    for (int x : table) num(x);
    num(Holder::value); num(variable<int>); num((long long)variable<double>);
    num(first.id + second.id + third.id + Holder::kept.id);
    {
        Noisy local(1), other(2);
        if (hidden(1)) { Noisy inner(3); }
    }
    line();
    return 4;
}
