// Objects are destroyed in the reverse order, in every frame that an exception passes.
extern "C" int printf(const char *, ...);
struct Noted { int n; Noted(int n) : n(n) { printf("+%d ", n); } ~Noted() { printf("-%d ", n); } };
static int deep(int n, int at) {
    Noted a(n);
    if (n == at) throw n;
    Noted b(n + 100);
    int below = n < 6 ? deep(n + 1, at) : 0;
    Noted c(n + 200);
    return below + a.n + b.n + c.n;
}
struct Member { Noted a, b; Member(int n) : a(n), b(n + 1) { if (n % 3 == 0) throw n; } };
struct Derived : Member { Noted c; Derived(int n) : Member(n), c(n + 2) { if (n % 3 == 1) throw n * 10; } };
int main() {
    for (int at = 0; at < 8; at++) {
        try { printf("= %d\n", deep(0, at)); } catch (int n) { printf("caught %d\n", n); }
    }
    for (int n = 3; n < 6; n++) {
        try { Derived d(n); printf("made "); } catch (int x) { printf("caught %d\n", x); }
    }
    try {
        Noted all[3] = {1, 2, 3};
        for (Noted &x : all) if (x.n == 3) throw x.n;
    } catch (int x) { printf("\ncaught %d\n", x); }
    Noted *several = nullptr;
    struct Fails { Fails() { static int made; if (++made == 4) throw made; printf("F%d ", made); } ~Fails() { printf("~F "); } };
    try { Fails some[5]; printf("never %p", (void *)some); } catch (int x) { printf("caught %d %d\n", x, several == nullptr); }
}
