// pass: types
// says: file not found
#include <math.h>
