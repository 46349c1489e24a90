// pass: lint
// says: '[[threads_per_group]]' is no attribute
kernel void bad(device float* to [[buffer(0)]], uint size [[threads_per_group]]) { to[0] = static_cast<float>(size); }
