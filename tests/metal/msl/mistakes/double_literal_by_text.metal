// pass: lint
// says: '1e-3' is a double
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) { *to = *from * 1e-3 + *other; }
