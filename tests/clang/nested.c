/* Structs by value: nested, with arrays, of all sizes, through several calls, conditionals, arrays of them, results of results. */
#include <stdint.h>
#include <stdio.h>

struct one { int8_t c; };
struct two { int16_t s; int8_t c; };
struct five { int8_t c[5]; };
struct eight { int32_t a; float f; };
struct twelve { int32_t a[3]; };
struct sixteen { double d; int64_t l; };
struct twenty { struct eight e; struct twelve t; };
struct large { struct twenty t[2]; struct sixteen s; struct five f; struct one o[3]; };
struct floats { float x, y; };
struct doubles { double x[3]; };
struct deep { struct { struct { struct one o; int16_t h; } in; float f; } mid; };

#define N __attribute__((noinline)) static
N struct one one(int k) { return (struct one){(int8_t)k}; }
N struct two two(int k) { return (struct two){(int16_t)(k * 300), (int8_t)k}; }
N struct five five(int k) { struct five f; for (int i = 0; i < 5; i++) f.c[i] = (int8_t)(k + i); return f; }
N struct eight eight(int k) { return (struct eight){k * 100000, k * 0.5f}; }
N struct twelve twelve(int k) { return (struct twelve){{k, k * 2, k * 3}}; }
N struct sixteen sixteen(int k) { return (struct sixteen){k / 4.0, (int64_t)k << 35}; }
N struct twenty twenty(int k) { return (struct twenty){eight(k), twelve(k + 1)}; }
N struct floats floats(int k) { return (struct floats){k + 0.25f, -k}; }
N struct doubles doubles(int k) { return (struct doubles){{k, k * 0.1, k * 100}}; }
N struct deep deep(int k) { return (struct deep){{{{(int8_t)k}, (int16_t)-k}, k * 1.5f}}; }
N struct large large(int k) {
    struct large l = {.t = {twenty(k), twenty(-k)}, .s = sixteen(k), .f = five(k)};
    l.o[1] = one(k);
    return l;
}
N double total(struct one a, struct two b, struct five c, struct eight d, struct twelve e, struct sixteen f, struct twenty g, struct floats h,
               struct doubles i, struct deep j) {
    double t = a.c + b.s + b.c + d.a + d.f + f.d + (double)f.l + g.e.a + g.e.f + h.x * h.y + j.mid.in.o.c + j.mid.in.h + j.mid.f;
    for (int k = 0; k < 5; k++) t += c.c[k];
    for (int k = 0; k < 3; k++) t += e.a[k] * g.t.a[k] + i.x[k];
    return t;
}
N struct large swapped(struct large l) {
    struct twenty t = l.t[0];
    l.t[0] = l.t[1];
    l.t[1] = t;
    l.s.d = -l.s.d;
    l.o[0] = l.o[2] = l.o[1];
    return l;
}
N double weight(struct large l) {
    return l.t[0].e.a + 2 * l.t[1].e.a + l.t[0].t.a[2] + l.t[1].t.a[1] + l.s.d + l.f.c[4] + l.o[0].c + l.o[2].c * 3;
}
N struct large chosen(int which, struct large a, struct large b) { return which ? a : b; }
N struct floats rotated(struct floats f, int times) { return times ? rotated((struct floats){-f.y, f.x}, times - 1) : f; }

int main(void) {
    for (int k = -2; k < 3; k++)
        printf("%.3f\n", total(one(k), two(k), five(k), eight(k), twelve(k), sixteen(k), twenty(k), floats(k), doubles(k), deep(k)));
    struct large l = large(7), m = swapped(l), n = swapped(swapped(l));
    printf("%.2f %.2f %.2f %.2f\n", weight(l), weight(m), weight(n), weight(chosen(1, m, l)));
    struct large all[3] = {l, m, chosen(0, m, large(9))};
    all[1] = all[2];
    all[2].t[1].e.f++;
    printf("%.2f %.2f %.2f %d\n", weight(all[0]), weight(all[1]), all[2].t[1].e.f, swapped(all[1]).t[0].t.a[1]);
    struct floats f = rotated((struct floats){1, 2}, 7);
    printf("%g %g %d %d\n", f.x, f.y, five(3).c[4], deep(5).mid.in.h);
    struct { struct two t; struct floats f[2]; } pair = {two(5), {floats(1), floats(2)}}, copy;
    copy = pair;
    pair.f[0].x = 9;
    printf("%d %g %g\n", copy.t.s, copy.f[0].x, pair.f[0].x + copy.f[1].y);
    return one(55).c;
}
