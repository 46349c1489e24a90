// Client: Metal used by hand, a message at a time, right or wrong as a test likes.
#pragma once

#include <string>

namespace weft::test {

using Id = void*;
using UInteger = unsigned long;
struct Size {  // MTLSize
  UInteger width = 1, height = 1, depth = 1;
};

/// Sends any message: send<Id>(object, "retain").
void* message_function();
const void* selector_named(const char* name);
template <typename R = Id, typename... A>
R send(Id object, const char* selector, A... arguments) {
  return reinterpret_cast<R (*)(Id, const void*, A...)>(message_function())(object, selector_named(selector),
                                                                            arguments...);
}

Id class_named(const char* name);
Id string(const char* text);
std::string text_of(Id string);
Id default_device();

class ClientPool {
 public:
  ClientPool();
  ~ClientPool();
  ClientPool(const ClientPool&) = delete;
  ClientPool& operator=(const ClientPool&) = delete;

 private:
  void* pool_;
};

/// A device, a queue and kernels of a text, with a pool around. Gives all of it back.
class Client {
 public:
  /// Where the text does not compile, library is null and error says why.
  explicit Client(const char* text);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Id pipeline(const char* kernel);  // the caller's
  Id buffer(UInteger floats);       // the caller's
  static float* floats(Id buffer) { return send<float*>(buffer, "contents"); }

 private:
  ClientPool pool_;

 public:
  Id device, queue, library;
  std::string error;
};

/// One kernel in a command buffer of its own, step by step.
class Launch {
 public:
  Launch(Client& client, const char* kernel);
  ~Launch();
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  Launch& buffer(UInteger index, Id buffer, UInteger offset = 0);
  template <typename T>
  Launch& bytes(UInteger index, const T& value) {
    send<void>(encoder, "setBytes:length:atIndex:", static_cast<const void*>(&value), UInteger{sizeof value}, index);
    return *this;
  }
  Launch& threads(Size groups, Size group);
  void end() { send<void>(encoder, "endEncoding"); }
  void commit() { send<void>(command, "commit"); }
  void wait() { send<void>(command, "waitUntilCompleted"); }
  /// All three; the command buffer's status.
  UInteger finish();

  Id pipeline, command, encoder;
};

}  // namespace weft::test
