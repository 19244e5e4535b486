/* Compound literals and designators: as arguments, in loops, of arrays, with addresses, static ones, ranges. */
#include <stdio.h>
#include <string.h>

struct vec { int x, y, z; };
struct line { struct vec from, to; const char *tag; };
struct tree { int value; const struct tree *left, *right; };

static const struct tree *const root =
    &(struct tree){4, &(struct tree){2, &(struct tree){1}, &(struct tree){3}}, &(struct tree){.value = 6, .right = &(struct tree){7}}};
static int *numbers = (int[]){5, 4, 3, 2, 1, 0};
static const char *names[] = {[3] = "three", [1] = "one", "two", [5] = "five"};
static int spread[12] = {[2 ... 5] = 7, [4] = 9, [10] = 1};
static struct line lines[2] = {[1].to.z = 3, [1].from = {1, .z = 2}, [0] = {.tag = "zero", .to = {.y = 5}}};
static char grid[3][4] = {"abc", {'d', [3] = 'e'}, {[1] = 'f'}};

static int dot(struct vec a, struct vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static int length(const struct vec *v) { return dot(*v, *v); }
static int sum(const int *x) { int t = 0; while (*x) t += *x++; return t; }
static int walk(const struct tree *t) { return t ? walk(t->left) * 3 + t->value + walk(t->right) * 5 : 0; }
static struct vec cross(struct vec a, struct vec b) {
    return (struct vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static struct line between(struct vec a, struct vec b) { return (struct line){a, b, a.x < b.x ? "up" : "down"}; }
static const char *join(char *to, const char *const *parts) {
    for (*to = 0; *parts; parts++) strcat(to, *parts);
    return to;
}

int main(void) {
    printf("%d %d %d\n", walk(root), sum(numbers), names[0] == 0 && names[4] == 0);
    for (int k = 0; k < 6; k++) if (names[k]) printf("%s ", names[k]);
    for (int k = 0; k < 12; k++) printf("%d", spread[k]);
    printf("\n%d %d %d %s %d %d\n", lines[1].to.z, lines[1].from.z, lines[0].to.y, lines[0].tag, lines[1].tag == 0, lines[1].from.x);
    for (int k = 0; k < 12; k++) putchar(grid[k / 4][k % 4] ? grid[k / 4][k % 4] : '.');
    struct vec v = cross((struct vec){1, 2, 3}, (struct vec){.z = 4, .x = -5});
    printf("\n%d %d %d %d\n", v.x, v.y, v.z, length(&(struct vec){3, 4}));
    int t = 0;
    for (int k = 0; k < 4; k++) {
        int *p = (int[4]){k, k * k};
        p[2] += p[1];
        p[k] += 10;
        t = t * 10 + sum((int[]){p[0] + 1, p[1] + 1, p[2] + 1, p[3], 0});
    }
    printf("%d %d\n", t, dot((struct vec){1, 1, 1}, between((struct vec){1}, (struct vec){.y = t}).to));
    char text[64];
    puts(join(text, (const char *const[]){"com", "pound", (char[]){' ', 'l', 'i', 't', 0}, &"xeral"[1], 0}));
    struct line l = between(v, (struct vec){100});
    l = (struct line){l.to, l.from, (l.tag = "twice", l.tag)};
    printf("%d %d %s %zu\n", l.from.x, l.to.z, l.tag, sizeof(int[]){1, 2, 3} / sizeof(int));
    struct { struct vec v[2]; char c[2][3]; } *local = &(__typeof__(*local)){{{1, 2}, {.z = 9}}, {"xy", {[2] = 'z'}}};
    local->v[0] = local->v[1];
    printf("%d %d %c %c\n", local->v[0].x, local->v[0].z, local->c[0][1], local->c[1][2]);
    const char *which = t > 5 ? (char[]){"large"} : (char[]){"small"};
    return which[0] == 'l' ? (int){42} : (int){43};
}
