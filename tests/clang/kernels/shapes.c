// Bodies of `W kernel(T *restrict x, const T *restrict y, const T *restrict z, const int *restrict p, unsigned char *restrict q,
// int n)`, which clang turns into vectors: x has 4 n elements that may be written, y and z have 4 n, p is numbers below n, each
// once, q is n truth values. A row begins with `//` and its name, and the types it is for: a(ll), i(nts), f(loats).
// map a
for (int i = 0; i < n; i++) x[i] = y[i] + z[i];
return 0;
// scaled a
for (int i = 0; i < n; i++) x[i] = (T)(y[i] * 3 + z[i] * z[i]);
return 0;
// negated a
for (int i = 0; i < n; i++) x[i] = (T)(1 - y[i]);
return 0;
// bits i
for (int i = 0; i < n; i++) x[i] = (T)((y[i] & z[i]) ^ (y[i] | 5)) + (T)(~z[i]);
return 0;
// shifts i
for (int i = 0; i < n; i++) x[i] = (T)((y[i] << 2) + (z[i] >> 1));
return 0;
// varied_shifts i
for (int i = 0; i < n; i++) x[i] = (T)((y[i] >> (z[i] & 7)) + (1 << (y[i] & 3)));
return 0;
// rotated i
for (int i = 0; i < n; i++) { U u = (U)y[i]; x[i] = (T)(U)((u << 3) | (u >> (8 * sizeof(T) - 3))); }
return 0;
// quotients i
for (int i = 0; i < n; i++) x[i] = (T)(y[i] / 7 + z[i] % 10);
return 0;
// real_quotients f
for (int i = 0; i < n; i++) x[i] = y[i] / (z[i] * z[i] + 1);
return 0;
// variable_quotients i
for (int i = 0; i < n; i++) x[i] = (T)(y[i] / (T)((z[i] & 7) + 1));
return 0;
// sum a
W s = 0; for (int i = 0; i < n; i++) s += y[i];
return s;
// narrow_sum i
T s = 0; for (int i = 0; i < n; i++) s = (T)(s + y[i]);
return s;
// product i
T s = 1; for (int i = 0; i < n; i++) s = (T)(s * (y[i] | 1));
return s;
// dot a
W s = 0; for (int i = 0; i < n; i++) s += (W)y[i] * z[i];
return s;
// least a
T s = y[0]; for (int i = 1; i < n; i++) s = y[i] < s ? y[i] : s;
return s;
// both_ends a
T s = y[0], t = y[0];
for (int i = 1; i < n; i++) { if (y[i] < s) s = y[i]; if (y[i] > t) t = y[i]; }
return (W)(t - s);
// all_bits i
T s = -1, t = 0, u = 0; for (int i = 0; i < n; i++) { s &= y[i]; t |= y[i]; u ^= z[i]; }
return (W)(s + 2 * t + 3 * u);
// counted a
int s = 0; for (int i = 0; i < n; i++) s += y[i] > z[i];
return s;
// any a
int s = 0; for (int i = 0; i < n; i++) s |= y[i] == (T)3;
return s;
// chosen a
for (int i = 0; i < n; i++) x[i] = y[i] > z[i] ? y[i] : (T)(z[i] - 1);
return 0;
// clamped a
for (int i = 0; i < n; i++) { T v = y[i]; v = v < 1 ? 1 : v; x[i] = v > 5 ? 5 : v; }
return 0;
// stored_if a
for (int i = 0; i < n; i++) if (y[i] > 2) x[i] = z[i];
return 0;
// read_if a
for (int i = 0; i < n; i++) if (q[i]) x[i] = (T)(y[i] + z[i]); else x[i] = 7;
return 0;
// summed_if a
W s = 0; for (int i = 0; i < n; i++) if (y[i] > 1 && z[i] < 4) s += z[i];
return s;
// nested_if a
for (int i = 0; i < n; i++) { T v = y[i]; if (v > 1) { if (z[i] > 2) v = (T)(v + z[i]); else v = 4; } x[i] = v; }
return 0;
// magnitude a
for (int i = 0; i < n; i++) x[i] = y[i] < 0 ? (T)-y[i] : y[i];
return 0;
// distances a
W s = 0; for (int i = 0; i < n; i++) { W d = (W)y[i] - z[i]; s += d < 0 ? -d : d; }
return s;
// every_second a
for (int i = 0; i < n; i++) x[i] = (T)(y[2 * i] + y[2 * i + 1]);
return 0;
// every_third a
for (int i = 0; i < n; i++) x[i] = (T)(y[3 * i] + 2 * y[3 * i + 1] - y[3 * i + 2]);
return 0;
// every_fourth a
for (int i = 0; i < n; i++) x[i] = (T)(y[4 * i] + y[4 * i + 2] + z[4 * i + 3]);
return 0;
// pairs_put a
for (int i = 0; i < n; i++) { x[2 * i] = y[i]; x[2 * i + 1] = (T)(z[i] + 1); }
return 0;
// triples_put a
for (int i = 0; i < n; i++) { x[3 * i] = y[i]; x[3 * i + 1] = z[i]; x[3 * i + 2] = (T)(y[i] + z[i]); }
return 0;
// pixels a
for (int i = 0; i < n; i++) {
  T r = y[4 * i], g = y[4 * i + 1], b = y[4 * i + 2], k = y[4 * i + 3];
  x[4 * i] = b; x[4 * i + 1] = (T)(g + k); x[4 * i + 2] = r; x[4 * i + 3] = (T)(k - 1);
}
return 0;
// backwards a
for (int i = 0; i < n; i++) x[n - 1 - i] = (T)(y[i] + 1);
return 0;
// both_ways a
for (int i = 0; i < n; i++) x[i] = (T)(y[n - 1 - i] + z[i]);
return 0;
// gathered a
for (int i = 0; i < n; i++) x[i] = (T)(y[p[i]] + z[i]);
return 0;
// scattered a
for (int i = 0; i < n; i++) x[p[i]] = (T)(y[i] * 2);
return 0;
// by_steps a
for (int i = 0; i < n; i++) x[i] = (T)(y[i] + i);
return 0;
// numbered a
for (int i = 0; i < n; i++) x[i] = (T)i;
return 0;
// filled a
for (int i = 0; i < n; i++) x[i] = (T)9;
return 0;
// copied a
for (int i = 0; i < n; i++) x[i] = y[i];
return 0;
// first_order a
T before = 1; for (int i = 0; i < n; i++) { x[i] = (T)(y[i] - before); before = y[i]; }
return 0;
// prefix a
T s = 0; for (int i = 0; i < n; i++) { s = (T)(s + y[i]); x[i] = s; }
return 0;
// stencil a
for (int i = 1; i + 1 < n; i++) x[i] = (T)(y[i - 1] + 2 * y[i] + y[i + 1]);
return 0;
// plane a
for (int r = 0; r + 2 < 4; r++) for (int i = 0; i < n - 2; i++)
  x[r * n + i] = (T)(y[r * n + i] + y[r * n + i + 1] + y[(r + 1) * n + i + 2] - y[(r + 2) * n + i]);
