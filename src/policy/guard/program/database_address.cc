#include "policy/guard/program/database_address.h"

#include <utility>

namespace talaria::guard {
namespace {

// A URL, or host=x; empty if the program does not say it in clear.
std::string database_address(const ProgramReport& report) {
  for (const ProgramFinding& one : report.findings) {
    if (one.act != ProgramAct::database) continue;
    for (const char* const name : {"host", "dsn", "uri", "url", "connectionString"}) {
      const ProgramValue* const found = one.arguments.find(name, 99);
      if (found == nullptr || found->list || !found->known()) continue;
      return found->text.contains("://") ? found->text : "host=" + found->text;
    }
    if (one.arguments.values.empty()) continue;
    const ProgramValue& first = one.arguments.values.front();
    const bool address = first.text.contains("://") || first.text.contains("host=");
    if (!first.list && first.known() && address) return first.text;
  }
  return "";
}

}  // namespace

std::vector<SeenWord> database_client(const ProgramReport& report, std::string_view client,
                                      const std::vector<SeenWord>& rest) {
  std::vector<SeenWord> words{{std::string(client)}};
  if (std::string address = database_address(report); !address.empty()) {
    words.push_back({std::move(address)});
  }
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

}  // namespace talaria::guard
