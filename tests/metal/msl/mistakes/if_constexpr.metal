// pass: types
// says: constexpr if
template <bool relu>
static inline float activated(float x) {
  if constexpr (relu) return x > 0.0f ? x : 0.0f;
  return x;
}
