/* Bit fields: all widths and signs, of all types, over units, packed, volatile, in unions, with every operation. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct narrow { unsigned a : 1; int b : 2; unsigned c : 3; int d : 4; unsigned e : 5; int f : 6; unsigned g : 7; int h : 8; };
struct wide { uint64_t a : 1; int64_t b : 33; uint64_t c : 30; int64_t d : 64; uint64_t e : 40; int64_t f : 24; };
struct mixed { uint8_t a : 3, b : 5; int16_t c : 9; uint32_t d : 31; _Bool e : 1; int64_t f : 47; uint16_t : 0; uint16_t g : 16; };
struct __attribute__((packed)) packed { unsigned a : 3; unsigned b : 11; int c : 19; uint64_t d : 37; int e : 2; char last; };
enum color { RED, GREEN, BLUE };
struct tagged { enum color color : 2; unsigned : 3; unsigned size : 27; };
union both { struct { uint32_t low : 12, high : 20; } parts; uint32_t all; };

static struct narrow table[3] = {{1, -2, 7, -8, 31, -32, 127, -128}, {0, 1, 2, 3, 4, 5, 6, 7}, {.d = 7, .h = 100}};
static struct wide wides = {1, -4000000000LL, 1u << 29, INT64_MIN, 0xabcdef0123, -5};
static const struct mixed constant = {5, 17, -200, 0x7ffffffe, 1, -70000000000000, 65535};

static void show(const struct narrow *n) {
    printf("%u %d %u %d %u %d %u %d\n", n->a, n->b, n->c, n->d, n->e, n->f, n->g, n->h);
}
static void show_wide(const struct wide *w) {
    printf("%d %lld %u %lld %llx %d\n", (int)w->a, (long long)w->b, (unsigned)w->c, (long long)w->d, (unsigned long long)w->e, (int)w->f);
}
static struct packed pack(int k) {
    struct packed p = {(unsigned)k & 7, (unsigned)(k * 37) & 2047, k * -1234, (uint64_t)k * 123456789, 0, (char)k};
    p.e = k % 2 ? -1 : 1;
    return p;
}
static int sum(struct packed p) { return (int)(p.a + p.b) + p.c + (int)(p.d % 1000) + p.e + p.last; }

int main(void) {
    for (int k = 0; k < 3; k++) show(&table[k]);
    for (int k = 0; k < 20; k++) {
        struct narrow *n = &table[k % 3];
        n->a ^= 1, n->b++, n->c -= 3, n->d <<= 1, n->e |= k & 31, n->f = n->f * 3 % 31, n->g /= 2, n->h += 77;
    }
    for (int k = 0; k < 3; k++) show(&table[k]);
    show_wide(&wides);
    for (int k = 0; k < 5; k++) {
        wides.a = ~wides.a, wides.b = wides.b * 3 + k, wides.c += 0x12345678, wides.d ^= (int64_t)k << 60, wides.e >>= 3, wides.f -= 999999;
        show_wide(&wides);
    }
    struct mixed m = constant;
    printf("%d %d %d %d %d %lld %d\n", m.a, m.b, m.c, (int)m.d, m.e, (long long)m.f, m.g);
    m.a += 4, m.b = m.c, m.c = m.d, m.d++, m.d++, m.e = m.d & 2, m.f = -m.f >> 3, m.g = m.g + 2;
    printf("%d %d %d %d %d %lld %d\n", m.a, m.b, m.c, (int)m.d, m.e, (long long)m.f, m.g);
    int t = 0;
    for (int k = -6; k < 7; k++) t = t * 7 + sum(pack(k));
    printf("%d %zu\n", t, sizeof(struct packed));
    unsigned char bytes[sizeof(struct packed)];
    struct packed p = pack(11);
    memcpy(bytes, &p, sizeof p);
    for (size_t k = 0; k < sizeof bytes; k++) printf("%02x", bytes[k]);
    union both u = {.all = 0xdeadbeef};
    volatile struct tagged v = {BLUE, 100000000};
    v.color--;
    v.size /= 7;
    printf("\n%x %x %d %u\n", u.parts.low, u.parts.high, v.color, v.size);
    u.parts.low = u.parts.high, u.parts.high = 0x12345;
    printf("%x %d\n", u.all, (m.c = 300, m.c));
    int assigned = (table[0].b = 3), after = table[0].b++;
    return assigned * 16 + after + table[0].b + 40;
}
