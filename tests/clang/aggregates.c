// Structs as arguments and results: of two words, of floats, of a float and an integer, of three bytes, large.
#include <stdio.h>
typedef struct { long a, b; } P;
typedef struct { double x, y; } D;
typedef struct { float x, y, z; } F3;
typedef struct { float f; int i; } FI;
typedef struct { char c[3]; } C3;
typedef struct { int v[20]; } Big;
P mkp(long a, long b) { P p = {a, b}; return p; }
D mkd(double a, double b) { D p = {a, b}; return p; }
F3 mkf(float a, float b, float c) { F3 p = {a, b, c}; return p; }
FI mkfi(float a, int b) { FI p = {a, b}; return p; }
C3 mkc(int a) { C3 p = {{a, a+1, a+2}}; return p; }
Big mkb(int a) { Big p; for (int i = 0; i < 20; i++) p.v[i] = a + i; return p; }
long sp(P p, int k) { return p.a * 3 + p.b * 5 + k; }
double sd(D p, P q) { return p.x * 3 + p.y * 5 + q.a; }
float sf(F3 p, F3 q, F3 r, F3 s, F3 t, F3 u) { return p.x + p.y * 2 + p.z * 3 + q.y + r.x + s.z + t.x * 7 + u.y * 11; }
float sfi(FI p) { return p.f + p.i; }
int sc(C3 p) { return p.c[0] + p.c[1] * 10 + p.c[2] * 100; }
int sb(Big b, int k, Big c) { return b.v[0] + b.v[19] * 3 + k + c.v[7]; }
int main(void) {
  printf("%ld\n", sp(mkp(3, 4), 5));
  printf("%g\n", sd(mkd(3, 4.5), mkp(1, 2)));
  F3 f = mkf(1, 2, 3);
  printf("%g\n", sf(f, f, f, f, f, f));
  printf("%g\n", sfi(mkfi(1.5, 2)));
  printf("%d\n", sc(mkc(7)));
  printf("%d\n", sb(mkb(7), 2, mkb(9)));
  return 0;
}