return 0;
// found a
int at = -1; for (int i = 0; i < n; i++) if (y[i] == z[n / 2]) { at = i; break; }
return at;
// last_found a
int at = -1; for (int i = 0; i < n; i++) if (y[i] > z[i]) at = i;
return at;
// to_flags a
for (int i = 0; i < n; i++) q[i] = y[i] < z[i];
return 0;
// by_flags a
for (int i = 0; i < n; i++) x[i] = (T)(q[i] ? y[i] : z[i]) ;
return 0;
// to_bytes a
for (int i = 0; i < n; i++) q[i] = (unsigned char)(int)(y[i] + 20);
return 0;
// from_bytes a
for (int i = 0; i < n; i++) x[i] = (T)(q[i] + 2 * y[i]);
return 0;
// to_double a
double s[80]; W t = 0; for (int i = 0; i < n; i++) s[i] = (double)y[i] * 0.001;
for (int i = 0; i < n; i++) t += (W)(s[n - 1 - i] * (i & 1));
return t;
// to_float a
float s[80]; W t = 0; for (int i = 0; i < n; i++) s[i] = (float)y[i] * 0.001f;
for (int i = 0; i < n; i++) t += (W)s[i];
return t;
// from_float a
float s[80]; for (int i = 0; i < n; i++) s[i] = (float)(i * 3) * 0.5f;
for (int i = 0; i < n; i++) x[i] = (T)s[i];
return 0;
// to_short a
short s[80]; W t = 0; for (int i = 0; i < n; i++) s[i] = (short)y[i];
for (int i = 0; i < n; i++) t = t * 3 + s[i];
return t;
// to_long a
long long s[80]; W t = 0; for (int i = 0; i < n; i++) s[i] = (long long)y[i] * 1000003;
for (int i = 0; i < n; i++) t += (W)(s[i] & 0xffff) ;
return t;
// wide_product i
for (int i = 0; i < n; i++) x[i] = (T)((U)(((W)y[i] * z[i]) >> 2));
return 0;
// average i
for (int i = 0; i < n; i++) x[i] = (T)(((W)y[i] + z[i] + 1) >> 1);
return 0;
// saturated i
for (int i = 0; i < n; i++) { W s = (W)y[i] * 8 + z[i]; x[i] = (T)(s > 100 ? 100 : s < -100 ? -100 : s); }
return 0;
// sum_saturated i
for (int i = 0; i < n; i++) { U s = (U)((U)y[i] + (U)z[i]); x[i] = (T)(s < (U)y[i] ? (U)-1 : s); }
return 0;
// ones i
W s = 0; for (int i = 0; i < n; i++) s += __builtin_popcountll((unsigned long long)(U)y[i]);
return s;
// ones_stored i
for (int i = 0; i < n; i++) x[i] = (T)__builtin_popcountll((unsigned long long)(U)y[i]);
return 0;
// leading i
for (int i = 0; i < n; i++) x[i] = (T)(__builtin_clz((unsigned)y[i] | 1) + __builtin_ctz((unsigned)z[i] | 16));
return 0;
// swapped i
for (int i = 0; i < n; i++) x[i] = (T)__builtin_bswap32((unsigned)y[i]);
return 0;
// squares a
for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) { T s = 0;
  for (int k = 0; k < 4; k++) s = (T)(s + y[4 * i + k] * z[4 * k + j]);
  x[4 * i + j] = s; }
