// pass: spaces
// says: without address space: FunctionDecl
static inline float& same(thread float& x) { return x; }
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  float x = *from + *other;
  same(x) = 2.0f;
  *to = x;
}
