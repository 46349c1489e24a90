// pass: lint
// says: 'factor' is a variable of a struct
struct Factors {
  static constexpr float factor = 2.0f;
};
