// Switches that yield strings and numbers: tables of addresses, which clang makes differences of addresses of.
#include <stdio.h>
#include <string.h>

__attribute__((noinline)) const char *name(int x) {
    switch (x) {
    case 0: return "zero";
    case 1: return "one";
    case 2: return "two";
    case 3: return "three";
    case 4: return "four";
    case 5: return "five";
    case 6: return "six";
    case 8: return "eight";
    }
    return "many";
}

static const char letters[] = "abcdefgh";

__attribute__((noinline)) const char *inside(unsigned x) {
    switch (x) {
    case 10: return letters + 3;
    case 11: return letters;
    case 12: return letters + 7;
    case 13: return "other";
    case 14: return letters + 1;
    default: return 0;
    }
}

__attribute__((noinline)) double weight(int x) {
    switch (x) {
    case -2: return 0.5;
    case -1: return 1.25;
    case 0: return 3;
    case 1: return -8;
    case 2: return 1e10;
    }
    return 0;
}

static int first, second[4];

__attribute__((noinline)) int *place(int x) {
    switch (x) {
    case 1: return &first;
    case 2: return second;
    case 3: return second + 3;
    case 4: return &first;
    case 5: return second + 1;
    }
    return 0;
}

int main(void) {
    for (int k = -1; k < 10; k++) printf("%s %d\n", name(k), (int)strlen(name(k)));
    for (unsigned k = 9; k < 16; k++) printf("%s\n", inside(k) ? inside(k) : "none");
    for (int k = -3; k < 4; k++) printf("%g\n", weight(k));
    for (int k = 0; k < 7; k++)
        if (place(k)) *place(k) += k;
    printf("%d %d %d %d\n", first, second[0], second[1], second[3]);
    return 0;
}
