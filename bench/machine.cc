#include "bench/machine.h"

#include <sys/utsname.h>
#include <sys/wait.h>

#include <array>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

#include "bench/program.h"

namespace talaria::bench {
namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  }
  return "unknown";
}

std::string kernel_release() {
  utsname name{};
  ::uname(&name);
  return name.release;
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 32> text{};
  std::tm parts{};
  const std::size_t size =
      std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", ::gmtime_r(&now, &parts));
  return {text.data(), size};
}

}  // namespace

std::string load_now() {
  std::ifstream file("/proc/loadavg");
  std::string one;
  std::string five;
  std::string fifteen;
  file >> one >> five >> fifteen;
  return one + " " + five + " " + fifteen;
}

Machine describe_machine() {
  return {.processor = processor_name(),
          .cores = std::thread::hardware_concurrency(),
          .kernel = kernel_release(),
          .bash = output_of_bash("printf %s \"$BASH_VERSION\""),
          .date = today(),
          .load = load_now()};
}

}  // namespace talaria::bench
