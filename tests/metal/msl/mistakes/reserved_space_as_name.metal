// pass: lint
// says: 'thread' is a word of Metal
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  float thread = 0.5f * *from;
  *to = thread + *other;
}
