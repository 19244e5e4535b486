/* Recursion: Ackermann, towers, queens, permutations, subsets, paths, mutual calls, flood fill, continued fractions. */
#include <stdio.h>
#include <string.h>

static int calls;
static unsigned ackermann(unsigned m, unsigned n) {
    calls++;
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static int pegs[3];
static long long trace;
static void hanoi(int n, int from, int to, int over) {
    if (n == 0) return;
    hanoi(n - 1, from, over, to);
    pegs[from]--, pegs[to]++;
    trace = (trace * 31 + n * 9 + from * 3 + to) % 1000000007;
    hanoi(n - 1, over, to, from);
}
static int queens(int n, unsigned columns, unsigned left, unsigned right) {
    if (columns == (1u << n) - 1) return 1;
    int found = 0;
    for (unsigned free = ~(columns | left | right) & ((1u << n) - 1); free; free &= free - 1) {
        unsigned bit = free & -free;
        found += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return found;
}
static int permutations(char *s, int at, int n) {
    if (at == n) {
        int inversions = 0;
        for (int a = 0; a < n; a++) for (int b = a + 1; b < n; b++) inversions += s[a] > s[b];
        return inversions % 2 ? -s[0] : s[n - 1];
    }
    int total = 0;
    for (int k = at; k < n; k++) {
        char t = s[at]; s[at] = s[k], s[k] = t;
        total += permutations(s, at + 1, n);
        t = s[at]; s[at] = s[k], s[k] = t;
    }
    return total;
}
static int subsets(const int *x, int n, int want) { return want == 0 ? 1 : n == 0 || want < 0 ? 0 : subsets(x + 1, n - 1, want - *x) + subsets(x + 1, n - 1, want); }
static char map[8][13] = {"############", "#..#.....#.#", "#..#.###.#.#", "#....#.#.#.#", "####.#.#.#.#", "#..#.#...#.#", "#.....#....#", "############"};
static int fill(int y, int x, char with) {
    if (map[y][x] != '.') return 0;
    map[y][x] = with;
    return 1 + fill(y - 1, x, with) + fill(y + 1, x, with) + fill(y, x - 1, with) + fill(y, x + 1, with);
}
static double fraction(int n, int k) { return k == n ? n : k + 1.0 / fraction(n, k + 1); }
static int male(int n);
static int female(int n) { return n == 0 ? 1 : n - male(female(n - 1)); }
static int male(int n) { return n == 0 ? 0 : n - female(male(n - 1)); }
static int partitions(int n, int most) { return n == 0 ? 1 : n < 0 || most == 0 ? 0 : partitions(n - most, most) + partitions(n, most - 1); }
static unsigned long long power(unsigned long long b, unsigned e, unsigned long long m) {
    if (e == 0) return 1;
    unsigned long long half = power(b, e / 2, m), all = half * half % m;
    return e % 2 ? all * b % m : all;
}
static int digits(unsigned n, char *to) { int at = n > 9 ? digits(n / 10, to) : 0; to[at] = (char)('0' + n % 10); return at + 1; }
static int mccarthy(int n) { return n > 100 ? n - 10 : mccarthy(mccarthy(n + 11)); }

int main(void) {
    printf("%u %u ", ackermann(2, 9), ackermann(3, 4));
    printf("%d\n", calls);
    pegs[0] = 12;
    hanoi(12, 0, 2, 1);
    printf("%d %d %d %lld\n", pegs[0], pegs[1], pegs[2], trace);
    for (int n = 1; n < 9; n++) printf("%d ", queens(n, 0, 0, 0));
    char s[] = "abcdef";
    printf("\n%d %s\n", permutations(s, 0, 6), s);
    int x[] = {3, 34, 4, 12, 5, 2, 7, 9, 1, 6};
    printf("%d %d\n", subsets(x, 10, 20), subsets(x, 10, 50));
    int filled = fill(1, 1, '+'), other = fill(1, 10, '*');
    printf("%d %d\n", filled, other);
    for (int y = 0; y < 8; y++) puts(map[y]);
    printf("%.12f\n", fraction(20, 1));
    for (int n = 0; n < 12; n++) printf("%d%d ", female(n), male(n));
    char text[12] = {0};
    int n = digits(4294967295u, text);
    printf("\n%d %llu %d %s %d\n", partitions(30, 30), power(7, 1000003, 998244353), n, text, mccarthy(5));
    return queens(6, 0, 0, 0);
}
