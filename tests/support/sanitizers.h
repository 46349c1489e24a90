// Whether this is a sanitized build, in which memory is kept and counted by the sanitizer.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WEFT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WEFT_SANITIZED 1
#endif
#endif
#ifndef WEFT_SANITIZED
#define WEFT_SANITIZED 0
#endif
