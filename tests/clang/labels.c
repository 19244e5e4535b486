/* Labels as values: tables of distances, places to go on that are kept between calls, comparisons, recursion, two tables in one function. */
#include <stddef.h>
#include <stdio.h>

static int distances(const char *code, int x) {
    static const int to[] = {&&add - &&add, &&twice - &&add, &&less - &&add, &&end - &&add};
    static const ptrdiff_t wide[] = {&&end - &&add, &&add - &&end};
    if (wide[0] + wide[1] != 0) return -1;
    goto *(&&add + to[code[0] - 'a']);
add: x += 3; goto *(&&add + to[*++code - 'a']);
twice: x *= 2; goto *(&&add + to[*++code - 'a']);
less: x--; goto *(&&end + wide[1] + to[*++code - 'a']);
end: return x;
}

struct generator { const void *resume; int i, j; };
/* Yields i * 10 + j for j < i < 4, then -1 for ever. */
static int next(struct generator *g) {
    if (g->resume) goto *g->resume;
    for (g->i = 1; g->i < 4; g->i++)
        for (g->j = 0; g->j < g->i; g->j++) {
            g->resume = &&inner;
            return g->i * 10 + g->j;
        inner:;
        }
    g->resume = &&done;
done:
    return -1;
}

static int walk(int depth, int how) {
    static void *const ways[] = {&&left, &&right, &&both};
    static void *const ends[2] = {&&zero, &&one};
    if (depth == 0) goto *ends[how & 1];
    goto *ways[how % 3];
left: return 2 * walk(depth - 1, how + 1);
right: return 3 + walk(depth - 1, how + 2);
both: return walk(depth - 1, how) + walk(depth - 1, how + 4);
zero: return 5;
one: return 7;
}

/* What a place is, is asked; a place is chosen by arithmetic and by a loop. */
static int asked(int k) {
    void *places[3], *here;
    int n = 0;
    places[0] = &&a, places[1] = &&b, places[2] = &&c;
    for (int i = 0; i < 9; i++) {
        here = places[(i * k) % 3];
        if (here == &&a) n += 1;
        if (here != &&b) n += 10;
        if (here && here == places[2]) n += 100;
        goto *here;
    a: n ^= 3; continue;
    b: n += i; continue;
    c: if (i == 7) break;
    }
    return n;
}

int main(void) {
    struct generator g = {0}, h = {0};
    printf("%d %d %d\n", distances("abcad", 1), distances("d", 9), distances("cccd", 1));
    for (int k = 0; k < 9; k++) printf("%d %d ", next(&g), k & 1 ? next(&h) : 0);
    printf("\n%d %d %d %d\n", walk(0, 0), walk(3, 1), walk(6, 2), walk(9, 5));
    printf("%d %d %d\n", asked(1), asked(2), asked(4));
    return 0;
}
