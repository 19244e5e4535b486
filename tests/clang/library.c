/* The library: texts to numbers and back, characters, memory, times, quotients, files in memory, signals, the environment. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t signals;
static void on_signal(int which) { signals += which == SIGUSR1 ? 1 : 100; }
static int classes(int c) {
    return !!isalpha(c) | !!isdigit(c) << 1 | !!isspace(c) << 2 | !!isupper(c) << 3 | !!ispunct(c) << 4 | !!iscntrl(c) << 5 | !!isxdigit(c) << 6 | !!isprint(c) << 7;
}
static void number(const char *s, int base) {
    char *end;
    errno = 0;
    long long l = strtoll(s, &end, base);
    int e = errno;
    errno = 0;
    unsigned long long u = strtoull(s, NULL, base);
    printf("%lld %llu %d %d %d\n", l, u, (int)(end - s), e == ERANGE, errno == ERANGE);
}
static void at_end(void) { printf("at end\n"); }

int main(void) {
    atexit(at_end);
    static const char *const texts[] = {"42", "  -0x7f", "0755z", "9223372036854775808", "-9223372036854775809", "zz", "", "+12-3"};
    for (int k = 0; k < 8; k++) number(texts[k], k == 5 ? 36 : 0);
    unsigned sum = 0;
    for (int c = -1; c < 128; c++) sum = sum * 5 + (unsigned)classes(c);
    printf("%u %c%c %d %d\n", sum, toupper('q'), tolower('Q'), atoi("77x"), (int)(atof("2.5e2") * 2));
    char s[64] = "alpha,beta;;gamma delta", *at = s, *word;
    while ((word = strsep(&at, ",; "))) printf("<%s>", word);
    strcpy(s, "the end of the sentence");
    printf("\n%s|%s|%d|%d|%d\n", strstr(s, "of"), strrchr(s, 'e'), (int)strspn(s, "eht "), (int)strcspn(s, "o"), strncmp(s, "they", 3));
    printf("%s %d %d\n", strpbrk(s, "xyzs"), strcasecmp("HeLLo", "hEllO"), memcmp("ab\0c", "ab\0d", 4) < 0);
    memmove(s + 4, s, 10);
    memset(s, '*', 4);
    *(char *)memchr(s, 'd', 20) = 'D';
    strncat(s, "!!!!", 2);
    printf("%s %d\n", s, (int)strnlen(s, 10));
    div_t q = div(-17, 5);
    lldiv_t w = lldiv(1000000000000, -7);
    imaxdiv_t m = imaxdiv(-1, 2);
    printf("%d %d %lld %lld %d\n", q.quot, q.rem, w.quot, w.rem, (int)(m.quot + m.rem));
    printf("%" PRId64 " %" PRIx32 " %" PRIu8 " %" PRIdMAX "\n", INT64_C(-5), UINT32_C(0xabc), (uint8_t)200, INTMAX_C(77));
    struct tm t = {.tm_year = 124, .tm_mon = 1, .tm_mday = 29, .tm_hour = 13, .tm_min = 5, .tm_sec = 9, .tm_wday = 4, .tm_yday = 59};
    printf("%d ", (int)strftime(s, sizeof s, "%Y-%m-%d %H:%M:%S %a %b %j %I%p", &t));
    printf("%s %s", s, asctime(&t));
    FILE *f = tmpfile();
    for (int k = 0; k < 10; k++) fprintf(f, "%d %x %s\n", k, k * k * k, k % 2 ? "odd" : "even");
    fputc('#', f), fputs("tail\n", f);
    rewind(f);
    int a, lines = 0;
    unsigned b, total = 0;
    char line[32];
    while (fscanf(f, "%d %x %30s", &a, &b, line) == 3) lines++, total += (unsigned)a * b + strlen(line);
    fseek(f, -5, SEEK_END);
    char *got = fgets(line, sizeof line, f);
    printf("%d %u %s", lines, total, got ? got : "none\n");
    printf("%d %d ", (int)ftell(f), feof(f) != 0);
    fseek(f, 4, SEEK_SET);
    ungetc('Z', f);
    int first = getc(f), second = getc(f);
    size_t read = fread(s, 2, 4, f);
    printf("%c%c %d %.6s\n", first, second, (int)read, s);
    fclose(f);
    signal(SIGUSR1, on_signal), signal(SIGUSR2, on_signal);
    raise(SIGUSR1), raise(SIGUSR2), raise(SIGUSR1);
    signal(SIGUSR1, SIG_IGN);
    raise(SIGUSR1);
    setenv("OWN_NAME", "value of it", 1);
    char *env = getenv("OWN_NAME");
    unsetenv("OWN_NAME");
    printf("%d %s %d %s\n", (int)signals, env ? "there" : "none", getenv("OWN_NAME") == NULL, strerror(ENOENT));
    printf("%d %s %d\n", fopen("/nowhere/at/all", "r") == NULL && errno == ENOENT, setlocale(LC_ALL, "C"), sscanf("12:34:56.5", "%d:%d:%lf", &a, &lines, &(double){0}));
    exit(a + lines);
}
