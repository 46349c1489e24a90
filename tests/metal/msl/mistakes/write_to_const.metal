// pass: types
// says: read-only
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(const float) to, WEFT_FAR(float) other) { to[0] = *from + *other; }
