// pass: calls
// says: calls itself
static inline uint fibonacci(uint n) { return n < 2u ? n : fibonacci(n - 1u) + fibonacci(n - 2u); }
WEFT_START(bad, WEFT_FAR(const uint32_t) from, WEFT_FAR(uint32_t) to, WEFT_FAR(float) other) {
  *to = fibonacci(*from) + static_cast<uint32_t>(*other);
}
