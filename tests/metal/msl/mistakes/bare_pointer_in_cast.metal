// pass: types
// says: reinterpret_cast
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(uint32_t) to, WEFT_FAR(float) other) {
  *to = *reinterpret_cast<const uint32_t*>(from) + static_cast<uint32_t>(*other);
}
