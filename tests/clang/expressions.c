/* A tokeniser, a parser by precedence into a tree, its evaluation, printing, derivatives and simplification. */
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#pragma STDC FP_CONTRACT OFF

enum token { END, NUMBER, NAME, OPERATOR, OPEN, CLOSE, BAD };
struct lexer { const char *at; enum token token; double number; char name[8], op; int errors; };
struct node { char op; double number; char name; struct node *left, *right; };

static struct node pool[512];
static int used;
static struct node *make(char op, struct node *left, struct node *right) {
    struct node *n = &pool[used++];
    *n = (struct node){.op = op, .left = left, .right = right};
    return n;
}
static struct node *number(double x) { struct node *n = make('#', 0, 0); n->number = x; return n; }

static void next(struct lexer *l) {
    while (isspace((unsigned char)*l->at)) l->at++;
    char c = *l->at;
    if (!c) l->token = END;
    else if (isdigit((unsigned char)c) || c == '.') {
        char *end;
        l->number = strtod(l->at, &end);
        l->token = end == l->at ? BAD : NUMBER;
        l->at = end == l->at ? end + 1 : end;
    } else if (isalpha((unsigned char)c)) {
        int n = 0;
        while (isalnum((unsigned char)*l->at) && n < 7) l->name[n++] = *l->at++;
        l->name[n] = 0;
        l->token = NAME;
    } else {
        l->token = c == '(' ? OPEN : c == ')' ? CLOSE : strchr("+-*/^", c) ? OPERATOR : BAD;
        l->op = c;
        l->at++;
    }
}
static int precedence(char op) { return op == '^' ? 3 : op == '*' || op == '/' ? 2 : 1; }
static struct node *expression(struct lexer *l, int least);
static struct node *primary(struct lexer *l) {
    struct node *n;
    switch (l->token) {
    case NUMBER: n = number(l->number); next(l); return n;
    case NAME: n = make('x', 0, 0); n->name = l->name[0]; next(l); return n;
    case OPEN:
        next(l);
        n = expression(l, 1);
        if (l->token != CLOSE) l->errors++;
        else next(l);
        return n;
    case OPERATOR:
        if (l->op == '-') { next(l); return make('-', number(0), expression(l, 3)); }
        /* fall through */
    default: l->errors++; next(l); return number(1);
    }
}
static struct node *expression(struct lexer *l, int least) {
    struct node *left = primary(l);
    while (l->token == OPERATOR && precedence(l->op) >= least) {
        char op = l->op;
        next(l);
        left = make(op, left, expression(l, precedence(op) + (op != '^')));
    }
    return left;
}
static double raised(double x, int n) { double r = 1; for (int k = n < 0 ? -n : n; k; k--) r *= x; return n < 0 ? 1 / r : r; }
static double value(const struct node *n, double x) {
    switch (n->op) {
    case '#': return n->number;
    case 'x': return x;
    case '+': return value(n->left, x) + value(n->right, x);
    case '-': return value(n->left, x) - value(n->right, x);
    case '*': return value(n->left, x) * value(n->right, x);
    case '/': return value(n->left, x) / value(n->right, x);
    default: return raised(value(n->left, x), (int)value(n->right, x));
    }
}
static int print(const struct node *n, char *to) {
    if (n->op == '#') return sprintf(to, "%g", n->number);
    if (n->op == 'x') return sprintf(to, "%c", n->name);
    int at = sprintf(to, "(");
    at += print(n->left, to + at);
    at += sprintf(to + at, "%c", n->op);
    at += print(n->right, to + at);
    return at + sprintf(to + at, ")");
}
static int is(const struct node *n, double x) { return n->op == '#' && n->number == x; }
static struct node *simple(struct node *n) {
    if (n->op == '#' || n->op == 'x') return n;
    struct node *a = simple(n->left), *b = simple(n->right), made = {.op = n->op, .left = a, .right = b};
    if (a->op == '#' && b->op == '#') return number(value(&made, 0));
    if (n->op == '+' && is(a, 0)) return b;
    if ((n->op == '+' || n->op == '-') && is(b, 0)) return a;
    if (n->op == '*' && (is(a, 0) || is(b, 0))) return number(0);
    if (n->op == '*' && is(a, 1)) return b;
    if ((n->op == '*' || n->op == '/' || n->op == '^') && is(b, 1)) return a;
    return make(n->op, a, b);
}
static struct node *derived(struct node *n) {
    struct node *a = n->left, *b = n->right;
    switch (n->op) {
    case '#': return number(0);
    case 'x': return number(1);
    case '+': case '-': return make(n->op, derived(a), derived(b));
    case '*': return make('+', make('*', derived(a), b), make('*', a, derived(b)));
    case '/': return make('/', make('-', make('*', derived(a), b), make('*', a, derived(b))), make('^', b, number(2)));
    default: return make('*', make('*', b, make('^', a, make('-', b, number(1)))), derived(a));
    }
}

int main(void) {
    static const char *const texts[] = {"1 + 2 * 3", "2 ^ 3 ^ 2", "(1.5 + x) * (x - 4) / 2", "-x^2 + 3*x - -4", "x*x*x - 1/x", "((((x))))", "1 + ", "(2 * x", "3 $ 4", "x^3/(x+1)^2", "10 - 4 - 3", ".5e1x"};
    int errors = 0;
    for (unsigned k = 0; k < sizeof texts / sizeof *texts; k++) {
        used = 0;
        struct lexer l = {.at = texts[k]};
        next(&l);
        struct node *n = expression(&l, 1);
        if (l.token != END) l.errors++;
        char text[512], other[512];
        print(n, text);
        struct node *d = simple(derived(n));
        print(d, other);
        printf("%s = %.6g %.6g, %s = %.6g, %d\n", text, value(n, 2), value(n, -0.5), other, value(d, 3), l.errors);
        errors += l.errors;
    }
    return errors;
}
