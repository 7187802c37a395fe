/* The version of these headers, for #if; also for C. In C++, talaria/version.h has it as text. */
#ifndef TALARIA_VERSION_NUMBER

#define TALARIA_VERSION_MAJOR 0
#define TALARIA_VERSION_MINOR 1
#define TALARIA_VERSION_PATCH 0

/* 0.1.0 is 100, 1.2.3 is 10203. */
#define TALARIA_VERSION_NUMBER \
  (TALARIA_VERSION_MAJOR * 10000 + TALARIA_VERSION_MINOR * 100 + TALARIA_VERSION_PATCH)

#endif
