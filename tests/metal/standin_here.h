// StandinHere: the stand-in loaded in this process, for tests that run the backend on it and look behind.
#pragma once

#include <string>

namespace weft::test {

/// Names the libraries that this build made, where the environment names no others. Before any device is looked for.
void use_standin();

/// As in tests/metal/standin/standin.h.
long standin_alive(const char* class_name = nullptr);
long standin_count(const char* what);
bool standin_fail(const char* what, long n);

/// The function of that name in the stand-in's library.
void* standin_symbol(const char* name);

}  // namespace weft::test
