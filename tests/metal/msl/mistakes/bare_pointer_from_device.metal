// pass: types
// says: cannot initialize
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  const float* p = from;
  *to = *p + *other;
}
