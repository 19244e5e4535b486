/* What parts.ll says of itself, checked from outside. Prints the lines of what is wrong. */
#include <stdint.h>
#include <stdio.h>

static int failures;
#define CHECK(condition) ((condition) ? (void)0 : (void)(failures++, printf("%d: %s\n", __LINE__, #condition)))

/* Names: of registers, and such as only quotes can write. */
int f1(int), r0(int), x0(int), a0(void);
int dollar(void) __asm__("a$b");
extern int counter, sp;

/* Defined here, and named there. */
int shared = 40;
int shared_array[4] = {1, 2, 3, 4};
int fp(int x) { return x + 1; }
int twice(int x) { return 2 * x; }

/* Weak there: one has another definition here. */
int overridden = 9;
int overridden_function(int x) { return x * 100; }
extern int not_overridden;
int not_overridden_function(int);
int sum_of_weak(void);

/* A function of the name of a library function that writes. */
void putarray(int n, int *a) { a[0] = n; }
int calls_foreign(int *a);

/* Alignment, and arrays of pointers. */
extern char small, aligned_zeros[3];
extern const char aligned_constant[3];
extern int aligned;
extern int *pointers[3];
void fill_pointers(int *);
int is_aligned(void *p, int align) { return (uintptr_t)p % align == 0; }
int aligned_local(void);

/* Narrow values: what is beyond them in a register is as the ABI says, which is what `volatile` and gcc see. */
signed char c_signed(signed char a, unsigned char b, _Bool c) { return (int)a * 2 == a + (signed char)b && c == 1 && b > 200 ? a : 1; }
unsigned char c_unsigned(unsigned char a) { return a / 2; }
_Bool c_truth(_Bool a) { return !a; }
signed char ll_signed(signed char, unsigned char, _Bool);
unsigned char ll_unsigned(unsigned char);
_Bool ll_truth(_Bool);
int calls_narrow(int);

int first_own(int, int *);
int equal_bytes(void), to_int(float), nan_to_int(void), frozen(void);

int main(void) {
    CHECK(f1(3) == 3 + 40 + 3);
    CHECK(r0(1) == 2 && x0(2) == 4 && a0() == 5);
    CHECK(dollar() == 12);
    CHECK(counter == 6 && sp == 77);
    CHECK(not_overridden == 3 && not_overridden_function(2) == 4);
    CHECK(sum_of_weak() == 9 + 3 + 500 + 10);
    int a[2] = {1, 2};
    CHECK(calls_foreign(a) == 7);
    CHECK(is_aligned(&aligned, 256) && is_aligned(aligned_zeros, 64) && is_aligned((void *)aligned_constant, 32));
    CHECK(aligned_local() == 3 && small == 1);
    fill_pointers(a);
    CHECK(pointers[0] == a && pointers[1] == 0 && pointers[2] == a && sizeof pointers == 3 * sizeof(int *));
    CHECK(ll_signed(-100, 3, 1) == -96 && ll_signed(100, 100, 0) == -56);
    CHECK(ll_unsigned(100) == 44 && ll_unsigned(3) == 9);
    CHECK(ll_truth(0) == 1 && ll_truth(1) == 0);
    CHECK(calls_narrow(140) == -16 + 1000 * 120);
    CHECK(equal_bytes() == 14);
    float zero = 0;
    volatile float nan = zero / zero;
    CHECK(to_int(nan) == 0 && to_int(-nan) == 0 && nan_to_int() == 0);
    CHECK(to_int(-3.7f) == -3 && to_int(1e20f) == INT32_MAX && to_int(-1e20f) == INT32_MIN);
    CHECK(frozen() == 1);
    CHECK(first_own(0, a) == 5 && first_own(2, a + 1) == 2);
    return failures;
}
