// pass: spaces
// says: without address space: ParmVarDecl
static inline void twice(float& x) { x = x * 2.0f; }
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  float x = *from + *other;
  twice(x);
  *to = x;
}
