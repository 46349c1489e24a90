// pass: lint
// says: 'T*' does not say which memory
template <typename T>
static inline T first(T* from) {
  return *from;
}
