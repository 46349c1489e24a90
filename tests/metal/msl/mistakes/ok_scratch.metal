// pass: none
WEFT_CONSTANT float kShare = 0.5f, kOther[2] = {0.25f, 1e-3f};
struct Pair {
  WEFT_STATIC float kWhole = 2.0f;
  float a, b;
};
static inline void swap(thread Pair& pair) { pair = Pair{pair.b, pair.a}; }
static inline float first(threadgroup const float* from, uint at) { return from[at] * kOther[at & 1u]; }
WEFT_START(good, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_VALUE(float) other) {
  WEFT_SCRATCH(scratch, kScratchFloats);
  const Team team = WEFT_TEAM(scratch);
  scratch[team.rank] = kShare * other;
  team.barrier();
  Pair pair{first(scratch, 0), from[team.rank]};
  swap(pair);
  to[team.rank] = sum(team, pair.a * Pair::kWhole);
}
