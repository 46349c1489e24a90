// pass: types
// says: decomposition declarations
struct Two {
  float a, b;
};
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  const Two two{*from, *other};
  const auto [a, b] = two;
  *to = a + b;
}
