/* The preprocessor: lists of rows, pasted and quoted names, counted arguments, generic containers, recursion by hand, _Generic. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS(_) _(APPLE, 3, "a fruit") _(BREAD, 250, "is baked") _(CHEESE, 1099, "from milk") _(DATES, -1, "sold \"out\"")
enum item {
#define _(name, ...) ITEM_##name,
    ITEMS(_)
#undef _
    ITEM_COUNT
};
#define _(name, price, text) [ITEM_##name] = {#name, price, text},
static const struct { const char *name; int price; const char *text; } items[] = {ITEMS(_)};
#undef _
#define PICK(_1, _2, _3, _4, _5, n, ...) n
#define COUNT(...) PICK(__VA_ARGS__, 5, 4, 3, 2, 1)
#define PASTE(a, b) a##b
#define JOIN(a, b) PASTE(a, b)
#define QUOTE(x) #x
#define EXPANDED(x) QUOTE(x)
#define SUM(...) JOIN(SUM_, COUNT(__VA_ARGS__))(__VA_ARGS__)
#define SUM_1(a) (a)
#define SUM_2(a, b) ((a) + (b))
#define SUM_3(a, ...) ((a) + SUM_2(__VA_ARGS__))
#define SUM_4(a, ...) ((a) + SUM_3(__VA_ARGS__))
#define SUM_5(a, ...) ((a) + SUM_4(__VA_ARGS__))
#define LOG(format, ...) (fprintf(stdout, "%s:" format "\n", __func__, ##__VA_ARGS__))
#define REPEAT_4(x) x x x x
#define REPEAT_16(x) REPEAT_4(REPEAT_4(x))

#define VECTOR(T, name)                                                                                                \
    struct name { T *data; uint32_t used, room; };                                                                     \
    static T *name##_push(struct name *v, T x) {                                                                       \
        if (v->used == v->room) v->data = realloc(v->data, (v->room = v->room ? 2 * v->room : 1) * sizeof *v->data);   \
        v->data[v->used] = x;                                                                                          \
        return &v->data[v->used++];                                                                                    \
    }                                                                                                                  \
    static T name##_pop(struct name *v) { return v->data[--v->used]; }                                                 \
    static void name##_reverse(struct name *v) {                                                                       \
        for (uint32_t a = 0, b = v->used; a + 1 < b; a++) { T t = v->data[a]; v->data[a] = v->data[--b]; v->data[b] = t; } \
    }
struct pair { int16_t a; double b; };
VECTOR(int, ints)
VECTOR(double, doubles)
VECTOR(struct pair, pairs)
VECTOR(const char *, texts)
VECTOR(uint8_t, bytes)
VECTOR(int64_t, wides)
#define FOLD(T, name, start, e) static T name(const T *x, int n) { T so_far = start; for (int k = 0; k < n; k++) { T it = x[k]; so_far = (e); } return so_far; }
FOLD(int, largest, x[0], it > so_far ? it : so_far)
FOLD(double, product, 1, so_far * it)
FOLD(int64_t, mixed, 7, so_far * 31 ^ it)
#define SHOW(x) printf(_Generic((x), int: "int %d ", double: "double %g ", const char *: "text %s ", char *: "text %s ", uint8_t: "byte %u ", struct pair *: "pair %p "), x)
#define SIZE_OF(x) _Generic(&(x), int *: 1, double *: 2, struct pair *: 3, int (*)[4]: 4, default: 9)

static int here(void) { LOG("line"); return LOG("%d %s", 7, "seven"); }

int main(void) {
    for (int k = 0; k < ITEM_COUNT; k++) printf("%s %d %s|", items[k].name, items[k].price, items[k].text);
    printf("\n%d %d %d %s %s\n", COUNT(a), COUNT(a, b, c), SUM(1, 2, 3, 4, 5), QUOTE(ITEM_COUNT + "x\n"), EXPANDED(COUNT(a, b)));
    printf("%d\n", here());
    int x = 0;
    REPEAT_16(x += 1; x *= 3; x %= 1009;)
    printf("%d %d\n", x, __COUNTER__ * 10 + __COUNTER__);
    struct ints i = {0};
    struct doubles d = {0};
    struct pairs p = {0};
    struct texts t = {0};
    struct bytes b = {0};
    struct wides w = {0};
    for (int k = 0; k < 21; k++) {
        *ints_push(&i, k * k % 17) += 1;
        doubles_push(&d, 1 + k / 32.0);
        pairs_push(&p, (struct pair){(int16_t)(k * 2000), k * 0.5})->b++;
        texts_push(&t, items[k % ITEM_COUNT].name);
        bytes_push(&b, (uint8_t)(k * 40));
        wides_push(&w, (int64_t)k << (k * 2));
    }
    ints_reverse(&i), doubles_reverse(&d), pairs_reverse(&p), texts_reverse(&t), bytes_reverse(&b), wides_reverse(&w);
    struct pair last = pairs_pop(&p);
    SHOW(ints_pop(&i)), SHOW(doubles_pop(&d)), SHOW(texts_pop(&t)), SHOW(bytes_pop(&b));
    printf("%d %g %u\n", last.a, last.b, p.used);
    printf("%d %.9g %lld\n", largest(i.data, (int)i.used), product(d.data, (int)d.used), (long long)mixed(w.data, (int)w.used));
    int array[4] = {0};
    printf("%d %d %d %d %d\n", SIZE_OF(x), SIZE_OF(last.b), SIZE_OF(last), SIZE_OF(array), SIZE_OF(array[0]));
#if defined(__GNUC__) && (COUNT(1, 2) > 1 || 0)
    puts("yes");
#elif 1
    puts("no");
#endif
#line 500 "elsewhere.c"
    printf("%d %s\n", __LINE__, strrchr("/" __FILE__, '/') + 1);
    free(i.data), free(d.data), free(p.data), free(t.data), free(b.data), free(w.data);
    return (int)strlen(EXPANDED(REPEAT_4(ab)));
}
