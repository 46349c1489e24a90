// pass: lint
// says: 'kernel' is a word of Metal
static inline float sized(uint kernel) { return static_cast<float>(kernel); }
