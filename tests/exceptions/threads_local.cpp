// Statics whose constructors fail are made again; data of the thread, and volatile memory, behind a handler.
extern "C" int printf(const char *, ...);
static int tries; static thread_local int mine = 5; static volatile int seen;
struct Heavy { int n; Heavy() { if (++tries < 3) throw tries; n = tries * 11; } };
static Heavy &heavy() { static Heavy h; return h; }
int main() {
    for (int i = 0; i < 4; i++) {
        mine += i;
        try { seen = i; printf("%d\n", heavy().n); } catch (int t) { printf("try %d mine %d seen %d\n", t, mine, (int)seen); mine *= 2; }
    }
    printf("%d %d\n", mine, tries);
}
