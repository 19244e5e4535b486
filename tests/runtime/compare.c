/*
 * Compares the runtime library's source, compiled as C, with glibc: the values and the bytes that reading a float takes, and
 * the text of %a and of every conversion of putf. Reads and writes are interrupted and cut short at random.
 *
 *     compare [CASES [SEED]]      so many random cases of each kind, besides all boundary values
 *
 * Prints how many cases were compared, and each difference (20 at most); the exit code says whether there was one.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library. */
extern int in_at, in_end, in_closed, out_used, out_kind;
int read_float(void);
int getch(void);
int getint(void);
void putint(int value);
void put_float_bits(int bits);
void print_format(int format[], int area[]);
void flush_output(void);

static uint64_t state;
static long long compared, different;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545F4914F6CDD1DULL;
}

static unsigned below(unsigned n) { return (unsigned)((next() >> 33) % n); }

static const char *source;
static size_t source_left;
static char sink[1 << 22];
static size_t sink_used;

int __read(int stream, int a[], int n) {
    (void)stream;
    if (below(8) == 0)
        return -4; /* EINTR */
    size_t k = source_left < (size_t)n ? source_left : (size_t)n;
    if (k > 1 && below(2))
        k = 1 + below((unsigned)k);
    memcpy(a, source, k);
    source += k;
    source_left -= k;
    return (int)k;
}

int __write(int stream, int a[], int n) {
    (void)stream;
    if (below(8) == 0)
        return below(2) ? -4 : -11; /* EINTR, EAGAIN */
    int k = below(2) ? n : 1 + (int)below(n);
    memcpy(sink + sink_used, a, k);
    sink_used += k;
    return k;
}

static void differs(const char *what, const char *text, const char *ours, const char *theirs) {
    if (different++ < 20)
        printf("%s of \"%.300s\": %s, glibc: %s\n", what, text, ours, theirs);
}

/* ---- reading -------------------------------------------------------------------------------------------------- */

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

/* Reads a float from the text, and then the byte behind it, both ways. */
static void check_read(const char *text) {
    char ours[64], theirs[64];
    source = text;
    source_left = strlen(text);
    in_at = in_end = in_closed = 0;
    uint32_t a = (uint32_t)read_float();
    int behind_a = getch();

    FILE *stream = fmemopen((void *)text, strlen(text), "r");
    float value = 0.0f;
    if (fscanf(stream, "%f", &value) != 1)
        value = 0.0f;
    int behind_b = fgetc(stream);
    fclose(stream);
    compared++;
    if (a != bits_of(value) || behind_a != behind_b) {
        sprintf(ours, "%08x and then %d", a, behind_a);
        sprintf(theirs, "%08x and then %d", bits_of(value), behind_b);
        differs("reading", text, ours, theirs);
    }
}

/* The text, and the same with the last digit one up and down, with more digits behind it, and as another spelling. */
static void check_around(const char *text) {
    char other[4096];
    char exponent[64] = "";
    check_read(text);
    strcpy(other, text);
    char *e = strpbrk(other, "eE");
    if (e) {
        strcpy(exponent, e);
        *e = 0;
    }
    size_t last = strlen(other);
    while (last > 0 && (other[last - 1] < '0' || other[last - 1] > '9'))
        last--;
    if (!last)
        return;
    char digit = other[last - 1];
    char whole[4200];
    other[last - 1] = digit == '9' ? '8' : digit + 1;
    snprintf(whole, sizeof whole, "%s%s", other, exponent);
    check_read(whole);
    other[last - 1] = digit == '0' ? '1' : digit - 1;
    snprintf(whole, sizeof whole, "%s%s", other, exponent);
    check_read(whole);
    other[last - 1] = digit;
    const char *more[] = {"0", "1", "00000000000000000000000000000000000000000000000001", "9"};
    for (int k = 0; k < 4; k++) {
        snprintf(whole, sizeof whole, "%s%s%s%s", other, strchr(other, '.') ? "" : ".", more[k], exponent);
        check_read(whole);
    }
}

