// pass: none
struct Relu {
  static inline float at(float x) { return x > 0.0f ? x : 0.0f; }
};
template <typename Activation>
static inline float activated(float x) {
  return Activation::at(x);
}
WEFT_START(good, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  const float x = activated<Relu>(*from) * *other;
  *to = x;
}
