// The program sudo runs for a password: this one, called by the name "askpass". It gives the runner
// beside it the pipe that it should answer into, and its exit status says whether an answer came.
#pragma once

#include <string>
#include <string_view>

namespace talaria::runner {

inline constexpr const char* kNonceVariable = "TALARIA_ASKPASS";

// One byte, the answer of the runner.
enum class AskpassAnswer : char {
  given = 'g',
  rejected = 'r',  // this sudo had the password and asks again
  refused = 'n',
};

inline std::string askpass_program(const std::string& directory) { return directory + "/askpass"; }
inline std::string askpass_socket(const std::string& directory) {
  return directory + "/askpass.sock";
}

// Whether a program that is called so is this one.
bool is_askpass(std::string_view argv0);

int askpass_main(const char* argv0);

}  // namespace talaria::runner
