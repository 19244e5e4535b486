// What runs a kernel of `shapes.txt` on arrays of several lengths, and shows what it yields and writes: small numbers, so that
// sums and products of floats are exact in any order.
static T x[320], y[320], z[320];
static int p[80];
static unsigned char q[80];

static unsigned long long mixed(unsigned long long h, unsigned char byte) { return (h ^ byte) * 1099511628211ull; }

int main(void) {
  static const int lengths[] = {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, 64, 67, 79};
  unsigned s = 1;
  for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    int n = lengths[k];
    for (int i = 0; i < 320; i++) {
      s = s * 1103515245 + 12345;
      x[i] = (T)(s >> 28);
      y[i] = (T)((int)(s >> 24 & 15) - 4);
      z[i] = (T)((int)(s >> 16 & 15) - 5);
    }
    for (int i = 0; i < n; i++) {
      p[i] = n - 1 - i;
      q[i] = y[i] > z[i];
    }
    for (int i = 2; i < n; i++) {
      int j = (int)(z[i] + 5) % i, t = p[i];
      p[i] = p[j];
      p[j] = t;
    }
    W r = kernel(x, y, z, p, q, n);
    unsigned long long h = 1469598103934665603ull;
    for (int i = 0; i < 320; i++) {
      unsigned char bytes[sizeof(T)];
      memcpy(bytes, &x[i], sizeof bytes);
      for (unsigned j = 0; j < sizeof bytes; j++) h = mixed(h, bytes[j]);
    }
    for (int i = 0; i < 80; i++) h = mixed(h, q[i]);
    printf("%d %.6g %llx\n", n, (double)r, h);
  }
  return 0;
}
