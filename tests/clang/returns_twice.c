/* Calls that return twice: what another function's frame has, and which frame they come back to. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf one, all[8];

/* The caller's variable changes between the returns, which is not this function's. */
static int attempt(int *left, int way)
{
    if (setjmp(one))
        return way;
    *left += 5;
    longjmp(one, 1);
}

/* Each call has a frame, also the last thing that a function does. */
static int down(int n)
{
    int code = setjmp(all[n]);
    if (code)
        return 10 * code + n;
    if (n == 0)
        longjmp(all[3], 7);
    return down(n - 1);
}

/* More than registers hold. */
static int wide(int n, int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m, int o, int p, int q)
{
    int code = setjmp(all[n]);
    if (code)
        return 3 * a + 4 * b + 5 * c + 6 * d + 7 * e + 8 * f + 9 * g + 10 * h + 11 * i + 12 * j + 13 * k + 14 * l + 15 * m + 16 * o + 17 * p + 18 * q + n;
    if (n == 0)
        longjmp(all[3], 7);
    return wide(n - 1, a + 1, b + 2, c + 3, d + 4, e + 5, f + 6, g + 7, h + 8, i + 9, j + 10, k + 11, l + 12, m + 13, o + 14, p + 15, q + 16);
}

/* The same where something is done behind the call. */
static int sum(int n)
{
    int code = setjmp(all[n]);
    if (code)
        return code + n;
    if (n == 1)
        longjmp(all[4], 100);
    return n * 1000 + sum(n - 1);
}

int main(void)
{
    int left = 1, came = 0;
    for (int k = 0; k < 3; k++)
        came += attempt(&left, k + 2);
    printf("%d %d\n", came, left);
    printf("%d %d\n", down(5), sum(6));
    printf("%d\n", wide(6, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    return left;
}
