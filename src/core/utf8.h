// UTF-8: whether a text is.
#pragma once

#include <string_view>

namespace weft {

/// Whether the bytes are UTF-8 as RFC 3629 has it: shortest forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);

}  // namespace weft
