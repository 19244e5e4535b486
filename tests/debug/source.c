extern void putint(int);
extern void putch(int);
struct pair { int low; struct pair *next; };
typedef unsigned char byte;
int table[4] = {1, 2, 3, 4};
static int twice(int x) {
    int y = x + x;
    putint(y);
    putch(10);
    return y;
}
static int sum(struct pair *at) {
    int all = 0;
    while (at) {
        int low = at->low;
        all += twice(low);
        at = at->next;
    }
    return all;
}
int main(void) {
    struct pair last = {3, 0};
    struct pair first = {4, &last};
    byte small = 200;
    double half = 1.5;
    int all = sum(&first);
    for (int k = 0; k < 4; k++) {
        all += table[k];
    }
    putint(all + small + (int)half);
    putch(10);
    return 0;
}
