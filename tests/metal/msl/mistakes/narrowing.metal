// pass: types
// says: implicit conversion
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(int32_t) to, WEFT_FAR(float) other) { *to = *from + *other; }
