// Learning the 8x8 digits: mount a model, train it epoch by epoch, hand the weights back and save them.
#include <fmt/format.h>

#include <weft/weft.hpp>

int main() try {
  auto data = weft::data::digits().value();
  weft::Stack model{weft::dense(64, 32, weft::relu), weft::dense(32, 10)};
  model.initialise({.seed = 1}).value();
  auto session =
      weft::mount(model, {.device = "native_cpu", .loss = weft::cross_entropy, .optimizer = weft::sgd()}).value();
  for (int epoch = 0; epoch < 10; ++epoch) {
    auto r = session.fit(data.train, {.mode = "NormalBP", .lr = 0.1, .batch = 16, .epoch = epoch}).value();
    fmt::print("{} {:.4f}\n", r.loss, session.evaluate(data.test).value().accuracy);
  }
  session.sync_to_host().value();
  weft::save(model, "out").value();
  return 0;
} catch (const weft::Error& error) {
  fmt::print(stderr, "digits: {}\n", error.what());
  return 1;
}
