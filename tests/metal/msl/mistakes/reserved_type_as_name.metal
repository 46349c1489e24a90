// pass: lint
// says: 'half' is a type of Metal
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  const float half = 0.5f * *from;
  *to = half + *other;
}
