// pass: lint
// says: a static variable of a function
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  static constexpr constant float factor = 2.0f;
  *to = factor * (*from + *other);
}
