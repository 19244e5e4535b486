#include "prelude.h"

enum class Kind : byte { Empty, Number, Pair, Text };
struct Value {
    Kind kind;
    union {
        long long number;
        struct { int first; float second; } pair;
        const char *text;
    };
    Value() : kind(Kind::Empty), number(0) {}
    Value(long long x) : kind(Kind::Number), number(x) {}
    Value(int a, float b) : kind(Kind::Pair), pair{a, b} {}
    Value(const char *text) : kind(Kind::Text), text(text) {}
    long long weight() const {
        switch (kind) {
        case Kind::Empty: return -1;
        case Kind::Number: return number;
        case Kind::Pair: return pair.first + (long long)(pair.second * 10);
        case Kind::Text: { long long sum = 0; for (const char *at = text; *at; at++) sum = sum * 31 + *at; return sum; }
        }
        return 0;
    }
};
struct Fields { unsigned a : 3; int b : 5; word c : 37; bool d : 1; };
static Value pick(int k) {
    switch (k) {
    case 0: return {};
    case 1: return 77LL;
    case 2: return {3, 2.5f};
    case 10: return "ten";
    case 11: return "eleven";
    default: return -(long long)k;
    }
}
int main() {
    long long sum = 0;
    for (int k = 0; k < 13; k++) sum = sum * 7 + pick(hidden(k)).weight();
    num(sum);
    Fields f{};
    f.a = hidden(13); f.b = hidden(-9); f.c = hidden(0x1234567890ull) + 5; f.d = f.b < 0;
    num(f.a); num(f.b); num((long long)f.c); num(f.d);
    Fields g = f;
    g.c += g.a; g.b -= 4;
    num((long long)(g.c - f.c)); num(g.b);
    line();
    return 0;
}
