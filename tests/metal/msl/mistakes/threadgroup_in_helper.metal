// pass: types
// says: local
static inline float through(float x) {
  WEFT_SCRATCH(shared, 1);
  shared[0] = x;
  return shared[0];
}
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) { *to = through(*from + *other); }
