/* Compression and back: runs, move to front, Huffman codes, a dictionary, sorted rotations, bits in streams. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bits { uint8_t *bytes; int at; };
static void put(struct bits *b, unsigned value, int n) {
    while (n--) {
        if (b->at % 8 == 0) b->bytes[b->at / 8] = 0;
        b->bytes[b->at / 8] |= (uint8_t)((value >> n & 1) << (7 - b->at % 8));
        b->at++;
    }
}
static unsigned get(struct bits *b, int n) {
    unsigned v = 0;
    for (; n--; b->at++) v = v << 1 | (b->bytes[b->at / 8] >> (7 - b->at % 8) & 1u);
    return v;
}
static int runs(const uint8_t *from, int n, uint8_t *to) {
    int m = 0;
    for (int k = 0, r; k < n; k += r) {
        for (r = 1; k + r < n && r < 255 && from[k + r] == from[k]; r++) {}
        to[m++] = (uint8_t)r, to[m++] = from[k];
    }
    return m;
}
static int unrolled(const uint8_t *from, int n, uint8_t *to) { int m = 0; for (int k = 0; k < n; k += 2) { memset(to + m, from[k + 1], from[k]); m += from[k]; } return m; }

struct node { int weight; int16_t left, right; };
static struct node nodes[512];
static unsigned code[256];
static uint8_t length[256];
static void assign(int at, unsigned bits, int n) {
    if (nodes[at].left < 0) { code[nodes[at].right] = bits, length[nodes[at].right] = (uint8_t)n; return; }
    assign(nodes[at].left, bits << 1, n + 1);
    assign(nodes[at].right, bits << 1 | 1, n + 1);
}
static int huffman(const uint8_t *s, int n, uint8_t *to) {
    int count = 0, alive[512], m = 0, weights[256] = {0};
    for (int k = 0; k < n; k++) weights[s[k]]++;
    for (int k = 0; k < 256; k++) if (weights[k]) nodes[count] = (struct node){weights[k], -1, (int16_t)k}, alive[m++] = count++;
    while (m > 1) {
        int a = 0, b = 1;
        if (nodes[alive[b]].weight < nodes[alive[a]].weight) a = 1, b = 0;
        for (int k = 2; k < m; k++) {
            if (nodes[alive[k]].weight < nodes[alive[a]].weight) b = a, a = k;
            else if (nodes[alive[k]].weight < nodes[alive[b]].weight) b = k;
        }
        nodes[count] = (struct node){nodes[alive[a]].weight + nodes[alive[b]].weight, (int16_t)alive[a], (int16_t)alive[b]};
        alive[a] = count++;
        alive[b] = alive[--m];
    }
    assign(alive[0], 0, 0);
    struct bits out = {to, 0};
    for (int k = 0; k < n; k++) put(&out, code[s[k]], length[s[k]]);
    int end = out.at;
    out.at = 0;
    for (int k = 0; k < n; k++) {
        int at = alive[0];
        while (nodes[at].left >= 0) at = get(&out, 1) ? nodes[at].right : nodes[at].left;
        if (nodes[at].right != s[k]) return -1;
    }
    return out.at == end ? end : -2;
}
static int dictionary(const uint8_t *s, int n, uint16_t *to) {
    static struct { int16_t before; uint8_t c; } words[4096];
    int used = 256, m = 0, at = s[0];
    for (int k = 1; k <= n; k++) {
        int found = -1;
        if (k < n) for (int w = 256; w < used; w++) if (words[w].before == at && words[w].c == s[k]) { found = w; break; }
        if (found >= 0) { at = found; continue; }
        to[m++] = (uint16_t)at;
        if (k < n) { words[used].before = (int16_t)at, words[used++].c = s[k]; at = s[k]; }
    }
    return m;
}
static const uint8_t *text;
static int size;
static int rotation(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    for (int k = 0; k < size; k++) { int d = text[(x + k) % size] - text[(y + k) % size]; if (d) return d; }
    return x - y;
}
static int rotate(const uint8_t *s, int n, uint8_t *to) {
    int *order = malloc((size_t)n * sizeof *order), first = 0;
    text = s, size = n;
    for (int k = 0; k < n; k++) order[k] = k;
    qsort(order, (size_t)n, sizeof *order, rotation);
    for (int k = 0; k < n; k++) { to[k] = s[(order[k] + n - 1) % n]; if (order[k] == 0) first = k; }
    free(order);
    return first;
}
static void to_front(uint8_t *s, int n) {
    uint8_t order[256];
    for (int k = 0; k < 256; k++) order[k] = (uint8_t)k;
    for (int k = 0; k < n; k++) {
        uint8_t *found = memchr(order, s[k], 256);
        uint8_t c = s[k];
        s[k] = (uint8_t)(found - order);
        memmove(order + 1, order, (size_t)(found - order));
        order[0] = c;
    }
}
static uint32_t sum(const void *p, int n) { const uint8_t *s = p; uint32_t h = 1; while (n--) h = h * 16777619 ^ *s++; return h; }

int main(void) {
    static const char start[] = "she sells sea shells by the sea shore; the shells she sells are surely sea shells. aaaaaaaaaabbbbbbbbbbbbcd ";
    uint8_t s[400], out[1024], back[1024];
    int n = 0;
    while (n + (int)sizeof start - 1 < 400) memcpy(s + n, start, sizeof start - 1), n += (int)sizeof start - 1;
    int m = runs(s, n, out), l = unrolled(out, m, back);
    printf("%d %d %d %08x\n", n, m, l == n && !memcmp(s, back, (size_t)n), sum(out, m));
    int bits = huffman(s, n, out);
    printf("%d %08x %d %d\n", bits, sum(out, bits / 8), length['s'], length['d']);
    uint16_t words[400];
    int w = dictionary(s, n, words);
    uint32_t h = 0;
    for (int k = 0; k < w; k++) h = h * 31 + words[k];
    printf("%d %08x\n", w, h);
    int first = rotate(s, n, back);
    printf("%d %08x ", first, sum(back, n));
    to_front(back, n);
    int zeros = 0;
    for (int k = 0; k < n; k++) zeros += back[k] == 0;
    printf("%08x %d\n", sum(back, n), zeros);
    return huffman(back, n, out) % 251;
}
