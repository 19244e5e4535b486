/* Switches: dense, sparse, with ranges, on all widths, that fall through, and a machine for a small language. */
#include <stdio.h>

enum op { PUSH, ADD, SUB, MUL, DUP, SWAP, JNZ, PRINT, HALT };

static int dense(int x) {
    switch (x) {
    case 0: return 10;
    case 1: return 21;
    case 2: return 12;
    case 3: return 33;
    case 4: return 14;
    case 5: return 5;
    case 6: return 46;
    case 7: return 97;
    default: return -1;
    }
}

static int sparse(long long x) {
    switch (x) {
    case -5000000000LL: return 1;
    case -1: return 2;
    case 3: return 3;
    case 1000: return 4;
    case 5000000000LL: return 5;
    case 0x7fffffffffffffffLL: return 6;
    }
    return 0;
}

static int kind(unsigned char c) {
    switch (c) {
    case '0' ... '9': return 'd';
    case 'a' ... 'z':
    case 'A' ... 'Z':
    case '_': return 'l';
    case ' ':
    case '\t': return 'b';
    case 200 ... 255: return 'h';
    default: return 'o';
    }
}

static int falls(short n) {
    int r = 0;
    switch (n) {
    case 3: r += 100;
    case 2: r += 10;
    case 1: r += 1; break;
    case -1: r = -1;
    default: r -= 7;
    }
    return r;
}

static void machine(const int *code) {
    int stack[16], top = 0, steps = 0;
    for (int at = 0; steps < 1000; steps++) {
        switch (code[at++]) {
        case PUSH: stack[top++] = code[at++]; break;
        case ADD: top--; stack[top - 1] += stack[top]; break;
        case SUB: top--; stack[top - 1] -= stack[top]; break;
        case MUL: top--; stack[top - 1] *= stack[top]; break;
        case DUP: stack[top] = stack[top - 1]; top++; break;
        case SWAP: { int t = stack[top - 1]; stack[top - 1] = stack[top - 2]; stack[top - 2] = t; break; }
        case JNZ: at = stack[--top] ? code[at] : at + 1; break;
        case PRINT: printf("%d ", stack[top - 1]); break;
        case HALT: printf("\n"); return;
        }
    }
}

int main(void) {
    for (int x = -2; x < 10; x++) printf("%d ", dense(x));
    long long s[] = {-5000000000LL, -1, 0, 3, 1000, 705032704, 5000000000LL, 0x7fffffffffffffffLL};
    for (int k = 0; k < 8; k++) printf("%d ", sparse(s[k]));
    for (int c = 0; c < 256; c += 5) putchar(kind(c));
    for (short n = -3; n < 6; n++) printf("%d ", falls(n));
    int code[] = {PUSH, 1, PUSH, 5, DUP, PRINT, PUSH, 1, SUB, DUP, JNZ, 4, PRINT, HALT};
    machine(code);
    return 0;
}
