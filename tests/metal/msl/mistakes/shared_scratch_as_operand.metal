// pass: types
// says: no matching function
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  WEFT_SCRATCH(scratch, kScratchFloats);
  const Team team = WEFT_TEAM(scratch);
  *to = dot(team, 1, from, scratch) + *other;
}
