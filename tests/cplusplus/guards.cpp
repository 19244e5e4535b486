#include "prelude.h"

struct Counter {
    int value;
    Counter(int start) : value(start) { printf("made "); }
    int next() { return value++; }
};
static Counter &shared(int start) {
    static Counter counter(start);
    return counter;
}
template <int N> int &slot() {
    static int value = hidden(N) * 2;
    return value;
}
inline int &inlined() {
    static int value = hidden(3);
    return ++value;
}
struct Lazy {
    static Lazy &get() { static Lazy lazy; return lazy; }
    int uses = 0;
    Lazy() { for (int &x : table) x = hidden(6); }
    int table[16];
};
int recursive(int n) {
    static const int least = hidden(2);
    return n <= least ? n : recursive(n - 1) + recursive(n - 2);
}
int main() {
    for (int k = 0; k < 3; k++) num(shared(hidden(40 + k)).next());
    num(slot<1>()); num(slot<7>()++); num(slot<7>());
    num(inlined()); num(inlined());
    for (int x : Lazy::get().table) Lazy::get().uses += x;
    num(Lazy::get().uses);
    num(recursive(hidden(15)));
    line();
    return 0;
}
