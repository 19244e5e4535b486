// A parser by recursive descent that gives up by throwing.
extern "C" int printf(const char *, ...);
struct Wrong { const char *what; int at; };
struct Parser {
    const char *text; int at = 0;
    char next() { while (text[at] == ' ') at++; return text[at]; }
    long value() { char c = next(); if (c == '(') { at++; long v = sum(); if (next() != ')') throw Wrong{"no bracket", at}; at++; return v; } if (c == '-') { at++; return -value(); } if (c < '0' || c > '9') throw Wrong{"no number", at}; long v = 0; while (text[at] >= '0' && text[at] <= '9') v = v * 10 + (text[at++] - '0'); return v; }
    long product() { long v = value(); for (;;) { char c = next(); if (c == '*') { at++; v *= value(); } else if (c == '/') { at++; long d = value(); if (d == 0) throw d; v /= d; } else return v; } }
    long sum() { long v = product(); for (;;) { char c = next(); if (c == '+') { at++; v += product(); } else if (c == '-') { at++; v -= product(); } else return v; } }
};
int main() {
    const char *texts[] = {"1 + 2 * 3", "(4 - 5) * -6", "7 / (8 - 8)", "((9)", "1 + + 2", "", "10/3*3", "2*(3+(4-(5*(6))))", "1 +"};
    for (const char *text : texts) {
        Parser p{text};
        try { long v = p.sum(); if (p.next()) throw Wrong{"more", p.at}; printf("%ld\n", v); }
        catch (const Wrong &w) { printf("%s at %d\n", w.what, w.at); }
        catch (long) { printf("by zero at %d\n", p.at); }
    }
}
