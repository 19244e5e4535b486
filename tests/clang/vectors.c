// Vectors as parameters, arguments and results: in registers, on the stack, by address, variadic, in structs and kept over calls.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef signed char c4 __attribute__((vector_size(4)));
typedef unsigned char c8 __attribute__((vector_size(8)));
typedef signed char c16 __attribute__((vector_size(16)));
typedef short s8 __attribute__((vector_size(16)));
typedef int i2 __attribute__((vector_size(8)));
typedef int i4 __attribute__((vector_size(16)));
typedef unsigned u8 __attribute__((vector_size(32)));
typedef long long l1 __attribute__((vector_size(8)));
typedef long long l2 __attribute__((vector_size(16)));
typedef float f2 __attribute__((vector_size(8)));
typedef float f4 __attribute__((vector_size(16)));
typedef double d2 __attribute__((vector_size(16)));
typedef struct { f4 x, y, z; } Rows;
typedef struct { i2 pair; int one; } Mixed;

#define NOINLINE __attribute__((noinline))

static void shown(const char *name, const void *p, int bytes) {
  printf("%s", name);
  for (int k = 0; k < bytes; k++) printf(" %02x", ((const unsigned char *)p)[k]);
  puts("");
}
#define SHOW(v) shown(#v, &v, sizeof v)

NOINLINE c4 of_c4(c4 a, c4 b) { return a * b; }
NOINLINE c8 of_c8(c8 a, int n, c8 b) { return (a << 1) + b + (unsigned char)n; }
NOINLINE c16 of_c16(c16 a, c16 b) { c16 m = a > b; return (a & m) | (b & ~m); }
NOINLINE s8 of_s8(double x, s8 a, float y, s8 b) { return a - b + (short)(x + y); }
NOINLINE u8 of_u8(u8 a, u8 b) { return a * b + 7; }
NOINLINE l1 of_l1(l1 a, l1 b) { return a - b; }
NOINLINE l2 of_l2(l2 a, l2 b) { return a * b; }
NOINLINE f2 of_f2(f2 a, f2 b) { return a / b; }
NOINLINE Rows turned(Rows r, f4 by) { return (Rows){r.y * by, r.z + by, r.x - by}; }
NOINLINE Mixed mixed(Mixed m, i4 v) { return (Mixed){m.pair + (i2){v[3], v[0]}, m.one * v[1]}; }

// More than there are registers for.
NOINLINE i4 many(i4 a, d2 b, i2 c, float d, i4 e, f4 f, i4 g, double h, i4 i, i2 j, i4 k, char l, i4 m, f2 n) {
  i4 x = a + e * 2 + g * 3 + i * 4 + k * 5 + m * 6;
  x[0] += (int)(b[0] + b[1]) + c[0] + j[1];
  x[1] += (int)(d + h) + l;
  x[2] += (int)(f[0] + f[3]);
  x[3] += (int)(n[0] * n[1]);
  return x;
}

NOINLINE int variadic(int n, ...) {
  va_list ap;
  va_start(ap, n);
  int sum = 0;
  for (int k = 0; k < n; k++) {
    i4 v = va_arg(ap, i4);
    i2 w = va_arg(ap, i2);
    sum = sum * 3 + v[0] + v[1] * 2 + v[2] * 3 + v[3] * 5 + w[0] - w[1] + va_arg(ap, int);
  }
  va_end(ap);
  return sum;
}

NOINLINE f4 steps(f4 v, int n) { return n == 0 ? v : steps(v * 0.5f + 1, n - 1) + v; }

static i4 twice(i4 v) { return v + v; }
static i4 squared(i4 v) { return v * v; }
NOINLINE i4 by_address(i4 (*volatile f)(i4), i4 v) { return f(v) + f(v + 1); }

int main(void) {
  c4 q4 = of_c4((c4){1, 2, 3, 100}, (c4){-5, 6, -7, 8});
  SHOW(q4);
  c8 q8 = of_c8((c8){1, 2, 3, 4, 5, 6, 7, 200}, 9, (c8){9, 8, 7, 6, 5, 4, 3, 2});
  SHOW(q8);
  c16 a = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12, 13, -14, 15, -16}, b = -a;
  c16 q16 = of_c16(a, b);
  SHOW(q16);
  s8 h = of_s8(2.5, (s8){1, 2, 3, 4, 5, 6, 7, 8}, 0.5f, (s8){800, 700, 600, 500, 400, 300, 200, 100});
  SHOW(h);
  u8 u = of_u8((u8){1, 2, 3, 4, 5, 6, 7, 8}, (u8){11, 12, 13, 14, 15, 16, 17, 18});
  SHOW(u);
  l1 l = of_l1((l1){1}, (l1){3});
  SHOW(l);
  l2 m = of_l2((l2){1ll << 40, -3}, (l2){7, 1ll << 50});
  SHOW(m);
  f2 f = of_f2((f2){1, 2}, (f2){4, 5});
  SHOW(f);
  Rows r = turned((Rows){{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, (f4){0.5f, 1.5f, 2.5f, 3.5f});
  SHOW(r);
  Mixed x = mixed((Mixed){{3, 4}, 5}, (i4){6, 7, 8, 9});
  printf("%d %d %d\n", x.pair[0], x.pair[1], x.one);
  i4 v = {1, 2, 3, 4};
  i4 y = many(v, (d2){1.5, 2.5}, (i2){3, 4}, 5.5f, v + 1, (f4){6, 7, 8, 9}, v + 2, 10.5, v + 3, (i2){11, 12}, v + 4, 13,
              v + 5, (f2){14, 15});
  SHOW(y);
  printf("%d\n", variadic(4, v, (i2){1, 2}, 3, v + 4, (i2){5, 6}, 7, v + 8, (i2){9, 10}, 11, v + 12, (i2){13, 14}, 15));
  f4 s = steps((f4){1, 2, 3, 4}, 9);
  SHOW(s);
  i4 z = by_address(twice, v) + by_address(squared, v);
  SHOW(z);
  return 0;
}
