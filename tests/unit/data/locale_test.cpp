// Numbers under a locale with a decimal comma: parsed and printed as under any other.
#include <gmock/gmock.h>

#include <clocale>
#include <locale>
#include <sstream>
#include <string>

#include "src/data/number.h"
#include "src/io/safetensors.h"
#include "tests/unit/data/complaint.h"
#include "weft/model_file.hpp"

namespace weft {
namespace {

using ::testing::HasSubstr;

// What C++ streams print and read with: 1.234,5
class German : public std::numpunct<char> {
 protected:
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

// The locale of C++ with a comma, and the one of C where the system has such a one. Both as before at the end.
class CommaLocale {
 public:
  CommaLocale() : before_(std::locale::global(std::locale(std::locale::classic(), new German))) {
    c_before_ = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"}) {
      if (std::setlocale(LC_ALL, name) != nullptr) break;
    }
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;
  ~CommaLocale() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, c_before_.c_str());
  }

 private:
  std::locale before_;
  std::string c_before_;
};

// All that is parsed and printed, as one text.
std::string everything() {
  std::string text;
  for (const char* number : {"1.5", "1,5", "1.234,5", "1e-3", "12345678.9", ".5", "nan"}) {
    double value = -1.0;
    const auto fault = data::parse_number(number, value);
    text += std::string(number) + " " + std::to_string(static_cast<int>(fault)) + " ";
    text += data::number_complaint(number, fault) +
            (value == 1.5 || value == 1e-3 || value == 12345678.9 ? " as is" : "") + "\n";
  }
  const auto table = test::read_text("a,b,y\n1234.5,0.001,0\n2.25,1e3,1\n12345.75,3,1\n");
  text += table.ok() ? "" : table.status().message();
  if (!table.ok()) return text;
  const auto parts = data::split(*table, {.test = 0.0, .scaling = data::ScalingKind::kStandardise});
  if (!parts.ok()) return text + parts.status().message();
  text += to_json(parts->scaling) + to_json(table->schema);
  const auto scaling = data::scaling_from_json(to_json(parts->scaling));
  text += scaling.ok() && *scaling == parts->scaling ? "read back\n" : "other scaling\n";
  text += test::csv_complaint("1,5;0\n2,5;1\n") + "\n";
  text += test::csv_complaint("1,0\n1234567,1\n", {.classes = 1234567}) + "\n";

  Stack model{dense(1000, 2000, relu)};
  const std::string json = to_json(Model(model));
  text += json + (model_from_json(json).ok() ? "read\n" : "not read\n");
  text += model_from_json(R"({"weft": 1, "model": {"type": "dense", "in": 12345.5, "out": 1, "act": "relu"}})")
              .status()
              .message();
  model.initialise({.seed = 3}).value();
  const test::TemporaryFolder folder;
  text += save(model, folder.path(), {{"lr", "0.125"}}).message() + test::slurp(folder / "weights.safetensors");
  text += load(folder.path()).ok() ? "loaded\n" : "not loaded\n";
  return text;
}

TEST(Locale, ADecimalCommaChangesNothing) {
  const std::string plain = everything();
  EXPECT_THAT(plain, HasSubstr("1.5 0  as is"));
  EXPECT_THAT(plain, HasSubstr("read back"));
  EXPECT_THAT(plain, HasSubstr("loaded"));
  const CommaLocale locale;
  std::ostringstream stream;
  stream << 1234.5;
  ASSERT_EQ(stream.str(), "1.234,5");  // the locale is in force
  EXPECT_EQ(everything(), plain);
}

}  // namespace
}  // namespace weft
