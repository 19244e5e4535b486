// Functions with variadic arguments: all kinds of these, many of them, lists that are copied and passed on.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct { long a, b; } Pair;
typedef struct { double x, y; } Point;
typedef struct { float x, y, z; } Small;
typedef struct { int v[20]; } Large;
typedef struct { char c[3]; } Three;

static int sum(int n, ...) {
    va_list ap;
    int s = 0;
    va_start(ap, n);
    for (int i = 0; i < n; i++) s = s * 3 + va_arg(ap, int);
    va_end(ap);
    return s;
}

// By the letters of a text; after the first nine arguments everything is on the stack.
static double mixed(const char *kinds, ...) {
    va_list ap;
    double s = 0;
    va_start(ap, kinds);
    for (; *kinds; kinds++) {
        switch (*kinds) {
        case 'i': s = s * 2 + va_arg(ap, int); break;
        case 'l': s = s * 2 + (double)va_arg(ap, long long); break;
        case 'd': s = s * 2 + va_arg(ap, double); break;
        case 'p': s = s * 2 + *va_arg(ap, const char *); break;
        case 'P': { Pair p = va_arg(ap, Pair); s += p.a - 3 * p.b; break; }
        case 'D': { Point p = va_arg(ap, Point); s += p.x - 3 * p.y; break; }
        case 'S': { Small p = va_arg(ap, Small); s += p.x - 3 * p.y + p.z; break; }
        case 'L': { Large p = va_arg(ap, Large); s += p.v[0] - 3 * p.v[19]; break; }
        case 'T': { Three p = va_arg(ap, Three); s += p.c[0] - 3 * p.c[2]; break; }
        }
    }
    va_end(ap);
    return s;
}

static int listed(char *out, const char *format, va_list ap) { return vsprintf(out, format, ap); }

static int printed(char *out, const char *format, ...) {
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = listed(out, format, ap);
    n += listed(out + n, format, again);
    va_end(again);
    va_end(ap);
    return n;
}

static Pair pair_of(double scale, int n, ...) {
    va_list ap;
    va_start(ap, n);
    Pair p = {0, 0};
    while (n-- > 0) {
        p.a += (long)(scale * va_arg(ap, double));
        p.b += va_arg(ap, int);
    }
    va_end(ap);
    return p;
}

static float float_of(float first, double second, long long third, ...) {
    va_list ap;
    va_start(ap, third);
    float x = first + (float)second + (float)third + (float)va_arg(ap, double);
    va_end(ap);
    return x;
}

static int recursive(int depth, ...) {
    va_list ap;
    va_start(ap, depth);
    int x = va_arg(ap, int);
    va_end(ap);
    return depth == 0 ? x : x + recursive(depth - 1, x * 3 + 1);
}

int main(void) {
    char text[200];
    int (*by)(int, ...) = sum;
    Pair p = {70, 5};
    Point d = {1.5, 2.25};
    Small s = {1, 2, 3};
    Large l = {{9}};
    Three t = {{4, 5, 6}};
    l.v[19] = 8;
    printf("%d %d %d\n", sum(0), sum(3, 1, 2, 3), sum(12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    printf("%d\n", by(4, 9, 8, 7, 6));
    printf("%.3f\n", mixed("ildp", 1, 2LL, 3.5, "x"));
    printf("%.3f\n", mixed("iidlidlidlipd", 1, 2, 3.5, 4LL, 5, 6.5, 7LL, 8, 9.5, 10LL, 11, "y", 12.5));
    printf("%.3f\n", mixed("dddddddddddi", 1., 2., 3., 4., 5., 6., 7., 8., 9., 10., 11., 12));
    printf("%.3f\n", mixed("PDSLT", p, d, s, l, t));
    printf("%.3f\n", mixed("iPiDdSiLiTPPPDD", 1, p, 2, d, 0.5, s, 3, l, 4, t, p, p, p, d, d));
    printf("%.3f\n", mixed("iiiiiiPllPDDDSSL", 1, 2, 3, 4, 5, 6, p, 7LL, 8LL, p, d, d, d, s, s, l));
    int n = printed(text, "%d %s %.2f %lld;", 5, "abc", 2.5, 1LL << 40);
    printf("%d %s\n", n, text);
    p = pair_of(2.5, 3, 1.0, 2, 3.0, 4, 5.0, 6);
    printf("%ld %ld\n", p.a, p.b);
    printf("%g %d\n", float_of(1.5f, 2.5, 3, 4.25), recursive(4, 2));
    return 0;
}
