// Destructors that throw and handlers that return, break and go on; `finally` by hand.
extern "C" int printf(const char *, ...);
struct Loud { int n; bool &armed; ~Loud() noexcept(false) { printf("[%d]", n); if (armed) { armed = false; throw n; } } };
template <class F> struct Finally { F f; ~Finally() { f(); } };
template <class F> static Finally<F> finally(F f) { return {f}; }
static int turns(int n) {
    for (int i = 0; i < n; i++) {
        auto last = finally([i] { printf("<%d>", i); });
        try { if (i == 1) throw 'a'; if (i == 2) throw 1L; if (i == 4) throw 2; } catch (char) { continue; } catch (long) { printf("long "); } catch (int) { return i * 100; }
        if (i == 5) break;
    }
    return n;
}
int main() {
    bool armed = true, other = false;
    try { Loud a{1, other}; Loud b{2, armed}; printf("body "); } catch (int n) { printf("thrown by %d\n", n); }
    for (int n = 0; n < 7; n += 2) printf("= %d\n", turns(n));
    armed = true;
    try { for (int i = 0; i < 3; i++) { Loud l{i, i == 1 ? armed : other}; } } catch (int n) { printf("loop %d\n", n); }
}
