/* Thread-local data: one copy a thread, of all kinds, with addresses, between threads that wait for each other. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

_Thread_local int counter = 10;
static __thread int64_t wide = 1234567890123;
static _Thread_local double zero;
static _Thread_local char text[16] = "start";
static _Thread_local struct { short a; int *to; } pair = {7, 0};
static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int *address(void) { return &counter; }
static int step(void) { static _Thread_local int steps; return ++steps; }
__attribute__((noinline)) static void work(int by) {
    for (int k = 0; k < 100; k++) {
        counter += by;
        wide ^= (int64_t)by << (k % 40);
        zero += by * 0.5;
        step();
        if (!pair.to) pair.to = &counter;
        *pair.to -= 1;
        text[k % 5] = (char)('a' + (by + k) % 26);
    }
    pthread_mutex_lock(&lock);
    shared += by;
    pthread_mutex_unlock(&lock);
}
struct job { int by, counter, steps, same; int64_t wide; double zero; char text[16]; int *where; };
static void *run(void *with) {
    struct job *j = with;
    int fresh = counter == 10 && wide == 1234567890123 && zero == 0 && !strcmp(text, "start") && pair.a == 7 && !pair.to;
    work(j->by);
    j->counter = counter, j->steps = step(), j->wide = wide, j->zero = zero, j->same = fresh && address() == &counter && pair.to == address();
    j->where = address();
    strcpy(j->text, text);
    return j;
}

int main(void) {
    struct job jobs[4] = {{.by = 1}, {.by = 2}, {.by = -3}, {.by = 40}};
    pthread_t threads[4];
    work(5);
    for (int k = 0; k < 4; k++) if (pthread_create(&threads[k], 0, run, &jobs[k])) return 99;
    int apart = 1;
    for (int k = 0; k < 4; k++) {
        void *back;
        pthread_join(threads[k], &back);
        apart &= back == &jobs[k] && jobs[k].where != &counter;
    }
    for (int k = 0; k < 4; k++)
        printf("%d %d %d %lld %g %s\n", jobs[k].counter, jobs[k].steps, jobs[k].same, (long long)jobs[k].wide, jobs[k].zero, jobs[k].text);
    printf("%d %d %lld %g %s %d %d\n", counter, step(), (long long)wide, zero, text, shared, apart);
    return pair.to == &counter;
}
