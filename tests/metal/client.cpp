// Metal used by hand.
#include "tests/metal/client.h"

#include "tests/metal/standin_here.h"

namespace weft::test {

void* message_function() {
  static void* const function = standin_symbol("objc_msgSend");
  return function;
}
const void* selector_named(const char* name) {
  return reinterpret_cast<const void* (*)(const char*)>(standin_symbol("sel_registerName"))(name);
}
Id class_named(const char* name) {
  return reinterpret_cast<Id (*)(const char*)>(standin_symbol("objc_getClass"))(name);
}
Id string(const char* text) { return send(class_named("NSString"), "stringWithUTF8String:", text); }
std::string text_of(Id string) { return send<const char*>(string, "UTF8String"); }
Id default_device() { return reinterpret_cast<Id (*)()>(standin_symbol("MTLCreateSystemDefaultDevice"))(); }

ClientPool::ClientPool() : pool_(reinterpret_cast<void* (*)()>(standin_symbol("objc_autoreleasePoolPush"))()) {}
ClientPool::~ClientPool() { reinterpret_cast<void (*)(void*)>(standin_symbol("objc_autoreleasePoolPop"))(pool_); }

Client::Client(const char* text) : device(default_device()), queue(send(device, "newCommandQueue")) {
  Id options = send(class_named("MTLCompileOptions"), "new"), why = nullptr;
  send<void>(options, "setFastMathEnabled:", false);
  library = send(device, "newLibraryWithSource:options:error:", string(text), options, &why);
  send<void>(options, "release");
  if (library == nullptr) error = text_of(send(why, "localizedDescription"));
}

Client::~Client() {
  for (Id each : {library, queue, device}) send<void>(each, "release");
}

Id Client::pipeline(const char* kernel) {
  Id function = send(library, "newFunctionWithName:", string(kernel)), why = nullptr;
  Id made = send(device, "newComputePipelineStateWithFunction:error:", function, &why);
  send<void>(function, "release");
  return made;
}

Id Client::buffer(UInteger floats) {
  return send(device, "newBufferWithLength:options:", floats * sizeof(float), UInteger{0});
}

Launch::Launch(Client& client, const char* kernel)
    : pipeline(client.pipeline(kernel)),
      command(send(client.queue, "commandBuffer")),
      encoder(send(command, "computeCommandEncoder")) {
  send<void>(encoder, "setComputePipelineState:", pipeline);
}

Launch::~Launch() { send<void>(pipeline, "release"); }

Launch& Launch::buffer(UInteger index, Id buffer, UInteger offset) {
  send<void>(encoder, "setBuffer:offset:atIndex:", buffer, offset, index);
  return *this;
}

Launch& Launch::threads(Size groups, Size group) {
  send<void>(encoder, "dispatchThreadgroups:threadsPerThreadgroup:", groups, group);
  return *this;
}

UInteger Launch::finish() {
  end();
  commit();
  wait();
  return send<UInteger>(command, "status");
}

}  // namespace weft::test
