// pass: lint
// says: 'virtual'
struct Shape {
  virtual float area() const { return 0.0f; }
};
