// pass: spaces
// says: without address space: FieldDecl
struct Range {
  const float* begin;
};
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  float own = *from + *other;
  const Range range{&own};
  *to = *range.begin;
}
