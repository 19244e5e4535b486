/* Objects by tables of functions: methods, inheritance by the first member, visitors, a bus of callbacks with contexts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct shape;
struct methods {
    const char *name;
    double (*area)(const struct shape *);
    void (*scale)(struct shape *, double);
    int (*show)(const struct shape *, char *, size_t);
    struct shape *(*copy)(const struct shape *);
};
struct shape { const struct methods *methods; int id; };
struct circle { struct shape base; double r; };
struct rectangle { struct shape base; double w, h; };
struct square { struct rectangle base; const char *label; };

static int next_id = 1;

static double circle_area(const struct shape *s) { return 3 * ((const struct circle *)s)->r * ((const struct circle *)s)->r; }
static void circle_scale(struct shape *s, double by) { ((struct circle *)s)->r *= by; }
static int circle_show(const struct shape *s, char *to, size_t room) {
    return snprintf(to, room, "circle %d of %.2f", s->id, ((const struct circle *)s)->r);
}
static double rectangle_area(const struct shape *s) {
    const struct rectangle *r = (const void *)s;
    return r->w * r->h;
}
static void rectangle_scale(struct shape *s, double by) {
    struct rectangle *r = (void *)s;
    r->w *= by, r->h *= by;
}
static int rectangle_show(const struct shape *s, char *to, size_t room) {
    const struct rectangle *r = (const void *)s;
    return snprintf(to, room, "%s %d of %.2f by %.2f", s->methods->name, s->id, r->w, r->h);
}
#define COPY(type)                                                                                                     \
    static struct shape *type##_copy(const struct shape *s) {                                                          \
        struct type *made = malloc(sizeof *made);                                                                      \
        *made = *(const struct type *)s;                                                                               \
        ((struct shape *)made)->id = next_id++;                                                                        \
        return (struct shape *)made;                                                                                   \
    }
COPY(circle)
COPY(rectangle)
COPY(square)

static const struct methods circles = {"circle", circle_area, circle_scale, circle_show, circle_copy};
static const struct methods rectangles = {"rectangle", rectangle_area, rectangle_scale, rectangle_show, rectangle_copy};
static const struct methods squares = {"square", rectangle_area, rectangle_scale, rectangle_show, square_copy};

struct listener { int (*call)(void *with, const char *event, int value); void *with; };
static struct listener listeners[4];
static int count;
static int emit(const char *event, int value) {
    int handled = 0;
    for (int k = 0; k < count; k++) handled += listeners[k].call(listeners[k].with, event, value);
    return handled;
}
static int count_event(void *with, const char *event, int value) { return event ? *(int *)with += value, 1 : 0; }
static int log_event(void *with, const char *event, int value) {
    char *log = with;
    snprintf(log + strlen(log), 80 - strlen(log), "[%s=%d]", event, value);
    return value > 2;
}

typedef double (*visitor)(const struct shape *, double);
static double sum(const struct shape *s, double so_far) { return so_far + s->methods->area(s); }
static double largest(const struct shape *s, double so_far) {
    double area = s->methods->area(s);
    return area > so_far ? area : so_far;
}
static double visit(struct shape **shapes, int n, visitor with) {
    double result = 0;
    while (n--) result = with(*shapes++, result);
    return result;
}

int main(void) {
    struct circle c = {{&circles, next_id++}, 1.5};
    struct rectangle r = {{&rectangles, next_id++}, 2, 3.25};
    struct square q = {{{&squares, next_id++}, 4, 4}, "big"};
    struct shape *all[6] = {&c.base, &r.base, &q.base.base};
    for (int k = 0; k < 3; k++) {
        all[k + 3] = all[k]->methods->copy(all[k]);
        all[k + 3]->methods->scale(all[k + 3], k + 0.5);
    }
    for (int k = 0; k < 6; k++) {
        char text[64];
        int n = all[k]->methods->show(all[k], text, sizeof text);
        printf("%s (%d): %.3f\n", text, n, all[k]->methods->area(all[k]));
    }
    printf("%.3f %.3f %s\n", visit(all, 6, sum), visit(all, 6, largest), ((struct square *)all[5])->label);
    int total = 0;
    char log[80] = "";
    listeners[count++] = (struct listener){count_event, &total};
    listeners[count++] = (struct listener){log_event, log};
    int handled = 0;
    for (int k = 0; k < 5; k++) handled += emit(k % 2 ? "odd" : "even", k);
    printf("%d %d %s\n", handled, total, log);
    for (int k = 3; k < 6; k++) free(all[k]);
    return next_id;
}
