// Intrinsics of AArch64's vectors, each on lanes with the ends of what there is among them.
#include <arm_neon.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned char in[256], out[256];

static void show(const char *name, const void *p, int bytes) {
  printf("%s", name);
  for (int k = 0; k < bytes; k++) printf(" %02x", ((const unsigned char *)p)[k]);
  puts("");
}

// The type of a result, its intrinsic, and what it is given: of these types, from memory.
#define A(T) (*(const T *)in)
#define B(T) (*(const T *)(in + 64))
#define C(T) (*(const T *)(in + 128))
#define D(T) (*(const T *)(in + 192))
#define TWO(R, f, T) do { R r = f(A(T), B(T)); show(#f, &r, sizeof r); r = f(C(T), D(T)); show(#f, &r, sizeof r); } while (0)
#define ONE(R, f, T) do { R r = f(A(T)); show(#f, &r, sizeof r); r = f(D(T)); show(#f, &r, sizeof r); } while (0)
#define SHL(R, f, S) do { S by = {1, -1}; R r = f(A(R), B(S)); show(#f, &r, sizeof r); r = f(C(R), by + D(S) % 40); show(#f, &r, sizeof r); } while (0)
#define BY(R, f, T, n) do { R r = f(A(T), n); show(#f, &r, sizeof r); r = f(D(T), n); show(#f, &r, sizeof r); } while (0)

