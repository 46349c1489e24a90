// pass: calls
// says: calls itself through
static inline bool is_odd(uint n);
static inline bool is_even(uint n) { return n == 0u ? true : is_odd(n - 1u); }
static inline bool is_odd(uint n) { return n == 0u ? false : is_even(n - 1u); }
WEFT_START(bad, WEFT_FAR(const uint32_t) from, WEFT_FAR(uint32_t) to, WEFT_FAR(float) other) {
  *to = (is_even(*from) ? 1u : 0u) + static_cast<uint32_t>(*other);
}
