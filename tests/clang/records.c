/* Flexible array members: records of any length in one buffer, grown by realloc, walked by their sizes. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record { uint16_t kind, length; uint32_t sum; char text[]; };
struct numbers { int count, room; double values[]; };
struct header { uint8_t version; struct { uint8_t x; int16_t y; } point; uint16_t data[]; };
static struct header fixed = {3, {4, -5}, {10, 20, 30, 65535}};

struct buffer { unsigned char *bytes; size_t used, room; };
static struct record *append(struct buffer *b, int kind, const char *text) {
    size_t length = strlen(text), need = (offsetof(struct record, text) + length + 1 + 7) & ~(size_t)7;
    if (b->used + need > b->room) {
        b->room = (b->room + need) * 3 / 2;
        b->bytes = realloc(b->bytes, b->room);
    }
    struct record *r = (struct record *)(b->bytes + b->used);
    memset(r, 0, need);
    r->kind = (uint16_t)kind;
    r->length = (uint16_t)need;
    for (const char *s = text; *s; s++) r->sum = r->sum * 31 + (uint8_t)*s;
    memcpy(r->text, text, length + 1);
    b->used += need;
    return r;
}
static struct numbers *push(struct numbers *n, double value) {
    if (!n || n->count == n->room) {
        int room = n ? n->room * 2 : 2;
        struct numbers *made = realloc(n, sizeof *made + (size_t)room * sizeof made->values[0]);
        if (!n) made->count = 0;
        made->room = room;
        n = made;
    }
    n->values[n->count++] = value;
    return n;
}
static int by_text(const void *a, const void *b) {
    return strcmp((*(struct record *const *)a)->text, (*(struct record *const *)b)->text);
}

int main(void) {
    static const char *const words[] = {"pear", "fig", "", "a long word with spaces", "kiwi", "apple", "zebra crossing", "b"};
    struct buffer b = {0};
    for (int k = 0; k < 8; k++) append(&b, k * k, words[k]);
    struct record *all[8];
    int n = 0;
    for (size_t at = 0; at < b.used; at += all[n++]->length) all[n] = (struct record *)(b.bytes + at);
    qsort(all, (size_t)n, sizeof *all, by_text);
    for (int k = 0; k < n; k++) printf("%d %d %u %s\n", all[k]->kind, all[k]->length, all[k]->sum, all[k]->text);
    struct numbers *list = 0;
    for (int k = 0; k < 50; k++) list = push(list, k * 0.25 - 3);
    double sum = 0;
    for (int k = 0; k < list->count; k++) sum += list->values[k];
    printf("%d %d %.2f %zu\n", list->count, list->room, sum, offsetof(struct numbers, values));
    int total = fixed.version + fixed.point.x + fixed.point.y;
    for (int k = 0; k < 4; k++) total += fixed.data[k];
    fixed.data[2] -= 31;
    printf("%d %d %zu %zu\n", total, fixed.data[2], sizeof(struct header), offsetof(struct header, data));
    free(list);
    free(b.bytes);
    return n;
}
