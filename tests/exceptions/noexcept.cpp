// A function that throws nothing ends the program where something is thrown in it; a handler of that says so.
#include <cstdio>
#include <cstdlib>
#include <exception>
static int depth;
struct Last { ~Last() { printf("destroyed at %d\n", depth); } };
__attribute__((noinline)) static void inner(int k) { Last last; depth++; if (k == 3) throw k; printf("fine %d\n", k); }
__attribute__((noinline)) static int outer(int k) noexcept { inner(k); return k + 1; }
int main() {
    std::set_terminate([] { printf("terminated\n"); fflush(stdout); _Exit(7); });
    try { for (int k = 0; k < 5; k++) printf("%d\n", outer(k)); } catch (...) { printf("never\n"); }
}
