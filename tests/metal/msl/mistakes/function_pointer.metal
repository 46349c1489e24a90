// pass: types
// says: pointers to functions
static inline float twice(float x) { return 2.0f * x; }
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  float (*call)(float) = twice;
  *to = call(*from + *other);
}
