// What is caught is thrown on, as it is or as another; handlers nest.
extern "C" int printf(const char *, ...);
struct Error { int code; Error(int c) : code(c) {} Error(const Error &o) : code(o.code) { printf("copy "); } ~Error() { printf("gone %d ", code); } };
static void one(int k) {
    try { if (k & 1) throw Error(k); if (k & 2) throw k; printf("none "); }
    catch (Error &e) { e.code += 10; if (k & 4) throw; printf("kept %d ", e.code); }
    catch (int &i) { i += 20; if (k & 4) throw; if (k & 8) throw Error(i); printf("int %d ", i); }
}
static int two(int k) {
    try { one(k); return 0; }
    catch (Error e) {
        try { throw e.code; } catch (int inner) { printf("inner %d ", inner); }
        return e.code;
    }
}
static void handled() {
    try { throw; } catch (int i) { printf("handled int %d ", i); } catch (...) { printf("handled other "); }
}
int main() {
    for (int k = 0; k < 16; k++) {
        try { printf("%d: ", k); printf("= %d ", two(k)); } catch (int i) { printf("out %d ", i); handled(); } catch (...) { handled(); }
        printf("\n");
    }
}