static void check_float_texts(uint32_t bits) {
    char text[4096];
    float x = float_of(bits);
    if (!isfinite(x)) {
        sprintf(text, "%f", x);
        check_read(text);
        return;
    }
    sprintf(text, "%a ", x);
    check_read(text);
    sprintf(text, "%.*g", 1 + (int)below(12), x);
    check_read(text);
    sprintf(text, "%.9g", x);
    check_around(text);
    sprintf(text, "%.160e", x);
    check_read(text);
    /* Halfway to the next one, exactly. */
    float after = float_of(bits + 1);
    double half = isfinite(after) ? ((double)x + (double)after) / 2 : (double)x + ((double)x - float_of(bits - 1)) / 2;
    sprintf(text, "%.160e", half);
    check_around(text);
    sprintf(text, "%.200f", half);
    check_around(text);
    sprintf(text, "%a", half);
    check_read(text);
    double near[] = {nextafter(half, INFINITY), nextafter(half, -INFINITY)};
    for (int k = 0; k < 2; k++) {
        sprintf(text, "%a", near[k]);
        check_read(text);
        sprintf(text, "%.*g", 10 + (int)below(120), near[k]);
        check_read(text);
    }
}

static void check_random_decimal(void) {
    char text[8192];
    int n = 0;
    if (below(4) == 0)
        text[n++] = "+-"[below(2)];
    unsigned kind = below(20);
    unsigned digits = kind == 0 ? below(6000) : kind < 8 ? below(150) : 1 + below(12);
    unsigned point = below(digits + 2);
    for (unsigned k = 0; k < digits; k++) {
        if (k == point)
            text[n++] = '.';
        text[n++] = kind % 3 == 0 && k > 2 ? "09"[kind & 1] : '0' + below(10);
    }
    text[n] = 0;
    if (below(3))
        n += sprintf(text + n, "%c%d", "eE"[below(2)], (int)below(kind == 1 ? 20000 : 90) - (int)(kind == 1 ? 10000 : 45 + digits / 2));
    check_read(text);
}

static void check_garbage(void) {
    static const char letters[] = "0000112356789..eEpPxX+-infnatyINFAN  abc";
    static const char *words[] = {"inf", "nan", "infinity", "0x", "1e", "-", "0x.", "1e+", ".e1", "+.", "INFIN", "iNfInItY", "nax", "-nan", "0x1p", "0x1p-", "0xp1", "-0x.", "-0x", "-inf"};
    char text[64];
    int n = 0;
    if (below(3) == 0)
        n += sprintf(text, "%s", words[below(sizeof words / sizeof *words)]);
    int more = below(12);
    for (int k = 0; k < more; k++)
        text[n++] = letters[below(sizeof letters - 1)];
    text[n] = 0;
    if (n)
        check_read(text);
}

/* ---- printing ------------------------------------------------------------------------------------------------- */

static size_t ours_printed(void) {
    flush_output();
    size_t n = sink_used;
    sink[n] = 0;
    sink_used = 0;
    return n;
}

static void check_print(uint32_t bits) {
    char theirs[64], shown[16];
    put_float_bits((int)bits);
    size_t n = ours_printed();
    size_t m = sprintf(theirs, "%a", (double)float_of(bits));
    compared++;
    if (n != m || memcmp(sink, theirs, n)) {
        sprintf(shown, "%08x", bits);
        differs("%a", shown, sink, theirs);
    }
}

/* Prints an int, and reads it back from among white space. */
static void check_int(int value) {
    char theirs[64], text[64];
    putint(value);
    size_t n = ours_printed();
    size_t m = sprintf(theirs, "%d", value);
    sprintf(text, "%s%s%s%dx", below(2) ? " \t\n" : "", below(3) ? "" : "\v\f\r ", value >= 0 && below(3) == 0 ? "+" : "", value);
    source = text;
    source_left = strlen(text);
    in_at = in_end = in_closed = 0;
    int back = getint();
    compared++;
    if (n != m || memcmp(sink, theirs, n) || back != value || getch() != 'x')
        differs("int", text, sink, theirs);
}

static char theirs_text[1 << 16];

