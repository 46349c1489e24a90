// pass: types
// says: double
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  const double x = *from + *other;
  *to = static_cast<float>(x * x);
}
