// pass: lint
// says: a lambda
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  const auto twice = [](float x) { return 2.0f * x; };
  *to = twice(*from + *other);
}
