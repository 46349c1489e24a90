// pass: types
// says: no matching function
static inline float first(threadgroup const float* from) { return *from; }
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) { *to = first(from) + *other; }
