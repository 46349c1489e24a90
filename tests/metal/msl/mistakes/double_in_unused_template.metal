// pass: lint
// says: 'double' is not in Metal
template <typename T>
static inline T wide(T x) {
  return static_cast<T>(static_cast<double>(x));
}
