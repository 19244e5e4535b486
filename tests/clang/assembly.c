// Inline assembly: instructions with operands, several results, early and other clobbers, immediates, memory, flags from one
// instruction to the next, registers that are named, barriers; beside the same in C.
#include <stdint.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline))

NOINLINE static uint32_t plus(uint32_t a, uint32_t b) {
    uint32_t r;
#if defined(__aarch64__)
    __asm__("add %w0, %w1, %w2" : "=r"(r) : "r"(a), "r"(b));
#elif defined(__arm__)
    __asm__("add %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
#elif defined(__riscv)
    __asm__("addw %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
#else
    r = a + b;
#endif
    return r;
}

// A product of two words: two results where the machine has two words.
NOINLINE static uint64_t product(uint32_t a, uint32_t b) {
#if defined(__aarch64__)
    uint64_t r;
    __asm__("umull %0, %w1, %w2" : "=r"(r) : "r"(a), "r"(b));
    return r;
#elif defined(__arm__)
    uint32_t low, high;
    __asm__("umull %0, %1, %2, %3" : "=&r"(low), "=&r"(high) : "r"(a), "r"(b));
    return (uint64_t)high << 32 | low;
#elif defined(__riscv)
    uint64_t r;
    __asm__("mul %0, %1, %2" : "=r"(r) : "r"((uint64_t)a), "r"((uint64_t)b));
    return r;
#else
    return (uint64_t)a * b;
#endif
}

// The upper half of a product of 64 bits, and the lower one.
NOINLINE static uint64_t halves(uint64_t a, uint64_t b, uint64_t *low) {
#if defined(__aarch64__)
    uint64_t high, rest;
    __asm__("mul %0, %2, %3\n\tumulh %1, %2, %3" : "=&r"(rest), "=r"(high) : "r"(a), "r"(b));
    *low = rest;
    return high;
#elif defined(__riscv)
    uint64_t high, rest;
    __asm__ volatile("mul %0, %2, %3; mulhu %1, %2, %3 # the upper half" : "=&r"(rest), "=r"(high) : "r"(a), "r"(b));
    *low = rest;
    return high;
#else
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t middle = (a0 * b0 >> 32) + (uint32_t)(a1 * b0) + (uint32_t)(a0 * b1);
    *low = a * b;
    return a1 * b1 + (a1 * b0 >> 32) + (a0 * b1 >> 32) + (middle >> 32);
#endif
}

// A sum that carries from one word to the next: the flags go from one instruction to the next.
NOINLINE static uint64_t carrying(uint64_t a, uint64_t b, uint64_t *high, uint64_t c, uint64_t d) {
#if defined(__aarch64__)
    uint64_t low, up;
    __asm__("adds %0, %2, %4\n adc %1, %3, %5" : "=&r"(low), "=r"(up) : "r"(a), "r"(c), "r"(b), "r"(d) : "cc");
    *high = up;
    return low;
#elif defined(__arm__)
    uint32_t r0 = (uint32_t)a, r1 = a >> 32, r2 = (uint32_t)c, r3 = c >> 32;
    __asm__("adds %0, %0, %4\n\tadcs %1, %1, %5\n\tadcs %2, %2, %6\n\tadc %3, %3, %7"
            : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r3)
            : "r"((uint32_t)b), "r"((uint32_t)(b >> 32)), "r"((uint32_t)d), "r"((uint32_t)(d >> 32))
            : "cc");
    *high = (uint64_t)r3 << 32 | r2;
    return (uint64_t)r1 << 32 | r0;
#elif defined(__riscv)
    uint64_t low, up, carry;
    __asm__("add %0, %3, %5\n sltu %2, %0, %3\n add %1, %4, %6\n add %1, %1, %2"
            : "=&r"(low), "=&r"(up), "=&r"(carry)
            : "r"(a), "r"(c), "r"(b), "r"(d));
    *high = up;
    return low;
#else
    *high = c + d + (a + b < a);
    return a + b;
#endif
}

NOINLINE static uint32_t turned(uint32_t x) {
#if defined(__aarch64__)
    uint32_t r;
    __asm__("rev %w0, %w1" : "=r"(r) : "r"(x));
    return r;
#elif defined(__arm__)
    uint32_t r;
    __asm__("REV\t%0, %1" : "=r"(r) : "r"(x));
    return r;
#else
    return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
#endif
}

// Operands that are read and written, immediates, registers that are named.
NOINLINE static int32_t steps(int32_t x) {
#if defined(__aarch64__)
    __asm__("add %w0, %w0, %1\n\tlsl w9, %w0, #3\n\tsub %w0, w9, %w0" : "+r"(x) : "i"(25) : "x9");
#elif defined(__arm__)
    __asm__("add %0, %0, %1\n\tlsl r12, %0, #3\n\tsub %0, r12, %0" : "+r"(x) : "i"(25) : "r12");
#elif defined(__riscv)
    __asm__("addiw %0, %0, %1\n\tslliw t0, %0, 3\n\tsubw %0, t0, %0" : "+r"(x) : "i"(25) : "t0");
#else
    x = (int32_t)(((uint32_t)x + 25) * 7);
#endif
    return x;
}

// Memory as an operand, and by an address with an offset.
NOINLINE static uint32_t loaded(uint32_t *p) {
    uint32_t a = 0, b = 0;
#if defined(__aarch64__)
    __asm__("ldr %w0, %1" : "=r"(a) : "Q"(p[0]));
    __asm__ volatile("ldr %w0, [%1, #4]\n\tstr %w2, [%1]" : "=&r"(b) : "r"(p), "r"(a + 1) : "memory");
#elif defined(__arm__)
    __asm__("ldr %0, %1" : "=r"(a) : "Q"(p[0]));
    __asm__ volatile("ldr %0, [%1, #4]\n\tstr %2, [%1]" : "=&r"(b) : "r"(p), "r"(a + 1) : "memory");
#elif defined(__riscv)
    __asm__("lw %0, %1" : "=r"(a) : "A"(p[0]));
    __asm__ volatile("lw %0, 4(%1)\n\tsw %2, (%1)" : "=&r"(b) : "r"(p), "r"(a + 1) : "memory");
#else
    a = p[0], b = p[1], p[0] = a + 1;
#endif
    return a * 1000 + b;
}

NOINLINE static double root(double x, double y) {
#if defined(__aarch64__)
    double r;
    __asm__("fmul %d0, %d1, %d2\n\tfsub %d0, %d0, %d2" : "=&w"(r) : "w"(x), "w"(y));
    return r;
#elif defined(__arm__)
    double r;
    __asm__("vmul.f64 %P0, %P1, %P2\n\tvsub.f64 %P0, %P0, %P2" : "=&w"(r) : "w"(x), "w"(y));
    return r;
#elif defined(__riscv)
    double r;
    __asm__("fmul.d %0, %1, %2\n\tfsub.d %0, %0, %2" : "=&f"(r) : "f"(x), "f"(y));
    return r;
#else
    return x * y - y;
#endif
}

NOINLINE static float single(float x, float y) {
#if defined(__aarch64__)
    __asm__("fadd %s0, %s0, %s1" : "+w"(x) : "w"(y));
#elif defined(__arm__)
    __asm__("vadd.f32 %0, %0, %1" : "+t"(x) : "t"(y));
#elif defined(__riscv)
    __asm__("fadd.s %0, %0, %1" : "+f"(x) : "f"(y));
#else
    x += y;
#endif
    return x;
}

// Narrow values: nothing is known of what is above them.
NOINLINE static int8_t narrow(int8_t a, int16_t b) {
#if defined(__aarch64__)
    int8_t r;
    __asm__("add %w0, %w1, %w2" : "=r"(r) : "r"(a), "r"(b));
    return r;
#elif defined(__arm__) || defined(__riscv)
    int8_t r;
    __asm__("add %0, %1, %2" : "=r"(r) : "r"(a), "r"(b));
    return r;
#else
    return (int8_t)(a + b);
#endif
}

static inline void fences(void) {
#if defined(__aarch64__)
    __asm__ volatile("dmb ish" ::: "memory");
    __asm__ volatile("dmb ishld\n\tdmb ishst\n\tisb\n\tyield\n\tnop" ::: "memory");
#elif defined(__arm__)
    __asm__ volatile("dmb ish" ::: "memory");
    __asm__ volatile("dmb ishst\n\tisb\n\tyield\n\tnop" ::: "memory");
#elif defined(__riscv)
    __asm__ volatile("fence rw, rw" ::: "memory");
    __asm__ volatile("fence\n\tfence r, rw\n\tnop" ::: "memory");
#endif
}

// What compilers must not know.
#define HIDE(x) __asm__ volatile("" : "+r"(x))

typedef int four __attribute__((vector_size(16)));

NOINLINE static int lanes(four v) {
#if defined(__aarch64__) || defined(__arm__)
    __asm__("" : "+w"(v));
#endif
    return v[0] + 2 * v[1] + 3 * v[2] + 4 * v[3];
}

#if defined(__aarch64__) || defined(__riscv)
// The process's number, by a call of the system.
static long number(void) {
#if defined(__aarch64__)
    register long which __asm__("x8") = 172;
    register long result __asm__("x0");
    __asm__ volatile("svc #0" : "=r"(result) : "r"(which) : "memory", "cc");
#else
    register long which __asm__("a7") = 172;
    register long result __asm__("a0");
    __asm__ volatile("ecall" : "=r"(result) : "r"(which) : "memory");
#endif
    return result;
}

static long write_out(const char *text, long length) {
#if defined(__aarch64__)
    register long which __asm__("x8") = 64;
    register long a0 __asm__("x0") = 1;
    register const char *a1 __asm__("x1") = text;
    register long a2 __asm__("x2") = length;
    __asm__ volatile("svc 0" : "+r"(a0) : "r"(which), "r"(a1), "r"(a2) : "memory");
#else
    register long which __asm__("a7") = 64;
    register long a0 __asm__("a0") = 1;
    register const char *a1 __asm__("a1") = text;
    register long a2 __asm__("a2") = length;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(which), "r"(a1), "r"(a2) : "memory");
#endif
    return a0;
}
#else
static long number(void) { return 1; }
static long write_out(const char *text, long length) { return (long)fwrite(text, 1, (size_t)length, stdout); }
#endif

