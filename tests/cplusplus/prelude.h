// What all programs here share: no header, no library but the C library's.
extern "C" int printf(const char *, ...);
extern "C" void *malloc(decltype(sizeof 0));
extern "C" void free(void *);
typedef decltype(sizeof 0) size;
typedef unsigned char byte;
typedef unsigned long long word;

inline void *operator new(size, void *at) noexcept { return at; }

// What the C++ library has for locals that are made once, and for tables of functions that are not there.
extern "C" __attribute__((weak)) int __cxa_guard_acquire(byte *made) { return !*made; }
extern "C" __attribute__((weak)) void __cxa_guard_release(byte *made) { *made = 1; }
extern "C" __attribute__((weak)) void __cxa_pure_virtual() { printf("pure\n"); }

template <class T> T hidden(T x) {
    volatile T kept = x;
    return kept;
}
inline void num(long long x) { printf("%lld ", x); }
inline void line() { printf("\n"); }