#define ALL(f, q) \
  TWO(uint8x8_t, f##_u8, uint8x8_t); TWO(int8x8_t, f##_s8, int8x8_t); TWO(uint16x4_t, f##_u16, uint16x4_t); TWO(int16x4_t, f##_s16, int16x4_t); \
  TWO(uint32x2_t, f##_u32, uint32x2_t); TWO(int32x2_t, f##_s32, int32x2_t); TWO(uint8x16_t, f##q_u8, uint8x16_t); TWO(int8x16_t, f##q_s8, int8x16_t); \
  TWO(uint16x8_t, f##q_u16, uint16x8_t); TWO(int16x8_t, f##q_s16, int16x8_t); TWO(uint32x4_t, f##q_u32, uint32x4_t); TWO(int32x4_t, f##q_s32, int32x4_t)
#define LONG(f) \
  TWO(uint16x8_t, f##_u8, uint8x8_t); TWO(int16x8_t, f##_s8, int8x8_t); TWO(uint32x4_t, f##_u16, uint16x4_t); TWO(int32x4_t, f##_s16, int16x4_t); \
  TWO(uint64x2_t, f##_u32, uint32x2_t); TWO(int64x2_t, f##_s32, int32x2_t)
#define HIGH(f) \
  TWO(uint8x8_t, f##_u16, uint16x8_t); TWO(int8x8_t, f##_s16, int16x8_t); TWO(uint16x4_t, f##_u32, uint32x4_t); TWO(int16x4_t, f##_s32, int32x4_t); \
  TWO(uint32x2_t, f##_u64, uint64x2_t); TWO(int32x2_t, f##_s64, int64x2_t)
#define ACROSS(f) \
  ONE(uint8_t, f##_u8, uint8x8_t); ONE(int8_t, f##_s8, int8x8_t); ONE(uint16_t, f##_u16, uint16x4_t); ONE(int16_t, f##_s16, int16x4_t); \
  ONE(uint8_t, f##q_u8, uint8x16_t); ONE(int8_t, f##q_s8, int8x16_t); ONE(uint16_t, f##q_u16, uint16x8_t); ONE(int16_t, f##q_s16, int16x8_t); \
  ONE(uint32_t, f##q_u32, uint32x4_t); ONE(int32_t, f##q_s32, int32x4_t)
#define SHIFTS(f) \
  BY(uint8x8_t, f##_n_u8, uint8x8_t, 3); BY(int8x8_t, f##_n_s8, int8x8_t, 7); BY(uint16x8_t, f##q_n_u16, uint16x8_t, 1); BY(int16x8_t, f##q_n_s16, int16x8_t, 15); \
  BY(uint32x4_t, f##q_n_u32, uint32x4_t, 32); BY(int32x4_t, f##q_n_s32, int32x4_t, 9); BY(uint64x2_t, f##q_n_u64, uint64x2_t, 33); BY(int64x2_t, f##q_n_s64, int64x2_t, 63)
#define NARROW(f) \
  BY(uint8x8_t, f##_n_u16, uint16x8_t, 3); BY(int8x8_t, f##_n_s16, int16x8_t, 8); BY(uint16x4_t, f##_n_u32, uint32x4_t, 15); BY(int16x4_t, f##_n_s32, int32x4_t, 1); \
  BY(uint32x2_t, f##_n_u64, uint64x2_t, 32); BY(int32x2_t, f##_n_s64, int64x2_t, 7)

__attribute__((noinline)) static uint64x2_t stripe(uint64x2_t acc, uint64x2_t data, uint64x2_t key) {
  // What XXH3 does.
  uint64x2_t mixed = veorq_u64(data, key);
  uint32x2_t low = vmovn_u64(mixed), high = vshrn_n_u64(mixed, 32);
  return vmlal_u32(vaddq_u64(acc, vextq_u64(data, data, 1)), low, high);
}

__attribute__((noinline)) static void memory(void) {
  uint8x16x2_t two = vld2q_u8(in);
  vst2q_u8(out, ((uint8x16x2_t){{two.val[1], two.val[0]}}));
  show("ld2", out, 32);
  uint8x8x3_t three = vld3_u8(in + 1);
  vst3_u8(out, ((uint8x8x3_t){{three.val[2], three.val[0], three.val[1]}}));
  show("ld3", out, 24);
  uint16x8x4_t four = vld4q_u16((const uint16_t *)(in + 2));
  vst4q_u16((uint16_t *)out, ((uint16x8x4_t){{four.val[3], four.val[1], four.val[0], four.val[2]}}));
  show("ld4", out, 64);
  uint32x4x2_t side = vld1q_u32_x2((const uint32_t *)in);
  vst1q_u32_x2((uint32_t *)out, ((uint32x4x2_t){{side.val[1], side.val[0]}}));
  show("ld1x2", out, 32);
  float32x4x2_t floats = vld2q_f32((const float *)in);
  vst1q_f32((float *)out, floats.val[1]);
  show("ld2", out, 16);
}

__attribute__((noinline)) static void tables(void) {
  uint8x16_t at = vandq_u8(vld1q_u8(in + 64), vdupq_n_u8(63)), t = vld1q_u8(in);
  uint8x16_t r = vqtbl1q_u8(t, at);
  show("tbl1", &r, 16);
  r = vqtbl2q_u8((uint8x16x2_t){{t, at}}, at);
  show("tbl2", &r, 16);
  r = vqtbl4q_u8((uint8x16x4_t){{t, at, vaddq_u8(t, at), vsubq_u8(t, at)}}, at);
  show("tbl4", &r, 16);
  r = vqtbx1q_u8(at, t, at);
  show("tbx1", &r, 16);
  r = vqtbl1q_u8(t, (uint8x16_t){15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 16, 255});
  show("tbl1", &r, 16);
  uint8x8_t half = vtbl1_u8(vget_low_u8(t), vget_low_u8(at));
  show("vtbl1", &half, 8);
}

int main(void) {
  for (int k = 0; k < 256; k++) in[k] = (unsigned char)(k * 73 + (k >> 3) * 5);
  memset(in, 0xff, 6), memset(in + 70, 0x80, 5), memset(in + 128, 0, 9), memset(in + 192, 0x7f, 3), in[66] = 0, in[67] = 0x80;
  ALL(vmin, ); ALL(vmax, ); ALL(vabd, ); ALL(vhadd, ); ALL(vrhadd, ); ALL(vhsub, ); ALL(vqadd, ); ALL(vqsub, ); ALL(vpadd, ); ALL(vpmax, ); ALL(vpmin, );
  LONG(vmull); LONG(vabdl); LONG(vaddl); HIGH(vaddhn); HIGH(vraddhn); HIGH(vsubhn); HIGH(vrsubhn);
  ACROSS(vaddv); ACROSS(vmaxv); ACROSS(vminv);
  SHL(uint8x16_t, vshlq_u8, int8x16_t); SHL(int8x16_t, vshlq_s8, int8x16_t); SHL(uint16x8_t, vshlq_u16, int16x8_t); SHL(int32x4_t, vshlq_s32, int32x4_t);
  SHL(uint64x2_t, vshlq_u64, int64x2_t); SHL(int64x2_t, vshlq_s64, int64x2_t); BY(int16x8_t, vshlq_s16, int16x8_t, ((int16x8_t){0, 1, -1, 15, 16, -15, -16, 100}));
  SHIFTS(vshr); SHIFTS(vrshr); NARROW(vshrn); NARROW(vrshrn); NARROW(vqshrn); NARROW(vqrshrn);
  BY(uint8x8_t, vqshrun_n_s16, int16x8_t, 4); BY(uint16x4_t, vqrshrun_n_s32, int32x4_t, 16);
  ONE(uint8x8_t, vqmovn_u16, uint16x8_t); ONE(int8x8_t, vqmovn_s16, int16x8_t); ONE(uint16x4_t, vqmovun_s32, int32x4_t);
  ONE(uint16x8_t, vpaddlq_u8, uint8x16_t); ONE(int32x4_t, vpaddlq_s16, int16x8_t); ONE(uint64x1_t, vpaddl_u32, uint32x2_t);
  ONE(uint16_t, vaddlvq_u8, uint8x16_t); ONE(int32_t, vaddlvq_s16, int16x8_t); ONE(uint64_t, vaddlvq_u32, uint32x4_t); ONE(int16_t, vaddlv_s8, int8x8_t);
  ONE(uint8x16_t, vcntq_u8, uint8x16_t); ONE(uint32x4_t, vclzq_u32, uint32x4_t); ONE(uint8x16_t, vrbitq_u8, uint8x16_t); ONE(int8x16_t, vabsq_s8, int8x16_t);
  ONE(uint64_t, vaddvq_u64, uint64x2_t); TWO(uint64x2_t, vpaddq_u64, uint64x2_t);
  float32x4_t f = {1.5f, -2.25f, 3, 100}, g = {0.5f, 7, -8, 9};
  float32x4_t h = vabdq_f32(f, g);
  show("vabdq_f32", &h, 16);
  h = vpaddq_f32(f, g);
  show("vpaddq_f32", &h, 16);
  float s = vaddvq_f32(f);
  show("vaddvq_f32", &s, 4);
  uint64x2_t acc = {1, 2};
  for (int k = 0; k < 15; k++) acc = stripe(acc, vld1q_u64((const uint64_t *)(in + 16 * k)), vld1q_u64((const uint64_t *)(in + 8 * k)));
  show("stripe", &acc, 16);
  uint8x16_t x = vbslq_u8(A(uint8x16_t), B(uint8x16_t), C(uint8x16_t));
  show("vbslq_u8", &x, 16);
  memory();
  tables();
  return 0;
}
