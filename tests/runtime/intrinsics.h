/* The intrinsics of the runtime library's source, and what its stubs do, in C: the library reads from and writes to memory. */
#include <string.h>

static inline int __and(int a, int b) { return a & b; }
static inline int __or(int a, int b) { return a | b; }
static inline int __shl(int a, int b) { return (int)((unsigned)a << b); }
static inline int __shr(int a, int b) { return (int)((unsigned)a >> b); }
static inline int __udiv(int a, int b) { return (int)((unsigned)a / (unsigned)b); }
static inline int __urem(int a, int b) { return (int)((unsigned)a % (unsigned)b); }
static inline int __load8(int a[], int i) { return ((unsigned char *)a)[i]; }
static inline void __store8(int a[], int i, int x) { ((unsigned char *)a)[i] = (unsigned char)x; }
static inline float __load_float(int a[], int i) {
    float x;
    memcpy(&x, a + i, 4);
    return x;
}
static inline void __store_float(int a[], int i, float x) { memcpy(a + i, &x, 4); }

int __read(int stream, int a[], int n);
int __write(int stream, int a[], int n);
static inline int __ioctl(int stream, int request, int a[]) {
    (void)stream, (void)request, (void)a;
    return -25;
}
