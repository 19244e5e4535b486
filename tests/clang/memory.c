/* Memory: lists, growing buffers, pointers to pointers, arrays of several dimensions, casts, restrict, bytes of objects. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer { size_t len, room; int *data; };

static void push(struct buffer *b, int x) {
    if (b->len == b->room) b->data = realloc(b->data, (b->room = b->room ? 2 * b->room : 2) * sizeof *b->data);
    b->data[b->len++] = x;
}

struct list { struct list *next; int value; };
static void prepend(struct list **head, int v) {
    struct list *n = malloc(sizeof *n);
    n->next = *head, n->value = v, *head = n;
}
static void reverse(struct list **head) {
    struct list *done = 0, *next;
    for (struct list *n = *head; n; n = next) next = n->next, n->next = done, done = n;
    *head = done;
}

static void product(int n, const double *restrict a, const double *restrict b, double *restrict c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
            c[i * n + j] = s;
        }
}

static void sort(int *a, int n) {
    if (n < 2) return;
    int pivot = a[n / 2], i = 0, j = n - 1;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) { int t = a[i]; a[i++] = a[j]; a[j--] = t; }
    }
    sort(a, j + 1);
    sort(a + i, n - i);
}

static int cube[3][4][5];
static int (*plane)[5] = cube[1];

int main(void) {
    struct buffer b = {0};
    for (unsigned k = 0, x = 1; k < 200; k++) x = x * 1103515245 + 12345, push(&b, (int)(x >> 16) % 1000);
    sort(b.data, (int)b.len);
    int ordered = 1;
    for (size_t k = 1; k < b.len; k++) ordered &= b.data[k - 1] <= b.data[k];
    printf("%d %zu %zu %d\n", ordered, b.len, b.room, b.data[100]);
    struct list *l = 0;
    for (int k = 0; k < 8; k++) prepend(&l, k * k);
    reverse(&l);
    for (struct list *n = l; n; n = n->next) printf("%d ", n->value);
    double x[9], y[9], z[9];
    for (int k = 0; k < 9; k++) x[k] = k + 0.5, y[k] = 9 - k;
    product(3, x, y, z);
    for (int k = 0; k < 9; k++) printf("%.2f ", z[k]);
    for (int k = 0; k < 60; k++) ((int *)cube)[k] = k;
    printf("%d %d %td\n", plane[2][3], (*(plane + 1))[4], &cube[2][1][0] - &cube[0][3][2]);
    float f = 1.5f;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    unsigned char bytes[8];
    uint64_t v = 0x0102030405060708ULL;
    memcpy(bytes, &v, 8);
    union { double d; uint64_t u; } pun = {-2.0};
    printf("%x %d %llx %d\n", bits, bytes[1], (unsigned long long)pun.u, (int)((uintptr_t)&v % _Alignof(uint64_t)));
    int **rows = malloc(3 * sizeof *rows), total = 0;
    for (int k = 0; k < 3; k++) {
        rows[k] = calloc(4, sizeof **rows);
        for (int j = 0; j < 4; j++) rows[k][j] += k * j;
    }
    for (int k = 0; k < 12; k++) total += rows[k / 4][k % 4];
    return total;
}