return 0;
// products a
for (int i = 0; i < 4; i++) for (int j = 0; j < n; j++) for (int k = 0; k < 4; k++)
  x[i * n + j] = (T)(x[i * n + j] + y[4 * i + k] * z[k * n + j]);
return 0;
// transposed a
for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) x[4 * i + j] = y[4 * j + i];
for (int i = 4; i < 8; i++) for (int j = 0; j < 8; j++) x[8 * i + j] = y[8 * (j & 3) + i];
return 0;
// side_by_side a
x[0] = (T)(y[0] + z[0]); x[1] = (T)(y[1] + z[1]); x[2] = (T)(y[2] + z[2]); x[3] = (T)(y[3] + z[3]);
x[4] = (T)(y[4] - z[7]); x[5] = (T)(y[5] - z[6]); x[6] = (T)(y[6] - z[5]); x[7] = (T)(y[7] - z[4]);
return (W)(y[0] * z[0] + y[1] * z[1] + y[2] * z[2] + y[3] * z[3]);
// mixed_side_by_side a
x[0] = (T)(y[0] + z[0]); x[1] = (T)(y[1] - z[1]); x[2] = (T)(y[2] + z[2]); x[3] = (T)(y[3] - z[3]);
x[4] = y[3]; x[5] = y[2]; x[6] = y[1]; x[7] = y[0];
return 0;
// butterflies a
for (int i = 0; i < n / 4; i++) {
  const T *s = y + 4 * i; T a0 = (T)(s[0] + s[2]), a1 = (T)(s[0] - s[2]), a2 = (T)(s[1] + s[3]), a3 = (T)(s[1] - s[3]);
  x[4 * i] = (T)(a0 + a2); x[4 * i + 1] = (T)(a1 + a3); x[4 * i + 2] = (T)(a0 - a2); x[4 * i + 3] = (T)(a1 - a3);
}
return 0;
// sorted a
for (int i = 0; i + 3 < n; i += 4) {
  T a = y[i], b = y[i + 1], c = y[i + 2], d = y[i + 3], t;
  if (a > b) { t = a; a = b; b = t; } if (c > d) { t = c; c = d; d = t; }
  if (a > c) { t = a; a = c; c = t; } if (b > d) { t = b; b = d; d = t; }
  if (b > c) { t = b; b = c; c = t; }
  x[i] = a; x[i + 1] = b; x[i + 2] = c; x[i + 3] = d;
}
return 0;
// polynomial a
for (int i = 0; i < n; i++) { T v = (T)(y[i] / 2); x[i] = (T)(((v * 2 + 1) * v - 3) * v + 5); }
return 0;
// hashed i
unsigned h = 1; for (int i = 0; i < n; i++) h = h * 31 + (unsigned)y[i];
return (W)(h & 0xffff);
// equal a
int same = 1; for (int i = 0; i < n; i++) if (y[i] != z[i]) { same = 0; break; }
return same;
// sums_of_rows a
for (int i = 0; i < 4; i++) { T s = 0; for (int j = 0; j < n; j++) s = (T)(s + y[i * n + j]); x[i] = s; }
return 0;
// histogram a
int h[16] = {0}; for (int i = 0; i < n; i++) h[(int)y[i] & 15]++;
W s = 0; for (int i = 0; i < 16; i++) s = s * 3 + h[i];
return (W)(long long)s;
// by_address a
for (int i = 0; i < n; i++) { const T *s = q[i] ? y + i : z + i; x[i] = *s; }
return 0;
// two_sums a
W s = 0, t = 0; for (int i = 0; i < n; i++) { s += y[i]; t += (W)z[i] * i; }
return s + 2 * t;
// roots f
for (int i = 0; i < n; i++) x[i] = (T)__builtin_sqrt((double)(y[i] * y[i])) + (T)__builtin_fabs((double)z[i]);
return 0;
// rounded f
for (int i = 0; i < n; i++) x[i] = (T)__builtin_floor((double)y[i] * 0.3) + (T)__builtin_trunc((double)z[i] * 0.7);
return 0;
// signs f
for (int i = 0; i < n; i++) x[i] = (T)__builtin_copysign((double)y[i], (double)z[i]);
return 0;
// seen_as_bits f
W s = 0; for (int i = 0; i < n; i++) { U u; memcpy(&u, &y[i], sizeof u); s += (W)(u >> 20 & 255); }
return s;
