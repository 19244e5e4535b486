/* What linkers and start-up code know of: functions around main, what has to stay, sections of functions, what need not be there. */
#include <stdint.h>
#include <stdio.h>

static volatile int order[8], count;
static int counted;
static void note(int what) { order[count++ & 7] = what, counted++; }
__attribute__((constructor)) static void plain(void) { note(3); }
__attribute__((constructor(102))) static void second(void) { note(2); }
__attribute__((constructor(101))) static void first(void) { note(1); }
__attribute__((destructor)) static void last(void) { printf("last %d\n", count), fflush(stdout); }
__attribute__((destructor(200))) static void behind(void) { printf("behind\n"), fflush(stdout); }
static void by_hand(void) { note(9); }
__attribute__((used, section(".init_array.00150"))) static void (*hand)(void) = by_hand;

extern int is_not_there(int) __attribute__((weak));
extern int data_not_there __attribute__((weak));
extern int data_not_there_either[4] __attribute__((weak));
extern void exit(int) __attribute__((weak));
extern char **environ __attribute__((weak));
__attribute__((weak)) int replaceable(int x) { return x + 1; }
static int (*const table[2])(int) = {is_not_there, replaceable};
static int *const places[2] = {&data_not_there, &counted};
int (*chosen)(int) = is_not_there;

__attribute__((used)) static int kept_data = 77;
__attribute__((used)) static int kept(int x) { return x + kept_data; }

__attribute__((section(".text.hot"), noinline)) int hot(int x) { return x * 3 + kept_data; }
__attribute__((section(".text.unlikely"), cold, noinline)) static int cold(const char *s) { return printf("%s\n", s); }
__attribute__((section("mycode"), noinline)) int mine(int x) { return hot(x) + replaceable(x); }
__attribute__((section("mycode"), noinline)) double mine_too(double x) { return x * 0.3 + mine((int)x); }
extern const char __start_mycode[], __stop_mycode[];
struct row { const char *name; int value; };
#define ROW(n, v) __attribute__((used, section("rows"))) static struct row row_##n = {#n, v}
ROW(one, 1);
ROW(two, 22);
ROW(three, 333);
extern struct row __start_rows[], __stop_rows[];

int main(void) {
    for (int k = 0; k < count; k++) printf("%d ", order[k]);
    printf("\n%d %d %d\n", is_not_there != 0, &data_not_there != 0, &data_not_there_either[0] != 0);
    printf("%d %d %d\n", exit != 0, &environ != 0, replaceable != 0);
    printf("%d %d %d %d\n", table[0] != 0, table[1](5), places[0] != 0, *places[1]);
    if (exit) printf("there\n");
    if (is_not_there) printf("%d\n", is_not_there(3));
    if (chosen) printf("%d\n", chosen(4));
    if (&data_not_there) printf("%d\n", data_not_there);
    printf("%d %d %g\n", hot(4), mine(5), mine_too(2.5));
    const char *at = (const char *)(uintptr_t)mine;
    printf("%d %d\n", at >= __start_mycode && at < __stop_mycode, (const char *)(uintptr_t)hot < __start_mycode || (const char *)(uintptr_t)hot >= __stop_mycode);
    int sum = 0, rows = 0;
    for (struct row *row = __start_rows; row < __stop_rows; row++) sum += row->value * (row->name[0] == 't' ? 2 : 1), rows++;
    printf("%d %d\n", rows, sum);
    return cold("cold") & 127;
}
