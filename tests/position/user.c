// What uses the library, and replaces a function of it; of a thread, too.
#include <pthread.h>
#include <stdio.h>

extern int level;
extern _Thread_local int mine;
int work(int);
int replaced(int x) { return x + 1000; }

static void *thread(void *_) {
    printf("%d %d\n", work(1), mine);
    return 0;
}

int main(void) {
    level += 5, mine += 4;
    printf("%d %d\n", work(2), mine);
    pthread_t id;
    if (pthread_create(&id, 0, thread, 0)) return 2;
    pthread_join(id, 0);
    printf("%d %d\n", work(3), mine);
    return 0;
}
