// pass: types
// says: program scope variable
float table[2] = {1.0f, 2.0f};
