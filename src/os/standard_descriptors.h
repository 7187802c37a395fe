// The three descriptors that every program expects to have.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>
#include <tuple>

namespace talaria::os {

// Whoever started us may have closed one of the three; a descriptor of ours must not take its
// place. To be called before any other is opened.
inline void fill_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) < 0) std::ignore = ::open("/dev/null", O_RDWR);
  }
}

}  // namespace talaria::os
