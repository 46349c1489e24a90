// pass: types
// says: static
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  static float memory[4];
  memory[0] = *from + *other;
  *to = memory[0];
}
