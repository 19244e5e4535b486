#include "prelude.h"

struct Table {
    unsigned rows[256];
    constexpr Table() : rows() {
        for (unsigned k = 0; k < 256; k++) {
            unsigned x = k;
            for (int bit = 0; bit < 8; bit++) x = x & 1 ? x >> 1 ^ 0xedb88320u : x >> 1;
            rows[k] = x;
        }
    }
};
constexpr Table table;
constexpr int primes(int below) {
    int count = 0;
    for (int k = 2; k < below; k++) { bool is = true; for (int d = 2; d * d <= k; d++) is &= k % d != 0; count += is; }
    return count;
}
constinit int started = primes(100);
consteval int square(int x) { return x * x; }
struct Literal { const char *name; int (*f)(int); const Literal *next; };
constexpr int plus(int x) { return x + 1; }
static int minus(int x) { return x - 1; }
constexpr Literal end{"end", plus, nullptr};
extern const Literal start;
constexpr Literal middle{"middle", minus, &end};
const Literal start{"start", plus, &middle};
static const char *const words[] = {"zero", "one", "two"};
static const char *word_of(int k) { return k >= 0 && k < 3 ? words[k] : "many"; }
int main() {
    unsigned crc = ~0u;
    for (const char *at = hidden("123456789"); *at; at++) crc = crc >> 8 ^ table.rows[(crc ^ byte(*at)) & 255];
    printf("%x ", ~crc);
    num(started); num(square(12)); num(primes(hidden(50)));
    int x = hidden(5);
    for (const Literal *at = &start; at; at = at->next) { x = at->f(x) * 2; printf("%s %d ", at->name, x); }
    const int asked[] = {0, 2, 7};
    for (int k : asked) printf("%s ", word_of(hidden(k)));
    static_assert(primes(100) == 25);
    line();
    return 0;
}
