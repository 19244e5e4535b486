void putint(int);
long long keep;
static void fill(int *to) __attribute__((noinline));
static void fill(int *to) { *to += 11; }

__attribute__((noinline)) int stored(int k) {
  int x = 5;
  putint(k);
  x = k;
  fill(&x);
  return x;
}

__attribute__((noinline)) int wide(int k) {
  long long a = 0x123456789LL;
  long long b = k;
  putint(k);
  keep = a + b;
  return (int)keep;
}

int main(void) {
  return stored(-8) + wide(-7) & 1;
}
