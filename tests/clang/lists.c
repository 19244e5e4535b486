/* Lists: one way and both ways, intrusive with offsets, sorted by merging, reversed, with loops, as queues and as circles. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node { int value; struct node *next; };
struct link { struct link *next, *prev; };
struct task { int priority; struct link by_age; char name[6]; struct link by_name; };
#define OF(link, type, member) ((type *)((char *)(link) - offsetof(type, member)))

static struct node *cons(int value, struct node *next) {
    struct node *n = malloc(sizeof *n);
    n->value = value, n->next = next;
    return n;
}
static struct node *reversed(struct node *n) {
    struct node *done = NULL;
    while (n) { struct node *next = n->next; n->next = done; done = n; n = next; }
    return done;
}
static struct node *merged(struct node *a, struct node *b) {
    struct node *head, **end = &head;
    while (a && b) {
        struct node **least = a->value <= b->value ? &a : &b;
        *end = *least;
        end = &(*least)->next;
        *least = (*least)->next;
    }
    *end = a ? a : b;
    return head;
}
static struct node *sorted(struct node *n) {
    if (!n || !n->next) return n;
    struct node *slow = n, *fast = n->next;
    while (fast && fast->next) slow = slow->next, fast = fast->next->next;
    struct node *half = slow->next;
    slow->next = NULL;
    return merged(sorted(n), sorted(half));
}
static void remove_if(struct node **at, int (*drop)(int)) {
    while (*at) {
        struct node *n = *at;
        if (drop(n->value)) { *at = n->next; free(n); } else at = &n->next;
    }
}
static int by_three(int x) { return x % 3 == 0; }
static int has_loop(const struct node *n) {
    const struct node *fast = n;
    while (fast && fast->next) if ((n = n->next) == (fast = fast->next->next)) return 1;
    return 0;
}
static void show(const struct node *n) { for (; n; n = n->next) printf("%d%c", n->value, n->next ? ' ' : '\n'); }

static void start(struct link *l) { l->next = l->prev = l; }
static void insert(struct link *before, struct link *l) { l->next = before; l->prev = before->prev; before->prev->next = l; before->prev = l; }
static void take(struct link *l) { l->prev->next = l->next; l->next->prev = l->prev; start(l); }
static int length(const struct link *head) { int n = 0; for (const struct link *l = head->next; l != head; l = l->next) n++; return n; }

static int survivor(int n, int step) {
    struct node *last = NULL, *first = NULL;
    for (int k = n; k; k--) { first = cons(k, first); if (!last) last = first; }
    last->next = first;
    while (last->next != last) {
        for (int k = 1; k < step; k++) last = last->next;
        struct node *out = last->next;
        last->next = out->next;
        free(out);
    }
    int value = last->value;
    free(last);
    return value;
}

int main(void) {
    struct node *list = NULL;
    for (int k = 0; k < 20; k++) list = cons(k * 37 % 23, list);
    show(list);
    show(list = sorted(list));
    show(list = reversed(list));
    remove_if(&list, by_three);
    show(list);
    struct node *end = list;
    while (end->next) end = end->next;
    int before = has_loop(list);
    end->next = list->next;
    printf("%d %d\n", before, has_loop(list));
    end->next = NULL;
    struct link ages, names;
    start(&ages), start(&names);
    static struct task tasks[] = {{3, .name = "mow"}, {1, .name = "cook"}, {2, .name = "sew"}, {1, .name = "add"}, {5, .name = "zip"}};
    for (int k = 0; k < 5; k++) {
        insert(&ages, &tasks[k].by_age);
        struct link *l = names.next;
        while (l != &names && strcmp(OF(l, struct task, by_name)->name, tasks[k].name) < 0) l = l->next;
        insert(l, &tasks[k].by_name);
    }
    for (struct link *l = names.next; l != &names; l = l->next) printf("%s ", OF(l, struct task, by_name)->name);
    for (struct link *l = ages.prev; l != &ages; l = l->prev) printf("%d ", OF(l, struct task, by_age)->priority);
    for (struct link *l = ages.next, *next; l != &ages; l = next) {
        next = l->next;
        if (OF(l, struct task, by_age)->priority == 1) take(l);
    }
    printf("%d %d\n", length(&ages), length(&names));
    printf("%d %d\n", survivor(41, 3), survivor(100, 7));
    while (list) { struct node *n = list->next; free(list); list = n; }
    return tasks[3].by_age.next == &tasks[3].by_age;
}
