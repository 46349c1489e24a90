// pass: lint
// says: 'float*' does not say which memory
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  float own[2] = {*from, *other};
  const float* p = own;
  *to = p[1];
}
