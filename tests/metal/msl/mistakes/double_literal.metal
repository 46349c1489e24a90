// pass: types
// says: double precision
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) { *to = *from * 0.1 + *other; }
