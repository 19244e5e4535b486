/* Three small programs in one: cells on a torus, queens on a board, primes by a sieve; static data and bits. */
#include <stdio.h>
#include <string.h>

#define W 20
#define H 10
static char world[2][H][W];

static int around(int now, int y, int x) {
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dy || dx) n += world[now][(y + dy + H) % H][(x + dx + W) % W];
    return n;
}

static int queens(int n, unsigned columns, unsigned left, unsigned right) {
    if (columns == (1u << n) - 1) return 1;
    int count = 0;
    for (unsigned free = ~(columns | left | right) & ((1u << n) - 1); free; free &= free - 1) {
        unsigned bit = free & -free;
        count += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

static unsigned char sieve[1000 / 8 + 1];

int main(void) {
    const char *glider[] = {".#.", "..#", "###"};
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++) world[0][y + 1][x + 1] = glider[y][x] == '#';
    int now = 0;
    for (int step = 0; step < 30; step++, now ^= 1)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                int n = around(now, y, x);
                world[!now][y][x] = n == 3 || (n == 2 && world[now][y][x]);
            }
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) putchar(world[now][y][x] ? '#' : '.');
        putchar('\n');
    }
    for (int n = 1; n <= 8; n++) printf("%d ", queens(n, 0, 0, 0));
    int primes = 0, last = 0;
    for (int k = 2; k < 1000; k++)
        if (!(sieve[k >> 3] >> (k & 7) & 1)) {
            primes++, last = k;
            for (int j = k * k; j < 1000; j += k) sieve[j >> 3] |= 1 << (j & 7);
        }
    printf("%d %d\n", primes, last);
    return 0;
}
