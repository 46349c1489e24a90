// pass: lint
// says: bad: a parameter with 0 bindings
kernel void bad(device float* to [[buffer(0)]], uint size) { to[0] = static_cast<float>(size); }
