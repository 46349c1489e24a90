// pass: types
// says: read-only
WEFT_START(bad, WEFT_VALUE(float) from, WEFT_FAR(const float) to, WEFT_FAR(float) other) { from = *to + *other; }
