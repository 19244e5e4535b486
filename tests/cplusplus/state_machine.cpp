#include "prelude.h"

class Parser {
    const char *at;
    using State = long long (Parser::*)();
    bool eat(char c) { while (*at == ' ') at++; return *at == c ? (at++, true) : false; }
public:
    bool failed = false;
    explicit Parser(const char *text) : at(text) {}
    long long primary() {
        if (eat('(')) { long long x = sum(); failed |= !eat(')'); return x; }
        if (eat('-')) return -primary();
        if (*at < '0' || *at > '9') { failed = true; return 0; }
        long long x = 0;
        while (*at >= '0' && *at <= '9') x = x * 10 + (*at++ - '0');
        return x;
    }
    long long product() {
        long long x = primary();
        for (;;) {
            if (eat('*')) x *= primary();
            else if (eat('/')) { long long y = primary(); x = y ? x / y : 0; }
            else return x;
        }
    }
    long long sum() {
        long long x = product();
        for (;;) {
            if (eat('+')) x += product();
            else if (eat('-')) x -= product();
            else return x;
        }
    }
    long long run(State state) { return (this->*state)(); }
};
struct Light {
    enum State { Red, Green, Yellow } state = Red;
    int ticks = 0;
    void tick() {
        static constexpr struct { int after; State next; } rows[] = {{5, Green}, {4, Yellow}, {2, Red}};
        if (++ticks >= rows[state].after) { state = rows[state].next; ticks = 0; }
    }
};
int main() {
    const char *const texts[] = {"1 + 2 * 3", "(1+2)*3 - 4/2", "-(5 - 8)*(2+(3))", "2*(3", "7/0+1", "12345678901*3"};
    for (const char *text : texts) {
        Parser parser(hidden(text));
        num(parser.run(hidden(&Parser::sum))); num(parser.failed);
    }
    Light light;
    int counts[3] = {};
    for (int k = 0; k < hidden(100); k++) { light.tick(); counts[light.state]++; }
    for (int count : counts) num(count);
    line();
    return 0;
}
