// pass: types
// says: log1p
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) { *to = log1p(*from + *other); }