int main(void) {
    uint32_t seed = 12345, sum = 0;
    uint64_t wide = 0x123456789abcdef0u;
    for (int k = 0; k < 50; k++) {
        seed = seed * 1103515245u + 12345u;
        uint32_t a = seed, b = seed >> 7 | seed << 25;
        uint64_t low, high, x = (uint64_t)a << 32 | b, y = x * 0x9e3779b97f4a7c15u;
        sum = plus(sum, turned(plus(a, b)));
        wide ^= product(a, b);
        wide += halves(x, y, &low);
        wide ^= low;
        low = carrying(x, y, &high, wide, y);
        wide += low ^ high;
        HIDE(a);
        sum += a ^ (uint32_t)steps((int32_t)b);
        fences();
    }
    printf("%u %llu\n", sum, (unsigned long long)wide);
    uint32_t places[2] = {41, 7};
    uint32_t first = loaded(places);
    printf("%u %u %u\n", first, places[0], places[1]);
    printf("%d %g %g\n", steps(-30), root(1.5, 4), single(0.25f, 3));
    for (int k = -3; k < 4; k++)
        printf("%d ", narrow((int8_t)(k * 50), (int16_t)(k * 77)));
    four v = {1, 2, 3, 4};
    printf("%d\n", lanes(v));
    fflush(stdout);
    long length = write_out("written\n", 8);
    printf("%ld %d\n", length, number() > 0);
    return 0;
}
