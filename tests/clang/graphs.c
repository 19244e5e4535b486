/* Graphs: shortest ways in four ways, spanning trees, components, orders, matchings, flows, words that differ by a letter. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define N 24
#define FAR 1000000
static int weight[N][N];
struct edge { uint8_t from, to; int16_t cost; };
static struct edge edges[N * N];
static int edge_count;

struct heap { struct { int key, value; } row[N * N]; int n; };
static void push(struct heap *h, int key, int value) {
    int k = h->n++;
    for (; k && h->row[(k - 1) / 2].key > key; k = (k - 1) / 2) h->row[k] = h->row[(k - 1) / 2];
    h->row[k].key = key, h->row[k].value = value;
}
static int pop(struct heap *h, int *key) {
    int top = h->row[0].value, k = 0;
    *key = h->row[0].key;
    h->n--;
    for (int c; (c = 2 * k + 1) < h->n; k = c) {
        if (c + 1 < h->n && h->row[c + 1].key < h->row[c].key) c++;
        if (h->row[h->n].key <= h->row[c].key) break;
        h->row[k] = h->row[c];
    }
    h->row[k] = h->row[h->n];
    return top;
}
static void dijkstra(int from, int *far) {
    static struct heap h;
    for (int k = 0; k < N; k++) far[k] = FAR;
    far[from] = 0;
    h.n = 0;
    push(&h, 0, from);
    while (h.n) {
        int key, at = pop(&h, &key);
        if (key > far[at]) continue;
        for (int to = 0; to < N; to++)
            if (weight[at][to] && key + weight[at][to] < far[to]) push(&h, far[to] = key + weight[at][to], to);
    }
}
static int bellman(int from, int *far) {
    int rounds = 0, changed = 1;
    for (int k = 0; k < N; k++) far[k] = k == from ? 0 : FAR;
    for (; changed; rounds++) {
        changed = 0;
        for (const struct edge *e = edges; e < edges + edge_count; e++)
            if (far[e->from] < FAR && far[e->from] + e->cost < far[e->to]) far[e->to] = far[e->from] + e->cost, changed = 1;
    }
    return rounds;
}
static int parent[N];
static int root(int x) { return parent[x] == x ? x : (parent[x] = root(parent[x])); }
static int spanning(void) {
    int cost = 0;
    for (int k = 0; k < N; k++) parent[k] = k;
    for (int c = 1; c < 100; c++)
        for (int k = 0; k < edge_count; k++)
            if (edges[k].cost == c && root(edges[k].from) != root(edges[k].to)) parent[root(edges[k].from)] = root(edges[k].to), cost += c;
    return cost;
}
static int low[N], number[N], stack[N], on_stack[N], depth, counter, components;
static void tarjan(int v) {
    low[v] = number[v] = ++counter;
    stack[depth++] = v, on_stack[v] = 1;
    for (int to = 0; to < N; to++) {
        if (!weight[v][to] || weight[v][to] % 3) continue;
        if (!number[to]) { tarjan(to); if (low[to] < low[v]) low[v] = low[to]; }
        else if (on_stack[to] && number[to] < low[v]) low[v] = number[to];
    }
    if (low[v] == number[v]) {
        components++;
        do on_stack[stack[--depth]] = 0; while (stack[depth] != v);
    }
}
static int room[N][N];
static int augment(int at, int to, int most, uint32_t *seen) {
    if (at == to) return most;
    *seen |= 1u << at;
    for (int k = 0; k < N; k++) {
        if (*seen >> k & 1 || !room[at][k]) continue;
        int got = augment(k, to, most < room[at][k] ? most : room[at][k], seen);
        if (got) return room[at][k] -= got, room[k][at] += got, got;
    }
    return 0;
}
static int ladder(const char *const *w, int n, int from, int to) {
    int queue[16], far[16], head = 0, tail = 0;
    memset(far, -1, sizeof far);
    far[queue[tail++] = from] = 0;
    while (head < tail) {
        int at = queue[head++];
        for (int k = 0; k < n; k++) {
            int differ = 0;
            for (const char *a = w[at], *b = w[k]; *a; a++, b++) differ += *a != *b;
            if (differ == 1 && far[k] < 0) far[queue[tail++] = k] = far[at] + 1;
        }
    }
    return far[to];
}

int main(void) {
    uint32_t seed = 7;
    for (int k = 0; k < 90; k++) {
        seed = seed * 1664525 + 1013904223;
        int from = (int)(seed >> 24) % N, to = (int)(seed >> 16 & 255) % N, cost = (int)(seed >> 8 & 31) + 1;
        if (from == to || weight[from][to]) continue;
        weight[from][to] = cost;
        edges[edge_count++] = (struct edge){(uint8_t)from, (uint8_t)to, (int16_t)cost};
    }
    int all[N][N], far[N], same = 1, sum = 0, rounds = 0;
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) all[i][j] = i == j ? 0 : weight[i][j] ? weight[i][j] : FAR;
    for (int k = 0; k < N; k++) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) if (all[i][k] + all[k][j] < all[i][j]) all[i][j] = all[i][k] + all[k][j];
    for (int from = 0; from < N; from++) {
        dijkstra(from, far);
        for (int k = 0; k < N; k++) { if (all[from][k] > FAR) all[from][k] = FAR; same &= far[k] == all[from][k], sum += far[k] < FAR ? far[k] : 0; }
        rounds += bellman(from, far);
        same &= !memcmp(far, all[from], sizeof far);
    }
    printf("%d %d %d %d %d\n", edge_count, same, sum, rounds, spanning());
    for (int k = 0; k < N; k++) if (!number[k]) tarjan(k);
    memcpy(room, weight, sizeof room);
    int flow = 0;
    for (uint32_t seen = 0; ; seen = 0) { int got = augment(0, N - 1, INT_MAX, &seen); if (!got) break; flow += got; }
    static const char *const w[] = {"hit", "hot", "dot", "dog", "lot", "log", "cog", "fig"};
    printf("%d %d %d %d\n", components, flow, ladder(w, 8, 0, 6), ladder(w, 8, 0, 7));
    return root(0) == root(N - 1);
}
