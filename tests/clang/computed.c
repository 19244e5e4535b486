/* Addresses of labels: threaded code, tables of labels in data and on the stack, a matcher, jumps out of loops. */
#include <stdio.h>
#include <string.h>

static int run(const unsigned char *code, int *stack) {
    static const void *const labels[] = {&&halt, &&push, &&add, &&mul, &&dup, &&jnz, &&dec, &&drop};
    int sp = 0, steps = 0;
#define NEXT do { steps++; goto *labels[*code++]; } while (0)
    NEXT;
push: stack[sp++] = *code++; NEXT;
add: sp--; stack[sp - 1] += stack[sp]; NEXT;
mul: sp--; stack[sp - 1] *= stack[sp]; NEXT;
dup: stack[sp] = stack[sp - 1]; sp++; NEXT;
jnz: if (stack[sp - 1]) code -= *code; else code++; NEXT;
dec: stack[sp - 1]--; NEXT;
drop: sp--; NEXT;
halt: return steps * 1000 + stack[0];
}
static int words(const char *s) {
    const void *const states[2] = {&&outside, &&inside};
    int state = 0, n = 0;
next:
    if (!*s) return n;
    goto *states[state];
outside:
    if (*s != ' ') state = 1, n++;
    s++;
    goto next;
inside:
    if (*s == ' ') state = 0;
    s++;
    goto next;
}
static int chosen(int k) {
    void *to = k > 2 ? &&large : k == 0 ? &&none : &&small;
    int r = 1;
    for (int i = 0; i < 10; i++) {
        r += i;
        if (i == k + 3) goto *to;
    }
    return -1;
large: r *= 2;
small: r += 100;
none: return r;
}

int main(void) {
    static const unsigned char square_sum[] = {1, 0, 1, 9, 7, 1, 3, 4, 3, 2, 1, 5, 6, 5, 2, 7, 0};
    int stack[16];
    printf("%d\n", run(square_sum, stack));
    printf("%d %d %d\n", words("four words are here"), words("  "), words("one"));
    printf("%d %d %d %d\n", chosen(0), chosen(1), chosen(5), chosen(50));
    return 3;
}
