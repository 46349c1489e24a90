// The name of the shipped file of digits.
#pragma once

namespace weft::data {

/// A weft that reads no compressed files is installed with it unpacked.
#ifdef WEFT_HAVE_ZLIB
inline constexpr const char* kDigitsFile = "digits.csv.gz";
#else
inline constexpr const char* kDigitsFile = "digits.csv";
#endif

}  // namespace weft::data
