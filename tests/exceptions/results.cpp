// Results of all kinds from calls that may throw: structs in registers and in memory, floats, narrow and wide integers.
extern "C" int printf(const char *, ...);
struct Two { long a, b; }; struct Floats { float x, y; }; struct Large { int v[9]; }; struct Mixed { double d; int i; }; struct Small { short s; char c; };
static bool on = false;
template <class T> __attribute__((noinline)) T give(T x, int k) { if (on && k % 2) throw k; return x; }
static int total;
template <class T, class F> static void with(T x, int k, F f) { try { T y = give(x, k); f(y); total += 1; } catch (int c) { printf("thrown %d\n", c); total += 100; } }
int main() {
    for (int pass = 0; pass < 2; pass++, on = true) {
        for (int k = 0; k < 2; k++) {
            with(Two{k + 1, -k}, k, [](Two t) { printf("%ld %ld\n", t.a, t.b); });
            with(Floats{1.5f * k, 2.5f}, k, [](Floats t) { printf("%g %g\n", t.x, t.y); });
            Large l; for (int i = 0; i < 9; i++) l.v[i] = i * k;
            with(l, k, [](Large t) { printf("%d %d\n", t.v[3], t.v[8]); });
            with(Mixed{0.25 * k, k}, k, [](Mixed t) { printf("%g %d\n", t.d, t.i); });
            with(Small{(short)-k, 'x'}, k, [](Small t) { printf("%d %c\n", t.s, t.c); });
            with((signed char)(-100 - k), k, [](signed char t) { printf("%d\n", t); });
            with((unsigned short)(65535 - k), k, [](unsigned short t) { printf("%u\n", t); });
            with(k == 1, k, [](bool t) { printf("%d\n", t); });
            with(3.25f + k, k, [](float t) { printf("%g\n", t); });
            with(1e100 * k, k, [](double t) { printf("%g\n", t); });
            with(0x123456789abcLL + k, k, [](long long t) { printf("%llx\n", t); });
        }
    }
    printf("%d\n", total);
}
