// Calls that throw in loops: what is counted in registers is right behind the handler.
extern "C" int printf(const char *, ...);
__attribute__((noinline)) static int step(int i, int j) { if ((i * 7 + j * 3) % 5 == 0) throw i - j; if ((i + j) % 11 == 0) throw 1.0 * i; return i ^ j; }
__attribute__((noinline)) static long run(int n, int m, const int *weights) {
    long sum = 0, caught = 0; double total = 0; unsigned hash = 1;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int before = i * m + j;
            try { sum += step(i, j) * weights[j % 4]; hash = hash * 31 + (unsigned)sum; }
            catch (int d) { caught += d + before; hash ^= (unsigned)before; if (d == -3) continue; sum -= j; }
            catch (double d) { total += d + before; if (i == 9) break; }
            total += 0.5;
        }
        if (hash % 97 == 0) sum++;
    }
    printf("%ld %ld %g %u\n", sum, caught, total, hash);
    return sum + caught;
}
int main() { const int w[4] = {1, -2, 3, 5}; long all = 0; for (int n = 0; n < 12; n++) all += run(n, 15 - n, w); printf("%ld\n", all); }
