// Arguments in registers and on the stack, and calls by address, that throw.
extern "C" int printf(const char *, ...);
typedef long (*Many)(int, long, double, float, int, int, int, int, int, long, double, double, double, double, double, double, double, double, int, float);
__attribute__((noinline)) static long many(int a, long b, double c, float d, int e, int f, int g, int h, int i, long j, double k, double l, double m, double n, double o, double p, double q, double r, int s, float t) {
    if (s == 3) throw a + i + s;
    if (s == 5) throw c + d + r + t;
    return a + b + (long)c + (long)d + e + f + g + h + i + j + (long)(k + l + m + n + o + p + q + r) + s + (long)t;
}
struct Object { int id; Object(int i) : id(i) {} Object(const Object &o) : id(o.id + 1) {} ~Object() { printf("(%d)", id); } };
__attribute__((noinline)) static int take(Object a, Object b, int k) { if (k == 2) throw Object(90); return a.id * 10 + b.id; }
struct Shape { virtual double area(int k) = 0; virtual ~Shape() { printf("~Shape "); } };
struct Square : Shape { double s; Square(double s) : s(s) {} double area(int k) override { if (k > 2) throw s; return s * s; } };
struct Line : Shape { double area(int k) override { if (k == 1) throw "flat"; return 0; } };
int main() {
    Many by = many;
    for (int s = 1; s < 7; s++) {
        try { printf("%ld\n", by(1, 2, 3.5, 4.25f, 5, 6, 7, 8, 9, 10, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, s, 9.75f)); }
        catch (int x) { printf("int %d\n", x); } catch (double x) { printf("double %g\n", x); }
        Object o(s * 100);
        try { printf("%d\n", take(o, Object(s), s)); } catch (const Object &x) { printf("object %d\n", x.id); }
        Shape *shapes[] = {new Square(s), new Line};
        for (Shape *shape : shapes) {
            try { printf("%g ", shape->area(s)); } catch (double d) { printf("d%g ", d); } catch (const char *t) { printf("%s ", t); }
            delete shape;
        }
        printf("\n");
    }
}
