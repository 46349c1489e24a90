// pass: lint
// says: bad: seen buffer 0, wanted 1
kernel void bad(device float* to [[buffer(0)]], device const float* from [[buffer(0)]]) { to[0] = from[0]; }
