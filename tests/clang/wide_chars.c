/* Wide characters and encodings: literals of all kinds, UTF-8 to and from code points, the library's wide functions. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>
#include <wctype.h>

static const wchar_t wide[] = L"na\u00efve \x4e2d\u6587 \U0001F600";
static const char16_t pairs[] = u"a\u00e9\u20ac\U0001D11E";
static const char32_t points[] = U"a\u00e9\u20ac\U0001D11E";
static const char bytes[] = u8"a\u00e9\u20ac\U0001D11E";

static int encode(char32_t c, char *to) {
    if (c < 0x80) return *to = (char)c, 1;
    int n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (int k = n - 1; k; k--, c >>= 6) to[k] = (char)(0x80 | (c & 0x3f));
    to[0] = (char)(0xf0 << (4 - n) | c);
    return n;
}
static int decode(const char *from, char32_t *c) {
    const unsigned char *s = (const unsigned char *)from;
    if (*s < 0x80) return *c = *s, 1;
    int n = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : *s >= 0xc0 ? 2 : 0;
    if (!n) return -1;
    *c = *s & (0x7f >> n);
    for (int k = 1; k < n; k++) {
        if ((s[k] & 0xc0) != 0x80) return -1;
        *c = *c << 6 | (s[k] & 0x3f);
    }
    return n;
}
static int to_pairs(const char32_t *from, char16_t *to) {
    int n = 0;
    for (; *from; from++) {
        if (*from < 0x10000) to[n++] = (char16_t)*from;
        else to[n++] = (char16_t)(0xd7c0 + (*from >> 10)), to[n++] = (char16_t)(0xdc00 | (*from & 0x3ff));
    }
    to[n] = 0;
    return n;
}
static int total(const wchar_t *s) { int t = 0; while (*s) t = t * 31 + (int)*s++; return t; }

int main(void) {
    printf("%zu %zu %zu %zu\n", sizeof wide / sizeof *wide, sizeof pairs / sizeof *pairs, sizeof points / sizeof *points, sizeof bytes);
    for (const char16_t *p = pairs; *p; p++) printf("%04x ", *p);
    for (const char32_t *p = points; *p; p++) printf("%x ", (unsigned)*p);
    for (const char *p = bytes; *p; p++) printf("%02x", (unsigned char)*p);
    char text[64], *at = text;
    for (const wchar_t *w = wide; *w; w++) at += encode((char32_t)*w, at);
    *at = 0;
    printf("\n%s %d\n", text, (int)(at - text));
    char32_t c;
    int n = 0, count = 0, sum = 0;
    for (const char *s = text; (n = decode(s, &c)) > 0 && c; s += n) count++, sum += (int)c;
    char16_t made[16];
    printf("%d %d %d ", count, sum, to_pairs(points, made));
    printf("%d\n", memcmp(made, pairs, sizeof pairs));
    printf("%d %d\n", decode("\x80", &c), decode("\xe2\x28", &c));
    wchar_t room[32];
    wcscpy(room, L"one ");
    wcscat(room, L"two");
    printf("%d %d %d %d\n", (int)wcslen(room), wcscmp(room, L"one two"), wcscmp(L"a", L"b") < 0, (int)(wcschr(room, L't') - room));
    printf("%d %ls %lc\n", total(room), room, (wint_t)L'!');
    for (wchar_t *w = room; *w; w++) *w = (wchar_t)towupper((wint_t)*w);
    wmemmove(room + 4, room, 3);
    room[7] = 0;
    printf("%ls %d %d\n", room, (int)wcstol(L"-42x", NULL, 10), wmemcmp(room, room + 4, 3));
    swprintf(room, 32, L"%d-%ls-%c", 7, L"mid", 'z');
    printf("%ls %d\n", room, total(room));
    printf("%d %d %d %d\n", L'\u00e9', u'\u20ac', (int)U'\U0001D11E', '\xe9' < 0);
    size_t need = wcstombs(NULL, L"plain", 0), back = mbstowcs(room, "back", 32);
    printf("%d %d %ls\n", (int)need, (int)back, room);
    return iswdigit(L'5') && iswalpha(L'x') && !iswspace(L'x');
}
