// pass: types
// says: initializer
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  WEFT_SCRATCH(shared, 2) = {1.0f, 2.0f};
  *to = shared[0] + *from + *other;
}
