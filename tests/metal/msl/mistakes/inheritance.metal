// pass: lint
// says: 'Derived' is derived
struct Base {
  float x;
};
struct Derived : Base {
  float y;
};
