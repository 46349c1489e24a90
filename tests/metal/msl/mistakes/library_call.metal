// pass: types
// says: std
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) { *to = std::max(*from, *other); }
