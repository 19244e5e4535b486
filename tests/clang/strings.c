/* Strings: the library's functions and own ones, bytes and their signs, conversions, formats. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *reversed(char *s) {
    for (char *a = s, *z = s + strlen(s) - 1; a < z; a++, z--) {
        char t = *a;
        *a = *z;
        *z = t;
    }
    return s;
}

static unsigned hash(const char *s) {
    unsigned h = 2166136261u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

static int is_palindrome(const char *s) {
    const char *z = s + strlen(s);
    while (s < z) {
        if (!isalpha((unsigned char)*s)) s++;
        else if (!isalpha((unsigned char)z[-1])) z--;
        else if (tolower(*s++) != tolower(*--z)) return 0;
    }
    return 1;
}

int main(void) {
    char line[64] = "the quick brown fox", copy[64];
    memset(copy, '#', sizeof copy - 1);
    copy[63] = 0;
    strcpy(copy, line);
    printf("[%s] [%s] %u\n", reversed(copy), copy + 20, hash(line));
    int words = 0;
    for (char *w = strtok(line, " "); w; w = strtok(NULL, " ")) words += strlen(w) * (1 + words);
    printf("%d %d %d\n", words, is_palindrome("A man, a plan, a canal: Panama!"), is_palindrome("ab"));
    snprintf(copy, sizeof copy, "%05d|%-6s|%+.3e|%x|%c|%5.1f|%lld", -42, "ab", 12345.678, 0xbeefu, 'q', 2.25, -1LL << 40);
    puts(copy);
    printf("%ld %.3f %d %lu\n", strtol("-123abc", NULL, 10), strtod("2.5e3", NULL), atoi("77"), strtoul("ff", NULL, 16));
    signed char s = (signed char)200;
    unsigned char u = 200;
    printf("%d %d %d %d\n", s, u, s < u, memcmp("a\200", "a\1", 2) > 0);
    char grid[4][5];
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 5; x++) grid[y][x] = x == 4 ? 0 : 'a' + (x * 5 + y) % 26;
    for (int y = 0; y < 4; y++) printf("%s ", grid[y]);
    memmove(&grid[0][0] + 1, grid, 8);
    printf("%.8s %d\n", (char *)grid, strncmp(grid[0], grid[1], 3) < 0);
    return (int)(hash(copy) % 200);
}
