// pass: lint
// says: 'factor' is a variable of a namespace
namespace more {
constexpr float factor = 2.0f;
}
