// What loads the library when it runs, in a thread that was there before.
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
    void *library = dlopen("./liblibrary.so", RTLD_NOW);
    if (!library) return puts(dlerror()), 1;
    int (*work)(int) = (int (*)(int))dlsym(library, "work");
    int *mine = dlsym(library, "mine");
    if (!work || !mine || dlsym(library, "secret") || dlsym(library, "hidden") || dlsym(library, "other_name")) return 2;
    *mine += 4;
    printf("%d %d\n", work(2), *mine);
    return 0;
}
