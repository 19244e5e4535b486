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
    return failures;
}
