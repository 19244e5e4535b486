/* Declarations: static locals, tentative definitions, weak symbols, inline functions, sections, hidden data. */
#include <stdio.h>
#include <stdlib.h>

int tentative;
int tentative;
static int later[];
static int later[3] = {7, 8, 9};
extern int outside;
int outside = 5;
const int limit = 12;

__attribute__((weak)) int weakly(int x) { return x * 2; }
__attribute__((weak)) int weak_data = 31;

inline int squared(int x) { return x * x; }
extern inline int squared(int x);
static inline __attribute__((always_inline)) int cubed(int x) { return squared(x) * x; }
__attribute__((noinline, cold)) static int far_away(int x) { return x - 1; }
__attribute__((section("numbers"))) static int placed[2] = {3, 4};
__attribute__((visibility("hidden"))) int hidden = 6;

static int counter(void) {
    static int calls;
    static int *box = &tentative;
    static const char *const names[] = {"zero", "one", "two"};
    calls++;
    *box += names[calls % 3][0];
    return calls;
}
static int *remembered(int fresh) {
    static int last = -1, before[4];
    before[3] = before[2], before[2] = before[1], before[1] = before[0], before[0] = last;
    last = fresh;
    return before;
}
static int depth(int n) {
    static int deepest;
    if (n > deepest) deepest = n;
    return n ? depth(n / 2) + depth(n / 3) : deepest;
}

static void at_end(void) { printf("end %d\n", tentative); }

int main(void) {
    atexit(at_end);
    printf("%d %d %d\n", later[1], outside, limit);
    printf("%d %d\n", weakly(4), weak_data);
    outside++;
    printf("%d %d %d %d %d\n", outside, squared(5), cubed(3), far_away(placed[1]), hidden);
    for (int k = 0; k < 5; k++) printf("%d ", counter());
    for (int k = 1; k < 6; k++) remembered(k * k);
    int *b = remembered(0);
    printf("%d %d %d %d\n", b[0], b[1], b[2], b[3]);
    {
        extern int outside;
        int tentative = outside + 1;
        printf("%d %d\n", tentative, depth(20));
    }
    int (*call)(int) = squared;
    return call(6);
}
