// pass: types
// says: get_local_id
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  *to = from[get_local_id(0)] + *other;
}
