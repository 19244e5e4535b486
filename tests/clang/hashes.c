/* Hash tables: chains that grow, open addressing with deletions, caches by age, bit sets, sets of texts, several hashes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t fnv(const char *s) { uint32_t h = 2166136261u; while (*s) h = (h ^ (uint8_t)*s++) * 16777619u; return h; }
static uint32_t djb(const char *s) { uint32_t h = 5381; while (*s) h = h * 33 + (uint8_t)*s++; return h; }
static uint32_t one_at_a_time(const void *p, size_t n) {
    uint32_t h = 0;
    for (const uint8_t *s = p; n--; s++) h += *s, h += h << 10, h ^= h >> 6;
    h += h << 3, h ^= h >> 11, h += h << 15;
    return h;
}
static uint64_t mixed(uint64_t x) {
    x ^= x >> 33, x *= 0xff51afd7ed558ccd, x ^= x >> 33, x *= 0xc4ceb9fe1a85ec53, x ^= x >> 33;
    return x;
}
static uint32_t murmur(const uint8_t *p, size_t n, uint32_t h) {
    const size_t length = n;
    for (; n >= 4; n -= 4, p += 4) {
        uint32_t k;
        memcpy(&k, p, 4);
        k *= 0xcc9e2d51, k = k << 15 | k >> 17, k *= 0x1b873593;
        h ^= k, h = h << 13 | h >> 19, h = h * 5 + 0xe6546b64;
    }
    uint32_t k = 0;
    switch (n) {
    case 3: k ^= (uint32_t)p[2] << 16; /* fall through */
    case 2: k ^= (uint32_t)p[1] << 8; /* fall through */
    case 1: k ^= p[0], k *= 0xcc9e2d51, k = k << 15 | k >> 17, k *= 0x1b873593, h ^= k;
    }
    h ^= (uint32_t)length, h ^= h >> 16, h *= 0x85ebca6b, h ^= h >> 13, h *= 0xc2b2ae35, h ^= h >> 16;
    return h;
}

struct entry { struct entry *next; uint32_t hash; int value; char key[]; };
struct map { struct entry **rows; size_t size, used; };
static int *at(struct map *m, const char *key) {
    if (m->used >= m->size) {
        size_t size = m->size ? m->size * 2 : 4;
        struct entry **rows = calloc(size, sizeof *rows);
        for (size_t k = 0; k < m->size; k++)
            for (struct entry *e = m->rows[k], *next; e; e = next) {
                next = e->next;
                e->next = rows[e->hash & (size - 1)];
                rows[e->hash & (size - 1)] = e;
            }
        free(m->rows);
        m->rows = rows, m->size = size;
    }
    uint32_t h = fnv(key);
    struct entry **row = &m->rows[h & (m->size - 1)];
    for (struct entry *e = *row; e; e = e->next) if (e->hash == h && !strcmp(e->key, key)) return &e->value;
    struct entry *e = malloc(sizeof *e + strlen(key) + 1);
    *e = (struct entry){*row, h, 0};
    strcpy(e->key, key);
    *row = e;
    m->used++;
    return &e->value;
}

#define ROOM 64
static struct { int64_t key; int16_t value; uint8_t state; } slots[ROOM];
static int find(int64_t key, int fresh) {
    int first = -1;
    for (unsigned k = 0, i = (unsigned)mixed((uint64_t)key) % ROOM; k < ROOM; k++, i = (i + 1) % ROOM) {
        if (slots[i].state == 1 && slots[i].key == key) return (int)i;
        if (slots[i].state != 1 && first < 0) first = (int)i;
        if (slots[i].state == 0) break;
    }
    return fresh ? first : -1;
}
static void put(int64_t key, int value) { int i = find(key, 1); if (i >= 0) slots[i].key = key, slots[i].value = (int16_t)value, slots[i].state = 1; }
static int get(int64_t key) { int i = find(key, 0); return i < 0 ? -1 : slots[i].value; }
static void drop(int64_t key) { int i = find(key, 0); if (i >= 0) slots[i].state = 2; }

static uint32_t seen[32];
static int test_and_set(unsigned bit) { uint32_t m = 1u << bit % 32, old = seen[bit / 32] & m; seen[bit / 32] |= m; return old != 0; }

int main(void) {
    printf("%08x %08x %08x %08x\n", fnv("hello"), djb("hello"), one_at_a_time("hello", 5), murmur((const uint8_t *)"hello, world", 11, 42));
    printf("%016llx\n", (unsigned long long)mixed(1234567890123));
    const char *text = "it was the best of times it was the worst of times it was the age of wisdom it was the age of foolishness";
    struct map m = {0};
    char copy[128], *word, *rest = copy;
    strcpy(copy, text);
    while ((word = strtok(rest, " "))) { rest = NULL; ++*at(&m, word); }
    for (int k = 0; k < 100; k++) { char key[8]; snprintf(key, sizeof key, "k%d", k * k % 64); *at(&m, key) += k; }
    printf("%zu %zu %d %d %d %d\n", m.used, m.size, *at(&m, "the"), *at(&m, "it"), *at(&m, "wisdom"), *at(&m, "k0"));
    int check = 0;
    for (size_t k = 0; k < m.size; k++)
        for (struct entry *e = m.rows[k], *next; e; e = next) { check += (int)(e->hash % 1000) * e->value; next = e->next; free(e); }
    free(m.rows);
    for (int k = 0; k < 60; k++) put((int64_t)k * 0x100000001, k * 3);
    for (int k = 0; k < 60; k += 3) drop((int64_t)k * 0x100000001);
    for (int k = 60; k < 75; k++) put((int64_t)k << 40, k);
    int hits = 0, total = 0;
    for (int k = 0; k < 80; k++) {
        int a = get((int64_t)k * 0x100000001), b = get((int64_t)k << 40);
        hits += (a >= 0) + (b >= 0), total += a * 2 + b;
    }
    int repeats = 0;
    for (unsigned k = 0; k < 3000; k++) repeats += test_and_set((unsigned)(mixed(k) >> 54));
    printf("%d %d %d %d\n", check, hits, total, repeats);
    return hits;
}
