/* Attributes: packed and aligned types, cleanup, pure and const functions, what does not return, aliases of types, vectors aside. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct __attribute__((packed)) message { uint8_t kind; uint32_t length; uint16_t parts[3]; double value; struct { char a; int64_t b; } __attribute__((packed)) in; };
struct __attribute__((aligned(32))) line { char bytes[20]; };
struct mixed { char c; int16_t s __attribute__((aligned(8))); char d; int32_t i __attribute__((packed)); };
typedef int32_t __attribute__((aligned(1))) loose;
typedef uint64_t __attribute__((may_alias)) any64;
_Alignas(16) static unsigned char bytes[64];
static struct line lines[3];
static _Alignas(128) int far_apart[2];

static char log_text[128];
static int log_used;
static void left(const char **name) { log_used += snprintf(log_text + log_used, sizeof log_text - (size_t)log_used, "-%s", *name); }
static void release(void *p) { free(*(void **)p); log_used += snprintf(log_text + log_used, sizeof log_text - (size_t)log_used, "!"); }
#define SCOPED(name) const char *name __attribute__((cleanup(left), unused)) = #name
static int scopes(int n) {
    SCOPED(outer);
    char *room __attribute__((cleanup(release))) = malloc(8);
    strcpy(room, "room");
    for (int k = 0; k < n; k++) {
        SCOPED(inner);
        if (k == 2) return room[k];
        if (k == 1) continue;
    }
    { SCOPED(block); }
    return n;
}

__attribute__((const, noinline)) static int squared(int x) { return x * x; }
__attribute__((pure, noinline)) static int total(const int *x, int n) { int t = 0; while (n--) t += *x++; return t; }
__attribute__((noreturn, cold)) static void give_up(int code) { printf("%s\n", log_text); exit(code); }
__attribute__((hot, always_inline)) static inline int quick(int x) { return x ^ 5; }
__attribute__((noinline, noclone)) static int slow(int x) { return x - 5; }
__attribute__((malloc, alloc_size(1), returns_nonnull)) static void *room(size_t n) { void *p = malloc(n); if (!p) give_up(9); return memset(p, 7, n); }
__attribute__((nonnull(1), warn_unused_result, access(read_only, 1, 2))) static int sum(const uint8_t *p, int n) { int t = 0; for (int k = 0; k < n; k++) t += p[k]; return t; }
__attribute__((optimize("O0"), unused)) static int unused_one(void) { return 1; }
__attribute__((deprecated, flatten)) static int flat(int x) { return slow(quick(x)); }
static int unread __attribute__((unused));
static void nothing(int a __attribute__((unused))) {}

__attribute__((noinline)) static int64_t read_message(const struct message *m) {
    return m->kind + m->length + m->parts[0] * 2 + m->parts[2] * 3 + (int64_t)m->value + m->in.a + m->in.b;
}
__attribute__((noinline)) static struct message made(int k) {
    struct message m = {(uint8_t)k, (uint32_t)k << 20, {(uint16_t)k, 0, (uint16_t)(k * 1000)}, k / 2.0, {(char)-k, (int64_t)k << 40}};
    return m;
}
static int64_t by_value(struct message m, char c, struct line l) { return read_message(&m) + c + l.bytes[19]; }

int main(void) {
    printf("%zu %zu %zu %zu %zu\n", sizeof(struct message), offsetof(struct message, value), offsetof(struct message, in.b), sizeof(struct line), _Alignof(struct message));
    printf("%zu %zu %zu %d %d\n", offsetof(struct mixed, s), offsetof(struct mixed, i), sizeof(struct mixed), (int)((uintptr_t)&lines[1] % 32), (int)((uintptr_t)far_apart % 128));
    struct message all[3] = {made(3), made(-5), made(100)};
    for (int k = 0; k < 3; k++) printf("%lld %lld\n", (long long)read_message(&all[k]), (long long)by_value(all[k], 'a', (struct line){{[19] = (char)k}}));
    all[1].in.b++, all[1].parts[1] += 40000, all[1].value *= -4, all[1].length ^= 0xff;
    printf("%lld %d %g\n", (long long)read_message(&all[1]), all[1].parts[1], all[1].value);
    for (int k = 0; k < 64; k++) bytes[k] = (unsigned char)(k * 7);
    loose *p = (loose *)(bytes + 3);
    p[1] += 0x01010101;
    any64 *q = (any64 *)(bytes + 16);
    *q = *q ^ q[1];
    printf("%x %llx %d\n", *p + p[1], (unsigned long long)*q, sum(bytes, 64));
    int numbers[] = {1, 2, 3, 4};
    nothing(unread);
    printf("%d %d %d\n", squared(7) + squared(7), total(numbers, 4) + total(numbers, 4), flat(8));
    for (int k = 1; k < 6; k += 2) printf("%d ", scopes(k));
    char *r = room(5);
    printf("%d\n", r[4]);
    free(r);
    give_up(21);
}
