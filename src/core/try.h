// Early return on errors.
#pragma once

#include "weft/status.hpp"

/// Returns the Status of `expression` from the enclosing function unless it is ok.
#define WEFT_RETURN_IF_ERROR(expression)                                                  \
  do {                                                                                    \
    if (::weft::Status weft_status = (expression); !weft_status.ok()) return weft_status; \
  } while (false)

#define WEFT_CONCAT_INNER(a, b) a##b
#define WEFT_CONCAT(a, b) WEFT_CONCAT_INNER(a, b)
#define WEFT_ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                        \
  if (!result.ok()) return result.status();                          \
  declaration = *std::move(result)

/// Declares a variable from a Result, or returns its Status.
#define WEFT_ASSIGN_OR_RETURN(declaration, expression) \
  WEFT_ASSIGN_OR_RETURN_INNER(WEFT_CONCAT(weft_result_, __LINE__), declaration, expression)
