/* Fixed point: 16.16 and 32.32 numbers, CORDIC, roots, a fractal, filters, saturation, money, angles of 16 bits. */
#include <stdint.h>
#include <stdio.h>

typedef int32_t fix;
#define ONE 65536
#define FIX(x) ((fix)((x) * ONE))
static fix times(fix a, fix b) { return (fix)(((int64_t)a * b + 0x8000) >> 16); }
static fix over(fix a, fix b) { return (fix)(((int64_t)a * ONE) / b); }
static fix saturated(int64_t x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (fix)x; }
static fix plus(fix a, fix b) { return saturated((int64_t)a + b); }
static fix root(fix x) {
    uint64_t n = (uint64_t)(uint32_t)x << 16, r = 0;
    for (uint64_t bit = 1ull << 46; bit; bit >>= 2) {
        if (n >= r + bit) n -= r + bit, r = r >> 1 | bit;
        else r >>= 1;
    }
    return (fix)r;
}
static const fix angles[] = {51472, 30386, 16055, 8150, 4091, 2047, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2};
static void turn(fix angle, fix *cosine, fix *sine) {
    fix x = 39797, y = 0;
    for (int k = 0; k < 16; k++) {
        fix dx = y >> k, dy = x >> k;
        if (angle >= 0) x -= dx, y += dy, angle -= angles[k];
        else x += dx, y -= dy, angle += angles[k];
    }
    *cosine = x, *sine = y;
}
static char *show(fix x, char *to) {
    uint32_t magnitude = x < 0 ? -(uint32_t)x : (uint32_t)x;
    sprintf(to, "%s%u.%04u", x < 0 ? "-" : "", magnitude >> 16, (unsigned)(((magnitude & 0xffff) * 10000ull + 0x8000) >> 16));
    return to;
}
static int16_t wrapped_sine(uint16_t angle) {
    int32_t x = (int16_t)(angle << 1) >> 1, quadrant = angle >> 14 & 3;
    x = (int32_t)(angle & 0x3fff);
    if (quadrant & 1) x = 0x4000 - x;
    int32_t square = x * x >> 14;
    int32_t y = x * (25736 - (square * (10563 - (square * 1215 >> 14)) >> 14)) >> 13;
    y = y > 32767 ? 32767 : y;
    return (int16_t)(quadrant & 2 ? -y : y);
}
static int escapes(fix cx, fix cy) {
    fix x = 0, y = 0;
    int n = 0;
    for (; n < 32; n++) {
        fix xx = times(x, x), yy = times(y, y);
        if (xx + yy > 4 * ONE) break;
        y = 2 * times(x, y) + cy;
        x = xx - yy + cx;
    }
    return n;
}
static int64_t wide_times(int64_t a, int64_t b) {
    int negative = (a < 0) != (b < 0);
    uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a, y = b < 0 ? -(uint64_t)b : (uint64_t)b;
    uint64_t xl = (uint32_t)x, xh = x >> 32, yl = (uint32_t)y, yh = y >> 32;
    uint64_t r = (xh * yh << 32) + xh * yl + xl * yh + (xl * yl >> 32);
    return (int64_t)(negative ? -r : r);
}
struct money { int64_t cents; };
static struct money interest(struct money m, int basis) {
    int64_t x = m.cents * basis, half = x < 0 ? -5000 : 5000, q = (x + half) / 10000, r = (x + half) % 10000;
    if (r == 0 && q % 2) q -= x < 0 ? -1 : 1;
    return (struct money){m.cents + q};
}

int main(void) {
    char a[24], b[24], c[24];
    static const fix values[] = {FIX(1.5), FIX(-2.25), FIX(0.0001), FIX(32767.5), FIX(-0.3333), FIX(100)};
    for (int k = 0; k < 6; k++) {
        fix x = values[k], y = values[(k + 1) % 6];
        printf("%s %s %s ", show(times(x, y % (50 * ONE)), a), show(plus(x, y), b), show(over(x, y ? y | 0x4000 : 1), c));
        printf("%s\n", show(root(x < 0 ? -x : x), a));
    }
    for (int k = -6; k <= 6; k += 3) {
        fix cosine, sine;
        turn(k * 16384, &cosine, &sine);
        printf("%s %s ", show(cosine, a), show(sine, b));
    }
    printf("\n");
    for (unsigned k = 0; k < 65536; k += 5461) printf("%d ", wrapped_sine((uint16_t)k));
    printf("\n");
    for (int y = -6; y <= 6; y++) {
        for (int x = -28; x < 10; x++) putchar(" .,:;!+=xX%&#@$*W"[escapes(x * 4800, y * 12000) / 2]);
        putchar('\n');
    }
    int64_t wide = 0x1921fb54442, e = (int64_t)2 << 32;
    for (int k = 0; k < 20; k++) wide = wide_times(wide, e - ((int64_t)k << 28)) % ((int64_t)1 << 44) - 12345;
    fix filter = 0;
    for (int k = 0; k < 50; k++) filter += (fix)(((int64_t)((k * 7919 % 1000) * ONE - filter) * 6554) >> 16);
    struct money m = {123456};
    for (int k = 0; k < 20; k++) m = interest(m, k % 3 == 0 ? -175 : 425);
    printf("%lld %s %lld\n", (long long)wide, show(filter, a), (long long)m.cents);
    return escapes(FIX(-0.75), FIX(0.1));
}
