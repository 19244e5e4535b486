/* A stack machine of 14 operations that counts primes, for what a switch costs (generated-code.md). With -DLABELS it goes on
 * by the addresses of labels (`goto *`). Prints 1117. */
#include <stdio.h>

enum { PUSH, LOAD, STORE, ADD, SUB, MUL, REM, LESS, EQUAL, JUMP, JUMP_IF_NOT, DUP, PRINT, HALT };

static const short program[] = {
    PUSH, 2, STORE, 0, PUSH, 0, STORE, 1,
    /* 8: while n < 9000 */
    LOAD, 0, PUSH, 9000, LESS, JUMP_IF_NOT, 68,
    /* 15: for d = 2; d * d < n + 1 */
    PUSH, 2, STORE, 2,
    LOAD, 2, DUP, MUL, LOAD, 0, PUSH, 1, ADD, LESS, JUMP_IF_NOT, 52,
    /* 31: if n % d == 0, it is no prime; d++ */
    LOAD, 0, LOAD, 2, REM, PUSH, 0, EQUAL, JUMP_IF_NOT, 43, JUMP, 59,
    /* 43 */
    LOAD, 2, PUSH, 1, ADD, STORE, 2, JUMP, 19,
    /* 52: count++ */
    LOAD, 1, PUSH, 1, ADD, STORE, 1,
    /* 59: n++ */
    LOAD, 0, PUSH, 1, ADD, STORE, 0, JUMP, 8,
    /* 68 */
    LOAD, 1, PRINT, HALT,
};

static int run(const short *code) {
    int stack[16], memory[4] = {0}, top = 0, at = 0;
#ifdef LABELS
    static void *const to[] = {&&push, &&load, &&store, &&add, &&sub, &&mul, &&rem, &&less, &&equal, &&jump, &&jump_if_not, &&dup, &&print, &&halt};
#define NEXT goto *to[code[at++]]
#define CASE(name, label) label
    NEXT;
#else
#define NEXT continue
#define CASE(name, label) case name
    for (;;)
        switch (code[at++]) {
#endif
    CASE(PUSH, push): stack[top++] = code[at++]; NEXT;
    CASE(LOAD, load): stack[top++] = memory[code[at++]]; NEXT;
    CASE(STORE, store): memory[code[at++]] = stack[--top]; NEXT;
    CASE(ADD, add): top--; stack[top - 1] += stack[top]; NEXT;
    CASE(SUB, sub): top--; stack[top - 1] -= stack[top]; NEXT;
    CASE(MUL, mul): top--; stack[top - 1] *= stack[top]; NEXT;
    CASE(REM, rem): top--; stack[top - 1] %= stack[top]; NEXT;
    CASE(LESS, less): top--; stack[top - 1] = stack[top - 1] < stack[top]; NEXT;
    CASE(EQUAL, equal): top--; stack[top - 1] = stack[top - 1] == stack[top]; NEXT;
    CASE(JUMP, jump): at = code[at]; NEXT;
    CASE(JUMP_IF_NOT, jump_if_not): at = stack[--top] ? at + 1 : code[at]; NEXT;
    CASE(DUP, dup): stack[top] = stack[top - 1]; top++; NEXT;
    CASE(PRINT, print): printf("%d\n", stack[--top]); NEXT;
    CASE(HALT, halt): return top;
#ifndef LABELS
        }
#endif
}

int main(void) { return run(program); }
