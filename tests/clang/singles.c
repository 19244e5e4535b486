/* Floats of single size: arithmetic with rounding at each step, tiny and huge ones, vectors of three, splines, colours, sums. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#pragma STDC FP_CONTRACT OFF

typedef struct { float x, y, z; } vec;
typedef struct { float m[4][4]; } mat;
static uint32_t bits(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static vec add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static vec scale(vec a, float s) { return (vec){a.x * s, a.y * s, a.z * s}; }
static float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec cross(vec a, vec b) { return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
static vec unit(vec a) { return scale(a, 1 / sqrtf(dot(a, a))); }
static mat times(mat a, mat b) {
    mat r = {{{0}}};
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) for (int k = 0; k < 4; k++) r.m[i][j] += a.m[i][k] * b.m[k][j];
    return r;
}
static vec through(const mat *m, vec v) {
    float w = m->m[3][0] * v.x + m->m[3][1] * v.y + m->m[3][2] * v.z + m->m[3][3];
    return (vec){(m->m[0][0] * v.x + m->m[0][1] * v.y + m->m[0][2] * v.z + m->m[0][3]) / w, (m->m[1][0] * v.x + m->m[1][1] * v.y + m->m[1][2] * v.z + m->m[1][3]) / w,
                 (m->m[2][0] * v.x + m->m[2][1] * v.y + m->m[2][2] * v.z + m->m[2][3]) / w};
}
static float spline(float a, float b, float c, float d, float t) {
    return b + 0.5f * t * (c - a + t * (2.0f * a - 5.0f * b + 4.0f * c - d + t * (3.0f * (b - c) + d - a)));
}
static uint32_t color(float r, float g, float b) {
    float top = fmaxf(r, fmaxf(g, b));
    if (top > 1) r /= top, g /= top, b /= top;
    return (uint32_t)(r * 255 + 0.5f) << 16 | (uint32_t)(g * 255 + 0.5f) << 8 | (uint32_t)(b * 255 + 0.5f);
}
static int hit(vec from, vec to, vec center, float radius, float *at) {
    vec d = add(from, scale(center, -1));
    float a = dot(to, to), b = 2 * dot(d, to), c = dot(d, d) - radius * radius, e = b * b - 4 * a * c;
    if (e < 0) return 0;
    *at = (-b - sqrtf(e)) / (2 * a);
    return *at > 0;
}
static float newton(float x) { float y = x; for (int k = 0; k < 8; k++) y -= (y * y * y - x) / (3 * y * y); return y; }
static uint16_t half(float f) {
    uint32_t u = bits(f), sign = u >> 16 & 0x8000, m = u & 0x7fffff;
    int e = (int)(u >> 23 & 255) - 112;
    if (e >= 31) return (uint16_t)(sign | 0x7c00 | (e == 143 && m ? 0x200 : 0));
    if (e <= 0) return e < -10 ? (uint16_t)sign : (uint16_t)(sign | ((m | 0x800000) >> (14 - e)));
    return (uint16_t)(sign | (uint32_t)e << 10 | m >> 13);
}

int main(void) {
    volatile float one = 1, three = 3, tiny = FLT_MIN, huge = FLT_MAX, none = 0;
    printf("%08x %08x %08x %08x\n", bits(one / three), bits(tiny / 8), bits(huge * 2), bits(-none));
    printf("%08x %08x %08x %08x\n", bits(one + FLT_EPSILON / 2), bits(one + FLT_EPSILON), bits(0.1f + 0.2f), bits((float)(0.1 + 0.2)));
    printf("%d %d %d %d\n", none / none == none / none, one / none > huge, tiny / 1e30f == 0, -none == none);
    float sum = 0, lost = 0, plain = 0;
    for (int k = 1; k <= 5000; k++) {
        float y = 1.0f / (float)k - lost, t = sum + y;
        lost = (t - sum) - y, sum = t;
        plain += 1.0f / (float)k;
    }
    printf("%.9g %.9g\n", sum, plain);
    vec a = {1, 2, 3}, b = {-2, 0.5f, 4}, n = unit(cross(a, b));
    printf("%.8g %.8g %.8g %.8g\n", n.x, n.y, n.z, dot(n, a));
    mat m = {{{0.5f, 0, 0.25f, 1}, {0, 2, 0, -1}, {-0.25f, 0, 0.5f, 3}, {0, 0, 0.125f, 1}}}, p = times(m, times(m, m));
    vec v = through(&p, a);
    printf("%.8g %.8g %.8g %.8g\n", v.x, v.y, v.z, p.m[3][2]);
    for (int k = 0; k <= 8; k++) printf("%.6g ", spline(0, 1, -1, 2, (float)k / 8));
    printf("\n%06x %06x %06x\n", color(0.5f, 0.25f, 1), color(2, 1, 0.5f), color(0.999f, 0.001f, 0));
    for (int y = 0; y < 8; y++) {
        for (int x = 0; x < 16; x++) {
            float at = 0;
            vec to = {((float)x - 7.5f) / 8, ((float)y - 3.5f) / 4, 2};
            putchar(hit((vec){0, 0, -3}, to, (vec){0.2f, 0, 1}, 1.2f, &at) ? "#*+-."[(int)(at * 8) % 5] : ' ');
        }
        putchar('|');
    }
    printf("\n%.7g %.7g %.7g\n", newton(27), newton(2), newton(-0.001f));
    static const float halves[] = {0, 1, -2, 65504, 65536, 0.1f, 6e-8f, 1e-5f, -0.333f};
    for (int k = 0; k < 9; k++) printf("%04x ", half(halves[k]));
    int32_t n32 = 16777217;
    printf("%d %d %.9g %.9g\n", (int)(float)n32 - n32, (float)n32 == n32, (float)-7 / 2, fmodf(-7.5f, 2));
    float step = 1;
    int count = 0;
    while (step / 2 + 1 > 1) step = step / 2, count++;
    for (float f = 1; f > 0; f /= 2) count++;
    return count;
}
