// Structs: layout, nesting, arrays, unions, copies, initialisers, pointers to parts.
#include <stdio.h>
#include <stddef.h>

struct Small { char a, b; int c; char d[3]; float e; };
struct Outer { char tag; struct Small parts[3]; struct Small *link; int tail; };
union Word { int i; float f; unsigned char bytes[4]; struct { char low, high; } ends; };
struct Empty { int n; union Word w[2]; };

struct Small one = {1, 2, 3, {4, 5, 6}, 7.5f};
struct Small many[2] = {{.c = 9, .d = "ab"}, {'x', 'y', -1, {1}, -2.0f}};
struct Outer outer = {'t', {{1, 2, 3, "z", 4.0f}}, &many[1], 77};
int *into = &many[1].c;
char *text[] = {"first", "second", 0, "fourth"};
static const struct { const char *name; int value; } table[] = {{"one", 1}, {"two", 2}, {0, 0}};
union Word word = {0x3f800000};

static int sum(const struct Small *s, int n) {
    int total = 0;
    for (int k = 0; k < n; k++) total += s[k].a + s[k].c * 2 + s[k].d[1];
    return total;
}

struct List { int value; struct List *next; };

static struct List *reverse(struct List *list) {
    struct List *done = 0;
    while (list) {
        struct List *next = list->next;
        list->next = done;
        done = list;
        list = next;
    }
    return done;
}

int main(void) {
    printf("%d %d %d\n", (int)sizeof(struct Small), (int)sizeof(struct Outer) > 40, (int)offsetof(struct Small, e));
    printf("%d %d %d\n", one.c, sum(many, 2), sum(outer.parts, 3));
    outer.parts[2] = many[1];
    outer.link->c += 5;
    printf("%d %d %d %c\n", *into, outer.parts[2].c, outer.tail, outer.parts[2].b);
    struct Outer copy = outer;
    copy.parts[0].d[2] = 9;
    printf("%d %d %d\n", copy.parts[0].d[2], outer.parts[0].d[2], copy.link == &many[1]);
    for (int k = 0; k < 4; k++) printf("%s%c", text[k] ? text[k] : "-", k == 3 ? '\n' : ' ');
    for (int k = 0; table[k].name; k++) printf("%s=%d\n", table[k].name, table[k].value);
    printf("%x %x\n", word.bytes[3], word.ends.high);
    word.f = -2.0f;
    printf("%x\n", (unsigned)word.i);
    struct List nodes[5], *at = 0;
    for (int k = 0; k < 5; k++) nodes[k].value = k * k, nodes[k].next = at, at = &nodes[k];
    for (at = reverse(at); at; at = at->next) printf("%d ", at->value);
    struct Empty e = {3, {{5}, {.f = 1.0f}}}, *p = &e;
    p->w[1].i += p->n;
    printf("\n%x %d\n", (unsigned)e.w[1].i, e.w[0].i);
    return 0;
}
