/* Search trees: balanced by height with rotations, treaps, tries, walked without recursion, removed from, by text and number. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct avl { int key, height; struct avl *child[2]; };
static int height(const struct avl *t) { return t ? t->height : 0; }
static void update(struct avl *t) {
    int l = height(t->child[0]), r = height(t->child[1]);
    t->height = (l > r ? l : r) + 1;
}
static struct avl *rotated(struct avl *t, int way) {
    struct avl *up = t->child[!way];
    t->child[!way] = up->child[way];
    up->child[way] = t;
    update(t), update(up);
    return up;
}
static struct avl *balanced(struct avl *t) {
    update(t);
    int lean = height(t->child[1]) - height(t->child[0]);
    if (lean > 1 || lean < -1) {
        int heavy = lean > 0;
        struct avl *c = t->child[heavy];
        if (height(c->child[!heavy]) > height(c->child[heavy])) t->child[heavy] = rotated(c, heavy);
        t = rotated(t, !heavy);
    }
    return t;
}
static struct avl *insert(struct avl *t, int key) {
    if (!t) {
        t = calloc(1, sizeof *t);
        t->key = key, t->height = 1;
        return t;
    }
    if (key == t->key) return t;
    struct avl **c = &t->child[key > t->key];
    *c = insert(*c, key);
    return balanced(t);
}
static struct avl *take_least(struct avl *t, int *key) {
    if (!t->child[0]) {
        struct avl *right = t->child[1];
        *key = t->key;
        free(t);
        return right;
    }
    t->child[0] = take_least(t->child[0], key);
    return balanced(t);
}
static struct avl *removed(struct avl *t, int key) {
    if (!t) return 0;
    if (key != t->key) t->child[key > t->key] = removed(t->child[key > t->key], key);
    else if (t->child[0] && t->child[1]) t->child[1] = take_least(t->child[1], &t->key);
    else {
        struct avl *only = t->child[t->child[0] == 0];
        free(t);
        return only;
    }
    return balanced(t);
}
static int walk(const struct avl *t, int *to) {
    const struct avl *stack[32];
    int depth = 0, n = 0;
    while (t || depth) {
        for (; t; t = t->child[0]) stack[depth++] = t;
        t = stack[--depth];
        to[n++] = t->key;
        t = t->child[1];
    }
    return n;
}
static int check(const struct avl *t) {
    if (!t) return 0;
    int l = check(t->child[0]), r = check(t->child[1]);
    return l < 0 || r < 0 || l - r > 1 || r - l > 1 || t->height != (l > r ? l : r) + 1 ? -1000 : t->height;
}

struct trie { struct trie *child[26]; int count; };
static void add(struct trie *t, const char *word) {
    for (; *word; word++) {
        struct trie **c = &t->child[*word - 'a'];
        if (!*c) *c = calloc(1, sizeof **c);
        t = *c;
    }
    t->count++;
}
static int show(const struct trie *t, char *word, int length) {
    int n = 0;
    if (t->count) { printf("%.*s%d ", length, word, t->count); n++; }
    for (int k = 0; k < 26; k++)
        if (t->child[k]) { word[length] = (char)('a' + k); n += show(t->child[k], word, length + 1); }
    return n;
}

static uint32_t keys[64], weights[64];
static int left[64], right[64], nodes;
static void split(int t, uint32_t key, int *a, int *b) {
    if (!t) *a = *b = 0;
    else if (keys[t] < key) split(right[t], key, &right[t], b), *a = t;
    else split(left[t], key, a, &left[t]), *b = t;
}
static int joined(int a, int b) {
    if (!a || !b) return a ? a : b;
    if (weights[a] > weights[b]) return right[a] = joined(right[a], b), a;
    return left[b] = joined(a, left[b]), b;
}
static uint32_t sum(int t, int depth) { return t ? keys[t] * (uint32_t)depth + sum(left[t], depth + 1) + sum(right[t], depth + 1) : 0; }

int main(void) {
    struct avl *t = 0;
    int order[256];
    for (int k = 0; k < 200; k++) t = insert(t, k * 73 % 211);
    printf("%d %d\n", check(t), walk(t, order));
    for (int k = 0; k < 211; k += 2) t = removed(t, k);
    int n = walk(t, order);
    printf("%d %d:", check(t), n);
    for (int k = 0; k < n; k += 9) printf(" %d", order[k]);
    struct trie words = {{0}};
    static const char *const texts[] = {"the", "quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "then", "thee", "do"};
    for (int k = 0; k < 12; k++) add(&words, texts[k]);
    char word[16];
    printf("\n");
    printf("%d\n", show(&words, word, 0));
    int root = 0;
    uint32_t seed = 1;
    for (int k = 0; k < 60; k++) {
        int a, b;
        seed = seed * 1664525 + 1013904223;
        keys[++nodes] = (uint32_t)k * 29 % 61, weights[nodes] = seed >> 8;
        split(root, keys[nodes], &a, &b);
        root = joined(joined(a, nodes), b);
    }
    printf("%u %u\n", keys[root], sum(root, 1));
    return height(t);
}
