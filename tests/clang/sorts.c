/* Sorting: eight ways, the same results, of integers, floats, texts, structs, stable and by several keys; searching. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 300
typedef void sort(int *, int);
static void exchange(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static void insertion(int *x, int n) {
    for (int i = 1; i < n; i++) {
        int v = x[i], j = i;
        for (; j && x[j - 1] > v; j--) x[j] = x[j - 1];
        x[j] = v;
    }
}
static void selection(int *x, int n) {
    for (; n > 1; x++, n--) {
        int *least = x;
        for (int *y = x + 1; y < x + n; y++) if (*y < *least) least = y;
        exchange(x, least);
    }
}
static void bubble(int *x, int n) {
    int changed;
    do {
        changed = 0;
        for (int i = 1; i < n; i++) if (x[i - 1] > x[i]) exchange(&x[i - 1], &x[i]), changed = 1;
    } while (changed);
}
static void shell(int *x, int n) {
    static const int gaps[] = {301, 132, 57, 23, 10, 4, 1};
    for (const int *g = gaps; g < gaps + 7; g++)
        for (int i = *g; i < n; i++)
            for (int j = i; j >= *g && x[j - *g] > x[j]; j -= *g) exchange(&x[j], &x[j - *g]);
}
static void quick(int *x, int n) {
    while (n > 8) {
        int pivot = x[n / 2], i = -1, j = n;
        for (;;) {
            do i++; while (x[i] < pivot);
            do j--; while (x[j] > pivot);
            if (i >= j) break;
            exchange(&x[i], &x[j]);
        }
        if (j + 1 < n - j - 1) quick(x, j + 1), x += j + 1, n -= j + 1;
        else quick(x + j + 1, n - j - 1), n = j + 1;
    }
    insertion(x, n);
}
static void sift(int *x, int at, int n) {
    for (int child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && x[child + 1] > x[child]) child++;
        if (x[at] >= x[child]) return;
        exchange(&x[at], &x[child]);
    }
}
static void heap(int *x, int n) {
    for (int k = n / 2; k--;) sift(x, k, n);
    while (n > 1) exchange(x, &x[--n]), sift(x, 0, n);
}
static void merge(int *x, int n) {
    int *from = x, *room = malloc((size_t)n * sizeof *x), *to = room;
    for (int width = 1; width < n; width *= 2) {
        for (int at = 0; at < n; at += 2 * width) {
            int a = at, mid = at + width < n ? at + width : n, b = mid, end = mid + width < n ? mid + width : n;
            for (int k = at; k < end; k++) to[k] = a < mid && (b >= end || from[a] <= from[b]) ? from[a++] : from[b++];
        }
        int *t = from;
        from = to, to = t;
    }
    if (from != x) memcpy(x, from, (size_t)n * sizeof *x);
    free(room);
}
static void radix(int *x, int n) {
    static uint32_t a[N], b[N];
    for (int k = 0; k < n; k++) a[k] = (uint32_t)x[k] ^ 0x80000000;
    for (int shift = 0; shift < 32; shift += 8) {
        int count[257] = {0};
        for (int k = 0; k < n; k++) count[(a[k] >> shift & 255) + 1]++;
        for (int k = 0; k < 256; k++) count[k + 1] += count[k];
        for (int k = 0; k < n; k++) b[count[a[k] >> shift & 255]++] = a[k];
        memcpy(a, b, sizeof a);
    }
    for (int k = 0; k < n; k++) x[k] = (int32_t)(a[k] ^ 0x80000000);
}
struct person { char name[8]; uint8_t age; float score; };
static int compare_doubles(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y); }
static int by_age_then_score(const void *a, const void *b) {
    const struct person *p = a, *q = b;
    if (p->age != q->age) return p->age - q->age;
    if (p->score != q->score) return p->score < q->score ? 1 : -1;
    return strcmp(p->name, q->name);
}
static int texts(const void *a, const void *b) { return -strcmp(*(char *const *)a, *(char *const *)b); }
static int lower_bound(const int *x, int n, int want) {
    int low = 0;
    while (n > 0) { int half = n / 2; if (x[low + half] < want) low += half + 1, n -= half + 1; else n = half; }
    return low;
}

int main(void) {
    static sort *const all[] = {insertion, selection, bubble, shell, quick, heap, merge, radix};
    int x[N], first[N];
    for (int kind = 0; kind < 4; kind++) {
        int same = 1;
        for (unsigned s = 0; s < sizeof all / sizeof *all; s++) {
            uint32_t seed = 12345;
            for (int k = 0; k < N; k++) {
                seed = seed * 1103515245 + 12345;
                x[k] = kind == 0 ? (int)seed : kind == 1 ? k : kind == 2 ? -k : (int)(seed >> 16) % 10 - 5;
            }
            all[s](x, N);
            for (int k = 1; k < N; k++) same &= x[k - 1] <= x[k];
            if (s == 0) memcpy(first, x, sizeof x);
            else same &= !memcmp(first, x, sizeof x);
        }
        printf("%d %d %d %d %d\n", same, x[0], x[N / 3], x[N - 1], lower_bound(x, N, 0));
    }
    double d[20];
    for (int k = 0; k < 20; k++) d[k] = (k * 7 % 20 - 10) / 3.0;
    qsort(d, 20, sizeof *d, compare_doubles);
    double key = d[7], *found = bsearch(&key, d, 20, sizeof *d, compare_doubles);
    printf("%.4f %.4f %d\n", d[0], d[19], (int)(found - d));
    struct person people[] = {{"ann", 31, 2.5f}, {"bob", 28, 9}, {"cy", 31, 7.25f}, {"dee", 28, 9}, {"eve", 40, -1}};
    qsort(people, 5, sizeof *people, by_age_then_score);
    for (int k = 0; k < 5; k++) printf("%s/%d/%g ", people[k].name, people[k].age, people[k].score);
    const char *words[] = {"pear", "apple", "fig", "banana", "apples"};
    qsort(words, 5, sizeof *words, texts);
    for (int k = 0; k < 5; k++) printf("%s ", words[k]);
    printf("\n");
    return lower_bound(first, N, first[200]);
}
