// Calls that throw in the arms of switches, with tables of jumps, and goto out of handlers.
extern "C" int printf(const char *, ...);
__attribute__((noinline)) static int call(int k) { if (k & 1) throw k; return k * 2; }
__attribute__((noinline)) static int choose(int k, int j) {
    int r = j;
    try {
        switch (k) {
        case 0: r += call(j); break;
        case 1: r -= call(j + 1); break;
        case 2: r *= call(j + 2); [[fallthrough]];
        case 3: r ^= call(j + 3); break;
        case 4: return call(j);
        case 5: r += call(call(j));  break;
        case 6: throw r;
        case 7: r = call(j) ? call(j + 2) : call(j + 1); break;
        default: return -1;
        }
    } catch (int x) {
        if (x == 3) goto again;
        r += 1000 + x;
    }
    return r;
again:
    try { return call(2) + call(k); } catch (...) { return k; }
}
int main() { for (int k = 0; k < 10; k++) { for (int j = 0; j < 5; j++) printf("%d ", choose(k, j)); printf("\n"); } }
