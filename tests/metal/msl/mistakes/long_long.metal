// pass: lint
// says: 'long long'
WEFT_START(bad, WEFT_FAR(const float) from, WEFT_FAR(float) to, WEFT_FAR(float) other) {
  const long long n = static_cast<long long>(*from + *other);
  *to = static_cast<float>(n);
}