static void their_format(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(theirs_text, sizeof theirs_text, format, list);
    va_end(list);
}

static void check_format(double x) {
    static const char conversions[] = "diuxXocfFeEgGaA";
    static _Alignas(8) char format[64];
    char flags[8];
    int stars[2], star_count = 0, n = 0;
    static _Alignas(8) int area[16];
    int at = 1;
    char letter = conversions[below(sizeof conversions - 1)];
    n += sprintf(format, "%s%%", below(3) ? "" : "a");
    for (int k = below(4); k > 0; k--)
        flags[0] = "-+ #0"[below(5)], format[n++] = flags[0];
    if (below(2)) {
        if (below(4) == 0) {
            stars[star_count++] = (int)below(60) - 30;
            format[n++] = '*';
        } else
            n += sprintf(format + n, "%d", 1 + below(40));
    }
    if (below(2)) {
        format[n++] = '.';
        if (below(4) == 0) {
            stars[star_count++] = (int)below(40) - 8;
            format[n++] = '*';
        } else if (below(8))
            n += sprintf(format + n, "%d", below(below(10) ? 20 : 400));
    }
    format[n++] = letter;
    strcpy(format + n, below(2) ? "z" : "");
    /* The arguments as ARM passes them: from the second word on, doubles at even ones. */
    for (int k = 0; k < star_count; k++)
        area[at++] = stars[k];
    int value = below(3) ? (int)next() : (int)below(20) - 10;
    if (strchr("diuxXoc", letter))
        area[at++] = value;
    else {
        at += at & 1;
        memcpy(area + at, &x, 8);
    }
    print_format((int *)(void *)format, area);
    size_t ours = ours_printed();
    /* The stars are ints before a double or an int. */
    int is_int = strchr("diuxXoc", letter) != NULL;
    if (star_count == 0)
        is_int ? their_format(format, value) : their_format(format, x);
    else if (star_count == 1)
        is_int ? their_format(format, stars[0], value) : their_format(format, stars[0], x);
    else
        is_int ? their_format(format, stars[0], stars[1], value) : their_format(format, stars[0], stars[1], x);
    compared++;
    char shown[128];
    snprintf(shown, sizeof shown, "%s\" with %a or %d, \"", format, x, value);
    size_t theirs = strlen(theirs_text);
    int has_zero = letter == 'c' && (value & 255) == 0;
    /* glibc drops the zeros of %#g where rounding gives a power of ten (999999.5: "1.e+06"); C says that they stay. */
    int lost_zeros = (letter | 32) == 'g' && strchr(format, '#') && strcasestr(theirs_text, ".e");
    if (!has_zero && !lost_zeros && (ours != theirs || memcmp(sink, theirs_text, ours)))
        differs("putf", shown, sink, theirs_text);
}

/* A double that is just halfway between two texts, and its neighbours. */
static void check_tie(const char *conversion, int precision, double x) {
    static _Alignas(8) char format[16];
    static _Alignas(8) int area[4];
    double near[] = {x, nextafter(x, 0), nextafter(x, INFINITY), -x};
    sprintf(format, "%%.%d%s", precision, conversion);
    for (int k = 0; k < 4; k++) {
        memcpy(area + 2, near + k, 8);
        print_format((int *)(void *)format, area);
        size_t ours = ours_printed();
        their_format(format, near[k]);
        compared++;
        if (ours != strlen(theirs_text) || memcmp(sink, theirs_text, ours))
            differs("putf", format, sink, theirs_text);
    }
}

static double random_double(void) {
    uint64_t bits = next();
    double x;
    switch (below(7)) {
    case 6:
        bits &= -1ULL << (20 + below(30));
        memcpy(&x, &bits, 8);
        return x;
    case 0:
        memcpy(&x, &bits, 8);
        return x;
    case 1:
        return (double)float_of((uint32_t)bits);
    case 2:
        return ldexp((double)(int)below(20000), -(int)below(14)) * (below(2) ? 1 : -1);
    case 3:
        return (double)(float)((int)below(2000000) - 1000000) / 1000;
    case 4:
        return ldexp(1.0, (int)below(2200) - 1100);
    default: {
        static const double special[] = {0.0, -0.0, 0.5, 1.5, 2.5, 9.5, 99.5, 999999.5, 9999995.0, 0.0001, 0.00009999995, 1e5, 1e6, 1e22, 1e300, 5e-324, 1.7976931348623157e308, INFINITY, -INFINITY, NAN, -NAN};
        return special[below(sizeof special / sizeof *special)];
    }
    }
}

