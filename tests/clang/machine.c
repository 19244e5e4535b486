/* A small machine: an assembler in two passes, with labels, and an interpreter with a stack, calls, memory and a trace. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPCODES(_) _(push, 1) _(pop, 0) _(dup, 0) _(swap, 0) _(over, 0) _(add, 0) _(sub, 0) _(mul, 0) _(div, 0) _(mod, 0) _(less, 0) _(equal, 0) \
    _(not, 0) _(jump, 1) _(jz, 1) _(call, 1) _(ret, 0) _(load, 0) _(store, 0) _(print, 0) _(halt, 0)
#define NAME(name, arg) OP_##name,
enum opcode { OPCODES(NAME) OPCODE_COUNT };
#define ROW(name, arg) {#name, arg},
static const struct { const char *name; int has_argument; } table[] = {OPCODES(ROW)};

struct instruction { uint8_t op; int32_t arg; };
struct program { struct instruction code[128]; int length; struct { char name[12]; int at; } labels[16]; int label_count; };

static int find_label(const struct program *p, const char *name) {
    for (int k = 0; k < p->label_count; k++) if (!strcmp(p->labels[k].name, name)) return p->labels[k].at;
    return -1;
}
static int assemble(struct program *p, const char *source) {
    for (int pass = 0; pass < 2; pass++) {
        p->length = 0;
        const char *s = source;
        for (;;) {
            char word[16];
            int n = 0;
            while (isspace((unsigned char)*s)) s++;
            if (!*s) break;
            while (*s && !isspace((unsigned char)*s) && n < 15) word[n++] = *s++;
            word[n] = 0;
            if (word[n - 1] == ':') {
                word[n - 1] = 0;
                if (pass == 0) { strcpy(p->labels[p->label_count].name, word); p->labels[p->label_count++].at = p->length; }
                continue;
            }
            int op = 0;
            while (op < OPCODE_COUNT && strcmp(table[op].name, word)) op++;
            if (op == OPCODE_COUNT) return -1;
            struct instruction *i = &p->code[p->length++];
            i->op = (uint8_t)op;
            if (table[op].has_argument) {
                while (isspace((unsigned char)*s)) s++;
                char *end;
                long value = strtol(s, &end, 0);
                if (end == s) {
                    n = 0;
                    while (*s && !isspace((unsigned char)*s) && n < 15) word[n++] = *s++;
                    word[n] = 0;
                    value = find_label(p, word);
                    if (pass == 1 && value < 0) return -2;
                } else s = end;
                i->arg = (int32_t)value;
            }
        }
    }
    return p->length;
}
enum fault { FINE, UNDERFLOW, ZERO, ADDRESS, STEPS };
static enum fault run(const struct program *p, int limit, int *steps) {
    int32_t stack[64], memory[32] = {0}, sp = 0, calls[32], cp = 0;
#define NEED(n) if (sp < (n)) return UNDERFLOW
#define BINARY(name, e) case OP_##name: { NEED(2); int32_t b = stack[--sp], a = stack[sp - 1]; stack[sp - 1] = (e); break; }
    for (int pc = 0; ++*steps <= limit; ) {
        struct instruction i = p->code[pc++];
        switch ((enum opcode)i.op) {
        case OP_push: stack[sp++] = i.arg; break;
        case OP_pop: NEED(1); sp--; break;
        case OP_dup: NEED(1); stack[sp] = stack[sp - 1]; sp++; break;
        case OP_swap: { NEED(2); int32_t t = stack[sp - 1]; stack[sp - 1] = stack[sp - 2]; stack[sp - 2] = t; break; }
        case OP_over: NEED(2); stack[sp] = stack[sp - 2]; sp++; break;
        BINARY(add, (int32_t)((uint32_t)a + (uint32_t)b)) BINARY(sub, (int32_t)((uint32_t)a - (uint32_t)b)) BINARY(mul, (int32_t)((uint32_t)a * (uint32_t)b))
        case OP_div: case OP_mod: {
            NEED(2);
            int32_t b = stack[--sp];
            if (b == 0) return ZERO;
            stack[sp - 1] = i.op == OP_div ? stack[sp - 1] / b : stack[sp - 1] % b;
            break;
        }
        BINARY(less, a < b) BINARY(equal, a == b)
        case OP_not: NEED(1); stack[sp - 1] = !stack[sp - 1]; break;
        case OP_jump: pc = i.arg; break;
        case OP_jz: NEED(1); if (!stack[--sp]) pc = i.arg; break;
        case OP_call: calls[cp++] = pc; pc = i.arg; break;
        case OP_ret: if (!cp) return UNDERFLOW; pc = calls[--cp]; break;
        case OP_load: NEED(1); if ((uint32_t)stack[sp - 1] > 31) return ADDRESS; stack[sp - 1] = memory[stack[sp - 1]]; break;
        case OP_store: NEED(2); sp -= 2; if ((uint32_t)stack[sp + 1] > 31) return ADDRESS; memory[stack[sp + 1]] = stack[sp]; break;
        case OP_print: NEED(1); printf("%d ", stack[--sp]); break;
        case OP_halt: return FINE;
        case OPCODE_COUNT: break;
        }
    }
    return STEPS;
}

int main(void) {
    static const char *const sources[] = {
        "push 10 loop: dup print push 1 sub dup jz done jump loop done: halt",
        "push 12 call fact print push -5 push 3 div print halt  fact: dup push 2 less jz more pop push 1 ret more: dup push 1 sub call fact mul ret",
        "push 0 push 1 store push 1 push 2 store again: push 2 load dup print push 1 load over add push 2 store push 1 store push 2 load push 1000 less jz end jump again end: halt",
        "push 2 next: dup push 60 less jz end push 2 try: over over swap less jz prime over over mod jz composite push 1 add jump try prime: over print composite: pop push 1 add jump next end: halt",
        "push 0x7fffffff push 2 mul print add halt", "push 1 push 0 mod halt", "push 5 push 99 store", "spin: jump spin", "push 1 bogus", "jump nowhere"};
    static const char *const faults[] = {"fine", "underflow", "zero", "address", "steps"};
    int total = 0;
    for (int k = 0; k < 10; k++) {
        struct program p = {.label_count = 0};
        int n = assemble(&p, sources[k]), steps = 0;
        if (n < 0) printf("error %d\n", n);
        else { enum fault f = run(&p, 20000, &steps); printf("| %d %s %d\n", n, faults[f], steps); }
        total += steps;
    }
    return total % 200;
}
