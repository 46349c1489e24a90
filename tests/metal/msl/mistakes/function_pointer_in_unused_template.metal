// pass: lint
// says: is a function pointer
template <typename T>
static inline T through(T (*call)(T), T x) {
  return call(x);
}
