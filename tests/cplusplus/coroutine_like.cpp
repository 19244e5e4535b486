#include "prelude.h"

// Generators, lists and iterators without the library.
struct Range {
    int from, to, step;
    struct Iterator {
        int at, step, to;
        int operator*() const { return at; }
        Iterator &operator++() { at += step; return *this; }
        bool operator!=(const Iterator &) const { return step > 0 ? at < to : at > to; }
    };
    Iterator begin() const { return {from, step, to}; }
    Iterator end() const { return {to, step, to}; }
};
template <class I, class F> struct Filtered {
    I of;
    F keeps;
    template <class G> void each(G g) const { for (int x : of) if (keeps(x)) g(x); }
    template <class H> auto filter(H h) const { auto both = [k = keeps, h](int x) { return k(x) && h(x); }; return Filtered<I, decltype(both)>{of, both}; }
};
template <class I, class F> Filtered(I, F) -> Filtered<I, F>;
struct Generator {
    int line = 0, k = 0;
    bool next(int &out) {
        switch (line) {
        case 0:
            for (k = 0; k < 3; k++) { out = k * 10; line = 1; return true;
        case 1:; }
            out = -1; line = 2; return true;
        case 2: line = 3; [[fallthrough]];
        default: return false;
        }
    }
};
template <class T> struct List {
    struct Link { Link *next = this, *back = this; } head;
    struct Item : Link { T value; };
    void append(Item &item) { item.back = head.back; item.next = &head; head.back->next = &item; head.back = &item; }
    static void remove(Item &item) { item.back->next = item.next; item.next->back = item.back; }
    template <class F> void each(F f) { for (Link *at = head.next; at != &head; at = at->next) f(static_cast<Item *>(at)->value); }
};
int main() {
    for (int x : Range{hidden(10), -5, -4}) num(x);
    auto odd = Filtered{Range{0, hidden(50), 1}, [](int x) { return x % 2 == 1; }};
    odd.filter([k = hidden(3)](int x) { return x % k == 0; }).each([](int x) { num(x); });
    Generator g;
    for (int x; g.next(x);) num(x);
    List<int> list;
    List<int>::Item items[5];
    for (int k = 0; k < 5; k++) { items[k].value = hidden(k * k); list.append(items[k]); }
    list.remove(items[2]);
    int sum = 0;
    list.each([&](int &x) { num(x); sum += x++; });
    num(sum);
    line();
    return 0;
}
