/* _Bool, enums and logical operators: values and widths, order of evaluation, sets of flags, tables by enum, sizes. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum day { MON = 1, TUE, WED, THU, FRI, SAT, SUN, DAYS = SUN };
enum sign { NEGATIVE = -1, ZERO, POSITIVE };
enum flags { READ = 1 << 0, WRITE = 1 << 1, RUN = 1 << 2, ALL = READ | WRITE | RUN, HIGH = 1 << 30 };
enum { ANONYMOUS = 'a' + 1, NEXT, BACK = ANONYMOUS - 10, LAST };
enum small { S0, S255 = 255 } __attribute__((packed));
typedef enum day day;

static const char *const names[DAYS + 1] = {[MON] = "mon", [WED] = "wed", [SUN] = "sun"};
static _Bool bits[20];
static char order[64];
static int at;
static bool t(char c) { order[at++] = c; return true; }
static bool f(char c) { order[at++] = c; return false; }
static void flush(int result) { order[at] = 0; printf("%s=%d ", order, result); at = 0; }

static day next(day d) { return d == SUN ? MON : d + 1; }
static enum sign sign(int x) { return x < 0 ? NEGATIVE : x > 0 ? POSITIVE : ZERO; }
static enum flags without(enum flags a, enum flags b) { return a & ~b; }
static _Bool any(const void *p, double d, int i, float g) { return p || d || i || g; }
static bool xor(bool a, bool b) { return a != b; }
static bool implies(bool a, bool b) { return !a | b; }
static bool majority(bool a, bool b, bool c) { return a & b | b & c | a & c; }
static bool in_range(int x, int low, int high) { return low <= x && x < high; }
static bool is_leap(int y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; }
static int weekend(day d) { switch (d) { case SAT: case SUN: return true; case MON ... FRI: return false; } return -1; }

int main(void) {
    flush(t('a') && f('b') && t('c'));
    flush(f('a') || t('b') || f('c'));
    flush((t('a') || f('b')) && (f('c') || t('d')));
    flush(!(t('a') && !f('b')) || t('c'));
    flush((t('a') ? f('b') : t('c')) ? t('d') : f('e'));
    flush((t('a'), f('b')) | t('c') & f('d') ^ t('e'));
    printf("\n");
    day d = THU;
    for (int k = 0; k < 7; k++, d = next(d)) printf("%d%s%d ", d, names[d] ? names[d] : "-", weekend(d));
    printf("\n%d %d %d %d %d\n", sign(-9), sign(0), sign(7), LAST, NEXT);
    printf("%d %d %d %d\n", without(ALL, WRITE), ALL | HIGH, (enum flags)(RUN << 1), without(ALL, ALL) == 0);
    printf("%zu %zu %zu\n", sizeof(_Bool), sizeof(enum small), sizeof(enum day));
    bool b = 2;
    b += 5;
    printf("%d ", b);
    b -= 1;
    printf("%d ", b);
    b = ~0;
    b <<= 3;
    printf("%d ", b);
    b ^= true;
    b = b | (0.001f != 0);
    printf("%d ", b);
    b = !b;
    printf("%d %d %d\n", b, -true, true + true);
    int ones = 0;
    for (int k = 0; k < 20; k++) bits[k] = k * k & 12;
    for (int k = 0; k < 20; k++) ones += bits[k] << k % 4;
    printf("%d %d %d %d %d\n", ones, any(0, 0, 0, 0), any(&b, 0, 0, 0), any(0, -0.0, 0, 1e-40f), any(0, 0.1, 0, 0));
    int table = 0;
    for (int k = 0; k < 8; k++) table = table << 3 | xor(k & 1, k & 4) << 2 | implies(k & 1, k & 2) << 1 | majority(k & 1, k & 2, k & 4);
    printf("%o %d %d\n", table, in_range(5, 0, 5), in_range(-1, -1, 0));
    int leaps = 0;
    for (int y = 1800; y < 2401; y++) leaps += is_leap(y);
    uint8_t wrapped = S255;
    wrapped++;
    enum small s = S255;
    s++;
    printf("%d %d %d\n", leaps, wrapped, s == S0);
    struct { bool a : 1, b; enum sign s : 2; } packed = {true, 3, NEGATIVE};
    packed.a = packed.b && packed.s;
    return packed.a + packed.b * 2 + (packed.s == NEGATIVE) * 4;
}
