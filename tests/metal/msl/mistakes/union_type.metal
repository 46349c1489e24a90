// pass: lint
// says: 'union'
union Bits {
  float real;
  uint bits;
};
