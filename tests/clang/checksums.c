/* Checksums and ciphers: CRC in four ways, Adler, Fletcher, MD5, SHA-1, SHA-256, RC4, XTEA, base 64. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t table[256];
static void fill(void) {
    for (uint32_t k = 0; k < 256; k++) {
        uint32_t c = k;
        for (int j = 0; j < 8; j++) c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
        table[k] = c;
    }
}
static uint32_t crc32(const char *s) { uint32_t c = ~0u; while (*s) c = table[(c ^ (uint8_t)*s++) & 255] ^ c >> 8; return ~c; }
static uint16_t crc16(const char *s) {
    uint16_t c = 0xffff;
    for (; *s; s++) { c ^= (uint16_t)((uint8_t)*s << 8); for (int k = 0; k < 8; k++) c = (uint16_t)(c & 0x8000 ? c << 1 ^ 0x1021 : c << 1); }
    return c;
}
static uint8_t crc8(const char *s) { uint8_t c = 0; for (; *s; s++) { c ^= (uint8_t)*s; for (int k = 0; k < 8; k++) c = (uint8_t)(c << 1 ^ (-(c >> 7) & 7)); } return c; }
static uint64_t crc64(const char *s) { uint64_t c = 0; for (; *s; s++) { c ^= (uint64_t)(uint8_t)*s << 56; for (int k = 0; k < 8; k++) c = c << 1 ^ (-(c >> 63) & 0x42f0e1eba9ea3693); } return c; }
static uint32_t adler(const char *s) { uint32_t a = 1, b = 0; while (*s) a = (a + (uint8_t)*s++) % 65521, b = (b + a) % 65521; return b << 16 | a; }

static uint32_t rol(uint32_t x, int n) { return x << n | x >> (32 - n); }
static uint32_t ror(uint32_t x, int n) { return x >> n | x << (32 - n); }
static size_t padded(uint8_t *to, const char *s, int big) {
    size_t n = strlen(s), total = (n + 72) / 64 * 64;
    memset(to, 0, total);
    memcpy(to, s, n);
    to[n] = 0x80;
    for (int k = 0; k < 8; k++) to[total - 8 + (size_t)k] = (uint8_t)((uint64_t)n * 8 >> (big ? 56 - 8 * k : 8 * k));
    return total;
}
static void md5(const char *s) {
    static const uint8_t turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static uint32_t sines[64];
    if (!sines[0]) {
        double x = 0; /* floor(2^32 |sin(k)|) by Taylor's series with reduced arguments */
        for (int k = 1; k <= 64; k++) {
            x = k;
            while (x > 3.141592653589793) x -= 3.141592653589793;
            double t = x, sum = x;
            for (int j = 1; j < 16; j++) t *= -x * x / ((2 * j) * (2 * j + 1)), sum += t;
            sines[k - 1] = (uint32_t)(sum * 4294967296.0) & 0xffff0000;
        }
    }
    uint8_t data[256];
    uint32_t h[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    size_t n = padded(data, s, 0);
    for (size_t at = 0; at < n; at += 64) {
        uint32_t w[16], a = h[0], b = h[1], c = h[2], d = h[3];
        for (int k = 0; k < 16; k++) w[k] = data[at + 4 * k] | data[at + 4 * k + 1] << 8 | data[at + 4 * k + 2] << 16 | (uint32_t)data[at + 4 * k + 3] << 24;
        for (int k = 0; k < 64; k++) {
            uint32_t f, g;
            switch (k / 16) {
            case 0: f = (b & c) | (~b & d), g = k; break;
            case 1: f = (d & b) | (~d & c), g = 5 * k + 1; break;
            case 2: f = b ^ c ^ d, g = 3 * k + 5; break;
            default: f = c ^ (b | ~d), g = 7 * k;
            }
            f += a + sines[k] + w[g % 16];
            a = d, d = c, c = b, b += rol(f, turns[k / 16][k % 4]);
        }
        h[0] += a, h[1] += b, h[2] += c, h[3] += d;
    }
    printf("%08x%08x%08x%08x\n", h[0], h[1], h[2], h[3]);
}
static void sha1(const char *s) {
    uint8_t data[256];
    uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    size_t n = padded(data, s, 1);
    for (size_t at = 0; at < n; at += 64) {
        uint32_t w[80], v[5];
        for (int k = 0; k < 16; k++) w[k] = (uint32_t)data[at + 4 * k] << 24 | data[at + 4 * k + 1] << 16 | data[at + 4 * k + 2] << 8 | data[at + 4 * k + 3];
        for (int k = 16; k < 80; k++) w[k] = rol(w[k - 3] ^ w[k - 8] ^ w[k - 14] ^ w[k - 16], 1);
        memcpy(v, h, sizeof v);
        for (int k = 0; k < 80; k++) {
            uint32_t f = k < 20 ? ((v[1] & v[2]) | (~v[1] & v[3])) + 0x5a827999 : k < 40 ? (v[1] ^ v[2] ^ v[3]) + 0x6ed9eba1
                       : k < 60 ? ((v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3])) + 0x8f1bbcdc : (v[1] ^ v[2] ^ v[3]) + 0xca62c1d6;
            uint32_t t = rol(v[0], 5) + f + v[4] + w[k];
            v[4] = v[3], v[3] = v[2], v[2] = rol(v[1], 30), v[1] = v[0], v[0] = t;
        }
        for (int k = 0; k < 5; k++) h[k] += v[k];
    }
    for (int k = 0; k < 5; k++) printf("%08x", h[k]);
    printf("\n");
}
static uint32_t fraction(int prime, int cube) {
    uint64_t low = 0, high = (uint64_t)8 << 32; /* the root of the prime by halving, with 32 bits behind the point */
    while (high - low > 1) {
        uint64_t mid = (low + high) / 2, top = mid >> 16, squared = top * top;
        if (cube ? (squared >> 16) * top >> 16 >= (uint64_t)prime << 16 : squared >= (uint64_t)prime << 32) high = mid;
        else low = mid;
    }
    return (uint32_t)low;
}
static void sha256(const char *s) {
    static uint32_t keys[64], first[8];
    for (int n = 2, k = 0; k < 64; n++) {
        int prime = 1;
        for (int d = 2; d * d <= n; d++) prime &= n % d != 0;
        if (!prime) continue;
        if (k < 8) first[k] = fraction(n, 0);
        keys[k++] = fraction(n, 1);
    }
    uint8_t data[256];
    uint32_t h[8];
    memcpy(h, first, sizeof h);
    size_t n = padded(data, s, 1);
    for (size_t at = 0; at < n; at += 64) {
        uint32_t w[64], v[8];
        for (int k = 0; k < 16; k++) w[k] = (uint32_t)data[at + 4 * k] << 24 | data[at + 4 * k + 1] << 16 | data[at + 4 * k + 2] << 8 | data[at + 4 * k + 3];
        for (int k = 16; k < 64; k++)
            w[k] = w[k - 16] + (ror(w[k - 15], 7) ^ ror(w[k - 15], 18) ^ w[k - 15] >> 3) + w[k - 7] + (ror(w[k - 2], 17) ^ ror(w[k - 2], 19) ^ w[k - 2] >> 10);
        memcpy(v, h, sizeof v);
        for (int k = 0; k < 64; k++) {
            uint32_t t = v[7] + (ror(v[4], 6) ^ ror(v[4], 11) ^ ror(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + keys[k] + w[k];
            uint32_t u = (ror(v[0], 2) ^ ror(v[0], 13) ^ ror(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
            memmove(v + 1, v, 7 * sizeof *v);
            v[4] += t, v[0] = t + u;
        }
        for (int k = 0; k < 8; k++) h[k] += v[k];
    }
    for (int k = 0; k < 8; k++) printf("%08x", h[k]);
    printf("\n");
}
static void rc4(const char *key, const char *s) {
    uint8_t box[256], i = 0, j = 0;
    size_t n = strlen(key);
    for (int k = 0; k < 256; k++) box[k] = (uint8_t)k;
    for (int k = 0; k < 256; k++) { j = (uint8_t)(j + box[k] + key[(size_t)k % n]); uint8_t t = box[k]; box[k] = box[j], box[j] = t; }
    for (j = 0; *s; s++) {
        j += box[++i];
        uint8_t t = box[i];
        box[i] = box[j], box[j] = t;
        printf("%02x", (uint8_t)*s ^ box[(uint8_t)(box[i] + box[j])]);
    }
    printf("\n");
}
static void xtea(uint32_t v[2], const uint32_t key[4], int back) {
    uint32_t sum = back ? 0x9e3779b9u * 32 : 0;
    for (int k = 0; k < 32; k++) {
        if (!back) v[0] += ((v[1] << 4 ^ v[1] >> 5) + v[1]) ^ (sum + key[sum & 3]), sum += 0x9e3779b9, v[1] += ((v[0] << 4 ^ v[0] >> 5) + v[0]) ^ (sum + key[sum >> 11 & 3]);
        else v[1] -= ((v[0] << 4 ^ v[0] >> 5) + v[0]) ^ (sum + key[sum >> 11 & 3]), sum -= 0x9e3779b9, v[0] -= ((v[1] << 4 ^ v[1] >> 5) + v[1]) ^ (sum + key[sum & 3]);
    }
}
static void base64(const char *s) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = strlen(s);
    for (size_t k = 0; k < n; k += 3) {
        uint32_t x = (uint32_t)(uint8_t)s[k] << 16 | (k + 1 < n ? (uint8_t)s[k + 1] << 8 : 0) | (k + 2 < n ? (uint8_t)s[k + 2] : 0);
        printf("%c%c%c%c", digits[x >> 18], digits[x >> 12 & 63], k + 1 < n ? digits[x >> 6 & 63] : '=', k + 2 < n ? digits[x & 63] : '=');
    }
    printf("\n");
}

int main(void) {
    static const char *const texts[] = {"", "abc", "123456789", "The quick brown fox jumps over the lazy dog, and over several other animals too."};
    fill();
    for (int k = 0; k < 4; k++) {
        const char *s = texts[k];
        printf("%08x %04x %02x %016llx %08x\n", crc32(s), crc16(s), crc8(s), (unsigned long long)crc64(s), adler(s));
        md5(s), sha1(s), sha256(s), rc4("Key", s), base64(s);
    }
    uint32_t v[2] = {0x41424344, 0x45464748}, key[4] = {0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f};
    xtea(v, key, 0);
    printf("%08x%08x ", v[0], v[1]);
    xtea(v, key, 1);
    printf("%08x%08x\n", v[0], v[1]);
    return (int)(crc32(texts[3]) % 200);
}
