/* Variadic functions over those of the library: vsnprintf, vsscanf, own formats, lists passed on and copied. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text { char *bytes; size_t used, room; };

__attribute__((format(printf, 2, 3))) static int add(struct text *t, const char *format, ...) {
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int n = vsnprintf(0, 0, format, list);
    va_end(list);
    if (t->used + (size_t)n + 1 > t->room) t->bytes = realloc(t->bytes, t->room = (t->used + (size_t)n + 1) * 2);
    vsnprintf(t->bytes + t->used, (size_t)n + 1, format, again);
    va_end(again);
    t->used += (size_t)n;
    return n;
}
static int scan(const char *from, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsscanf(from, format, list);
    va_end(list);
    return n;
}
/* %d int, %D int64_t, %f double, %s text, %c char, %* a width in front. */
static void own_list(char *to, const char *format, va_list list) {
    for (*to = 0; *format; format++) {
        char piece[64] = {*format};
        int width = 0;
        if (*format == '%') {
            if (*++format == '*') width = va_arg(list, int), format++;
            switch (*format) {
            case 'd': sprintf(piece, "%*d", width, va_arg(list, int)); break;
            case 'D': sprintf(piece, "%*lld", width, (long long)va_arg(list, int64_t)); break;
            case 'f': sprintf(piece, "%*.3f", width, va_arg(list, double)); break;
            case 's': sprintf(piece, "%*s", width, va_arg(list, char *)); break;
            case 'c': piece[0] = (char)va_arg(list, int); break;
            default: piece[0] = *format;
            }
        }
        strcat(to, piece);
    }
}
static char *own(char *to, const char *format, ...) {
    va_list list;
    va_start(list, format);
    own_list(to, format, list);
    va_end(list);
    return to;
}
static int64_t largest(int n, ...) {
    va_list list;
    va_start(list, n);
    int64_t m = INT64_MIN;
    while (n--) {
        int64_t x = va_arg(list, int64_t);
        if (x > m) m = x;
    }
    va_end(list);
    return m;
}
static const char *longest(const char *first, ...) {
    va_list list;
    va_start(list, first);
    for (const char *s; (s = va_arg(list, const char *));)
        if (strlen(s) > strlen(first)) first = s;
    va_end(list);
    return first;
}

int main(void) {
    struct text t = {0};
    int n = 0;
    for (int k = 0; k < 6; k++) n += add(&t, "%d:%-6s|%+.2e|%c%%;", k, "abcdef" + k, k * 1234.5, 'a' + k);
    add(&t, "\n%lld %llx %hd %hhu %#o %05d", -123456789012LL, 0xfedcba9876543210ULL, (short)40000, (unsigned char)300, 64, -42);
    puts(t.bytes);
    printf("%d %zu\n", n, t.used);
    int a = 0, b = 0;
    double d = 0;
    char word[16] = "";
    int read = scan("12 0x1f hello 2.5e3 rest", "%d %i %15s %lf", &a, &b, word, &d);
    printf("%d %d %d %s %g\n", read, a, b, word, d);
    char out[256];
    puts(own(out, "<%d %D %f %s %c>", -7, (int64_t)1 << 40, 2.0 / 3, "text", '!'));
    puts(own(out, "%*d|%*s|%*f|%D|%f|%d", 6, 42, 8, "right", 10, 1.5, (int64_t)-1, -0.125, 9));
    printf("%lld %s\n", (long long)largest(5, (int64_t)3, (int64_t)-9, (int64_t)1 << 50, (int64_t)0, (int64_t)77), longest("a", "abc", "ab", "xyz", (char *)0));
    free(t.bytes);
    return snprintf(out, 5, "%s", "truncated") + (int)strlen(out);
}