int main(int count, char **arguments) {
    long long cases = count > 1 ? atoll(arguments[1]) : 1000;
    state = count > 2 ? strtoull(arguments[2], NULL, 10) * 0x9E3779B97F4A7C15ULL + 1 : 88172645463325252ULL;
    out_kind = 1;

    /* Boundaries: every power of two and its neighbours, the smallest and largest, both signs. */
    for (uint32_t exponent = 0; exponent < 256; exponent++)
        for (int delta = -3; delta <= 3; delta++)
            for (int sign = 0; sign < 2; sign++) {
                uint32_t bits = ((exponent << 23) + delta) & 0x7fffffff;
                if (bits == 0x7fffffff)
                    continue;
                bits |= (uint32_t)sign << 31;
                check_print(bits);
                if ((bits & 0x7fffffff) < 0x7f800000)
                    check_float_texts(bits);
            }
    for (int k = 0; k < 23; k++)
        for (int delta = -2; delta <= 2; delta++) {
            uint32_t bits = ((1u << k) + delta) & 0x7fffffff;
            check_print(bits);
            check_float_texts(bits);
        }
    static const char *texts[] = {
        "0x1p-149", "0x1p-150", "0x1.8p-150", "0x1.00000000000001p-150", "0x0.8p-149", "0x1.7fffffffffffp-149",
        "0x1.fffffep127", "0x1.ffffffp127", "0x1.fffffeffffffffp127", "0x1.fffffefp127", "0x1p128", "0x1p99999999999",
        "0x1p-99999999999", "0x0p99999999999", "1e99999999999", "1e-99999999999", "0e99999999999", "7.006492321624085e-46",
        "7.006492321624086e-46", "3.4028235677973366e38", "3.4028235677973365e38", "340282356779733661637539395458142568447",
        "340282356779733661637539395458142568448", "0x00000000000000000000000000000000000000000001",
        "0x.00000000000000000000000000000000000000000001p176", "0x123456789abcdef0123456789abcdefp-100", "1e-46", "1e-45", "1e39",
        "16777217", "16777217.0000000000000000000000000000000000000000000000001", "33554434.999999999", "8388608.5", "8388609.5",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        check_around(texts[k]);

    for (int precision = 0; precision < 13; precision++)
        for (int last = 0; last < 16; last++)
            check_tie(last & 1 ? "a" : "A", precision, 1 + ldexp(last, -4 * precision) + ldexp(8, -4 * precision - 4));
    for (int k = 0; k < 2000; k++)
        for (int j = 0; j < 6; j++) {
            check_tie("f", j, ldexp(k, -j - 1));
            check_tie("e", 1 + j % 3, ldexp(k, 1 - j));
            check_tie("g", 1 + j % 3, ldexp(k, 1 - j));
        }

    for (long long power = 1; power <= 10000000000; power *= 10)
        for (int delta = -2; delta <= 2; delta++) {
            check_int((int)(power + delta));
            check_int((int)-(power + delta));
        }
    for (int k = 0; k < 32; k++)
        for (int delta = -2; delta <= 2; delta++)
            check_int((int)((1u << k) + delta));

    for (long long k = 0; k < cases; k++) {
        check_int((int)((uint32_t)next() >> below(32)));
        uint32_t bits = (uint32_t)next();
        check_print(bits);
        if (k % 16 == 0)
            check_float_texts(below(8) ? bits : bits & 0x80ffffff);
        for (int j = 0; j < 4; j++)
            check_random_decimal();
        check_garbage();
        check_format(random_double());
    }
    printf("%lld cases compared, %lld different\n", compared, different);
    return different != 0;
}
