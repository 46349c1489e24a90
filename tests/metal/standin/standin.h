// What tests ask of the stand-in beside Metal. To be found by dlsym in the library that WEFT_METAL_RUNTIME names.
#pragma once

extern "C" {

/// Objects alive: of a class ("MTLBuffer"), or of all for null. -1: no such class.
long weft_standin_alive(const char* class_name);

/// What happened since the process began: "command buffers", "encoders", "dispatches", "products" (of MPS), "libraries"
/// (without fast math), "fast libraries", "buffers", "bytes" (of buffers made); and "bytes alive". -1: nothing of that
/// name is counted.
long weft_standin_count(const char* what);

/// The n-th "command", "buffer" or "queue" from now on fails, once; 0: none does. False: no such thing can fail.
bool weft_standin_fail(const char* what, long n);
}
