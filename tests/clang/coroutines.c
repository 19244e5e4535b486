/* Functions that go on where they stopped: switches into loops, unrolled copies, generators, pipelines, state machines. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BEGIN(s) switch ((s)->line) { case 0:
#define YIELD(s, v) do { (s)->line = __LINE__; return (v); case __LINE__:; } while (0)
#define FINISH(s, v) } (s)->line = -1; return (v)

static void copy(short *to, const short *from, int count) {
    if (count <= 0) return;
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++; /* fall through */
    case 7: *to++ = *from++; /* fall through */
    case 6: *to++ = *from++; /* fall through */
    case 5: *to++ = *from++; /* fall through */
    case 4: *to++ = *from++; /* fall through */
    case 3: *to++ = *from++; /* fall through */
    case 2: *to++ = *from++; /* fall through */
    case 1: *to++ = *from++;
            } while (--n > 0);
    }
}
struct range { int line, i, j, n; };
static int pairs(struct range *s) {
    BEGIN(s)
    for (s->i = 0; s->i < s->n; s->i++)
        for (s->j = s->i; s->j < s->n; s->j += 2) YIELD(s, s->i * 10 + s->j);
    FINISH(s, -1);
}
struct walk { int line, low, high, at; struct walk *inner; };
static int halves(struct walk *s) {
    BEGIN(s)
    while (s->low < s->high) {
        s->at = (s->low + s->high) / 2;
        YIELD(s, s->at);
        if (s->at % 3 == 0) { s->high = s->at; YIELD(s, -s->at); }
        else s->low = s->at + 1;
    }
    FINISH(s, 1000);
}
struct expand { int line, count; const char *in; char c; };
static int expanded(struct expand *s) {
    BEGIN(s)
    for (; *s->in; s->in++) {
        if (!isdigit((unsigned char)*s->in)) { YIELD(s, *s->in); continue; }
        s->count = *s->in++ - '0';
        s->c = *s->in;
        while (s->count-- > 0) YIELD(s, s->c);
    }
    FINISH(s, 0);
}
struct words { int line, length, c; struct expand from; char word[16]; };
static const char *next_word(struct words *s) {
    BEGIN(s)
    for (s->length = 0; (s->c = expanded(&s->from));) {
        if (isalpha(s->c)) { if (s->length < 15) s->word[s->length++] = (char)s->c; continue; }
        if (s->length) { s->word[s->length] = 0, s->length = 0; YIELD(s, s->word); }
        s->word[0] = (char)s->c, s->word[1] = 0;
        YIELD(s, s->word);
    }
    if (s->length) { s->word[s->length] = 0; YIELD(s, s->word); }
    FINISH(s, NULL);
}
enum state { START, SIGN, WHOLE, POINT, FRACTION, EXPONENT, EXPONENT_SIGN, POWER, FAIL };
static enum state step(enum state s, char c) {
    int digit = c >= '0' && c <= '9', sign = c == '+' || c == '-', e = (c | 32) == 'e';
    switch (s) {
    case START: if (sign) return SIGN; /* fall through */
    case SIGN: return digit ? WHOLE : c == '.' ? POINT : FAIL;
    case WHOLE: if (c == '.') return FRACTION; if (digit) return WHOLE; return e ? EXPONENT : FAIL;
    case POINT: return digit ? FRACTION : FAIL;
    case FRACTION: return digit ? FRACTION : e ? EXPONENT : FAIL;
    case EXPONENT: if (sign) return EXPONENT_SIGN; /* fall through */
    case EXPONENT_SIGN: case POWER: return digit ? POWER : FAIL;
    case FAIL: break;
    }
    return FAIL;
}
static int number(const char *s) { enum state t = START; while (*s) t = step(t, *s++); return t == WHOLE || t == FRACTION || t == POWER; }

int main(void) {
    short from[30], to[32];
    for (int k = 0; k < 30; k++) from[k] = (short)(k * 1111);
    for (int n = 0; n <= 30; n += 5) {
        memset(to, 0, sizeof to);
        copy(to + 1, from, n);
        int t = 0;
        for (int k = 0; k < 32; k++) t = t * 3 + to[k];
        printf("%d ", t);
    }
    struct range r = {.n = 5};
    for (int v; (v = pairs(&r)) >= 0;) printf("%d ", v);
    struct walk a = {.high = 100}, b = {.low = 50, .high = 90};
    printf("\n");
    for (int k = 0, v = 0; k < 9; k++) { v = halves(k % 3 == 1 ? &b : &a); printf("%d ", v); }
    struct words w = {.from = {.in = "ab3c d2ef, g9 h.3!"}};
    printf("\n");
    for (const char *s; (s = next_word(&w));) printf("[%s]", s);
    static const char *const texts[] = {"1", "-2.5", "+.5e10", "3e", "1.e-7", ".", "12a", "", "1e+", "0.0E0"};
    int valid = 0;
    for (int k = 0; k < 10; k++) valid = valid << 1 | number(texts[k]);
    printf("\n%x\n", valid);
    return r.line == -1 && w.line == -1;
}
