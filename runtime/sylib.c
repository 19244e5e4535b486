/*
 * The SysY runtime library over libc.
 *
 * Everything goes through stdio's own buffers, so putf, putint and getch may be mixed freely, and exit() (which
 * main's return reaches) writes what is left. One thread prints and reads: the unlocked forms are used, because the
 * lock was the larger part of putch. Integers are read and printed by hand for the same reason, and so that a value
 * out of range wraps to 32 bits on every target instead of saturating where long is 32 bits wide.
 *
 * Nothing but the library's own names is visible to the linker: a SysY program may call its functions what it likes.
 */
#define _GNU_SOURCE
#include "sylib.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- input ---------------------------------------------------------------------------------------------------- */

/* As scanf("%d"): white space, a sign, digits. Without a digit, as at the end of input, the result is 0. */
int getint(void) {
    int c;
    do
        c = getc_unlocked(stdin);
    while (isspace(c));
    int negative = c == '-';
    if (c == '-' || c == '+')
        c = getc_unlocked(stdin);
    unsigned value = 0;
    while (c >= '0' && c <= '9') {
        value = value * 10 + (unsigned)(c - '0');
        c = getc_unlocked(stdin);
    }
    if (c != EOF)
        ungetc(c, stdin);
    return (int)(negative ? 0u - value : value);
}

int getch(void) {
    int c = getc_unlocked(stdin);
    return c == EOF ? -1 : c;
}

/* scanf itself: decimal and hexadecimal, rounded once to binary32. Without a number the result is 0. */
float getfloat(void) {
    float value = 0.0f;
    if (scanf("%f", &value) != 1)
        return 0.0f;
    return value;
}

int getarray(int a[]) {
    int n = getint();
    for (int i = 0; i < n; i++)
        a[i] = getint();
    return n;
}

int getfarray(float a[]) {
    int n = getint();
    for (int i = 0; i < n; i++)
        a[i] = getfloat();
    return n;
}

/* ---- output --------------------------------------------------------------------------------------------------- */

void putint(int value) {
    char text[12];
    char *p = text + sizeof text;
    unsigned rest = value < 0 ? 0u - (unsigned)value : (unsigned)value;
    do
        *--p = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *--p = '-';
    fwrite_unlocked(p, 1, (size_t)(text + sizeof text - p), stdout);
}

void putch(int byte) { putc_unlocked(byte, stdout); }

void putfloat(float value) { printf("%a", (double)value); }

void putarray(int n, int a[]) {
    putint(n);
    putch(':');
    for (int i = 0; i < n; i++) {
        putch(' ');
        putint(a[i]);
    }
    putch('\n');
}

void putfarray(int n, float a[]) {
    putint(n);
    putch(':');
    for (int i = 0; i < n; i++)
        printf(" %a", (double)a[i]);
    putch('\n');
}

void putf(char format[], ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

/* ---- timers --------------------------------------------------------------------------------------------------- */

struct timer {
    int from, to;
    long long microseconds;
};

static struct timer *timers;
static size_t timer_count, timer_room;
static long long timer_total;
static struct timespec timer_start;
static int timer_line, timer_running, timer_used;

void _sysy_starttime(int line) {
    timer_line = line;
    timer_running = 1;
    clock_gettime(CLOCK_MONOTONIC, &timer_start);
}

/* Ends the pair that the last start began; a stop without a start is ignored. */
void _sysy_stoptime(int line) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!timer_running)
        return;
    timer_running = 0;
    timer_used = 1;
    long long spent = (long long)(now.tv_sec - timer_start.tv_sec) * 1000000 + (now.tv_nsec - timer_start.tv_nsec) / 1000;
    timer_total += spent;
    if (timer_count == timer_room) {
        size_t room = timer_room ? timer_room * 2 : 64;
        struct timer *grown = realloc(timers, room * sizeof *timers);
        if (!grown)
            return; /* counted in the total, not listed */
        timers = grown;
        timer_room = room;
    }
    timers[timer_count++] = (struct timer){timer_line, line, spent};
}

static void print_time(long long us) {
    int seconds = (int)(us / 1000000);
    fprintf(stderr, "%dH-%dM-%dS-%dus\n", seconds / 3600, seconds / 60 % 60, seconds % 60, (int)(us % 1000000));
}

/* A terminal stays line buffered, so that prompts appear; a file or pipe gets a larger buffer than libc's page. */
__attribute__((constructor)) static void before_main(void) {
    static char room[1 << 16];
    if (!isatty(STDOUT_FILENO))
        setvbuf(stdout, room, _IOFBF, sizeof room);
}

__attribute__((destructor)) static void after_main(void) {
    fflush(stdout);
    for (size_t i = 0; i < timer_count; i++) {
        fprintf(stderr, "Timer@%04d-%04d: ", timers[i].from, timers[i].to);
        print_time(timers[i].microseconds);
    }
    if (timer_used) {
        fputs("TOTAL: ", stderr);
        print_time(timer_total);
    }
}
