// pass: types
// says: nested namespace
namespace weft::more {}
