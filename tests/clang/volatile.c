// Volatile accesses happen as often as they are written, also where nothing needs them; setjmp-like counters.
#include <stdio.h>

static volatile int port, ticks[4];
static volatile struct { short a; char b; } device = {5, 6};

static int poll(void) {
    volatile int local = 3;
    port;
    port;
    local = 4;
    local = 5;
    return local + port;
}

static void wait(int n) {
    for (volatile int k = 0; k < n; k++) {}
    for (int k = 0; k < 4; k++) ticks[k] += n;
}

int main(void) {
    port = 1;
    port = 2;
    int a = poll() + port++;
    wait(10);
    wait(5);
    device.a -= 7;
    device.b = (char)(device.a * 2);
    volatile double x = 0.5;
    x += ticks[3];
    volatile long long big = 1;
    big <<= 40;
    int *volatile p = &a;
    *p += 100;
    printf("%d %d %d %d %d %d\n", a, port, ticks[0], ticks[3], device.a, device.b);
    printf("%g %lld %d\n", x, big, (int)(big >> 38));
    return 0;
}
