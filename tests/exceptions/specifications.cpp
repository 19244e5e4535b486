// Functions that say what they throw, as C++ had it: what they do not let through is unexpected.
#include <cstdio>
#include <cstdlib>
#include <exception>
struct X { int n; }; struct Y : X {};
__attribute__((noinline)) static void raw(int k) { if (k == 1) throw X{1}; if (k == 2) { Y y; y.n = 2; throw y; } if (k == 3) throw 3; if (k == 4) throw 4.5; }
__attribute__((noinline)) static void some(int k) throw(X, int) { raw(k); }
int main() {
    std::set_terminate([] { printf("terminate\n"); fflush(stdout); _Exit(3); });
    for (int k = 0; k < 5; k++) {
        try { some(k); printf("none\n"); } catch (Y &y) { printf("Y %d\n", y.n); } catch (X &x) { printf("X %d\n", x.n); } catch (int i) { printf("int %d\n", i); }
    }
}
