/* Matrices: products, powers, determinants, inverses, solving, transposing in place, pointers to rows, arrays of arrays. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#pragma STDC FP_CONTRACT OFF

#define N 6
typedef double matrix[N][N];
typedef uint32_t small[2][2];

static void product(matrix to, matrix a, matrix b) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double t = 0;
            for (int k = 0; k < N; k++) t += a[i][k] * b[k][j];
            to[i][j] = t;
        }
}
static double determinant(const matrix from) {
    matrix a;
    memcpy(a, from, sizeof a);
    double d = 1;
    for (int k = 0; k < N; k++) {
        int best = k;
        for (int i = k + 1; i < N; i++) if ((a[i][k] < 0 ? -a[i][k] : a[i][k]) > (a[best][k] < 0 ? -a[best][k] : a[best][k])) best = i;
        if (a[best][k] == 0) return 0;
        if (best != k) {
            for (int j = 0; j < N; j++) { double t = a[k][j]; a[k][j] = a[best][j], a[best][j] = t; }
            d = -d;
        }
        d *= a[k][k];
        for (int i = k + 1; i < N; i++) {
            double by = a[i][k] / a[k][k];
            for (int j = k; j < N; j++) a[i][j] -= by * a[k][j];
        }
    }
    return d;
}
static int solve(matrix a, double *x) {
    for (int k = 0; k < N; k++) {
        if (a[k][k] == 0) return 0;
        for (int i = 0; i < N; i++) {
            if (i == k) continue;
            double by = a[i][k] / a[k][k];
            for (int j = 0; j < N; j++) a[i][j] -= by * a[k][j];
            x[i] -= by * x[k];
        }
    }
    for (int k = 0; k < N; k++) x[k] /= a[k][k];
    return 1;
}
static void times(small to, small by) {
    small t;
    for (int i = 0; i < 4; i++) t[i / 2][i % 2] = to[i / 2][0] * by[0][i % 2] + to[i / 2][1] * by[1][i % 2];
    memcpy(to, t, sizeof t);
}
static uint32_t fibonacci(unsigned n) {
    small r = {{1, 0}, {0, 1}}, b = {{1, 1}, {1, 0}};
    for (; n; n >>= 1) {
        if (n & 1) times(r, b);
        times(b, b);
    }
    return r[0][1];
}
static void transpose(int *m, int n) {
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) m[i * n + j] ^= m[j * n + i], m[j * n + i] ^= m[i * n + j], m[i * n + j] ^= m[j * n + i];
}
static int cube[3][4][5];
static int plane(int (*p)[5], int rows) {
    int t = 0;
    for (; rows--; p++) for (int *x = *p; x < *p + 5; x++) t = t * 3 + *x;
    return t;
}
static void spiral(int n, int (*to)[8]) {
    int y = 0, x = 0, dy = 0, dx = 1;
    memset(to, 0, sizeof(int[8][8]));
    for (int k = 1; k <= n * n; k++) {
        to[y][x] = k;
        int ny = y + dy, nx = x + dx;
        if (ny < 0 || ny >= n || nx < 0 || nx >= n || to[ny][nx]) { int t = dx; dx = -dy, dy = t; }
        y += dy, x += dx;
    }
}

int main(void) {
    matrix a, b, c;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            a[i][j] = (i * 7 + j * 3) % 11 - 4 + (i == j) * 5;
            b[i][j] = 1.0 / (i + j + 1);
        }
    product(c, a, b);
    for (int i = 0; i < N; i++) printf("%.4f ", c[i][N - 1 - i]);
    printf("\n%.6e %.4f\n", determinant(b), determinant(a));
    double x[N] = {1, -2, 3, -4, 5, -6};
    int solved = solve(a, x);
    for (int k = 0; k < N; k++) printf("%.6f ", x[k]);
    printf("\n%d %u %u %u\n", solved, fibonacci(10), fibonacci(47), fibonacci(1000000));
    int m[25];
    for (int k = 0; k < 25; k++) m[k] = k * k % 17;
    transpose(m, 5);
    for (int k = 0; k < 25; k++) printf("%d ", m[k]);
    for (int k = 0; k < 60; k++) cube[k / 20][k / 5 % 4][k % 5] = k % 7;
    int *flat = &cube[0][0][0], (*second)[4][5] = &cube[1];
    printf("\n%d %d %d %d %d\n", plane(cube[0], 4), plane(cube[1] + 1, 2), flat[33], (*second)[2][3], (int)(&cube[2][0][0] - flat));
    int s[8][8];
    spiral(7, s);
    for (int y = 0; y < 7; y++) printf("%d %d %d\n", s[y][0], s[y][y], s[y][6 - y]);
    int **rows = malloc(5 * sizeof *rows);
    for (int y = 0; y < 5; y++) {
        rows[y] = calloc((size_t)y + 1, sizeof **rows);
        for (int k = 0; k <= y; k++) rows[y][k] = k == 0 || k == y ? 1 : rows[y - 1][k - 1] + rows[y - 1][k];
    }
    int t = 0;
    for (int y = 0; y < 5; y++) { t = t * 10 + rows[y][y / 2]; free(rows[y]); }
    free(rows);
    printf("%d\n", t);
    return sizeof cube / sizeof cube[0][0];
}
