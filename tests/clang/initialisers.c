/* Initialisers: designated, nested, partial, of unions, of addresses, of strings; static locals; compound literals. */
#include <stddef.h>
#include <stdio.h>

struct point { short x, y; };
struct shape { char tag; union { struct point p; double d; int a[3]; } u; const char *name; struct shape *next; };

static int table[10] = {[2] = 5, 6, [8] = -1};
static struct shape last = {'c', {.a = {1, 2, 3}}, "last", 0};
static struct shape first = {.name = "first", .u.d = 2.5, .tag = 'd', .next = &last};
static struct point grid[2][3] = {{{1, 2}, {3}}, [1][2] = {.y = 9}};
static char text[] = "a\0b\377", exact[3] = "xyz";
static int *middle = &table[3];
static const char *const names[] = {"zero", "one" + 1, &"three"[2]};
static size_t offset = offsetof(struct shape, u.a[1]);
static char *end = (char *)(table + 10);

static int count(void) {
    static int n = 40;
    static struct point p = {.x = 1};
    p.y += p.x++;
    return n++ + p.y;
}

static int area(struct point p) { return p.x * p.y; }
static int sum(const int *a, int n) { int s = 0; while (n--) s += a[n]; return s; }

int main(void) {
    for (int k = 0; k < 10; k++) printf("%d ", table[k]);
    for (struct shape *s = &first; s; s = s->next)
        s->tag == 'd' ? printf("%s %.2f ", s->name, s->u.d) : printf("%s %d %d ", s->name, s->u.a[0], s->u.a[2]);
    for (int k = 0; k < 6; k++) printf("%d,%d ", grid[k / 3][k % 3].x, grid[k / 3][k % 3].y);
    printf("%zu %d %d %c %d\n", sizeof text, (unsigned char)text[3], *middle, exact[2], (int)(end - (char *)table));
    printf("%s %s %s %d\n", names[0], names[1], names[2], offset >= 8);
    for (int k = 0; k < 3; k++) printf("%d ", count());
    printf("%d %d\n", area((struct point){6, 7}), sum((int[]){1, 2, 3, 4}, 4));
    struct shape local = {.next = &first, .u = {.p = {.y = 4}}};
    local = (struct shape){.tag = 'z', .u.p.x = local.u.p.y};
    int zeros[50] = {0}, partly[50] = {1, 2};
    printf("%d %d %d %d\n", local.u.p.x, local.next == NULL, sum(zeros, 50), sum(partly, 50));
    return 0;
}
