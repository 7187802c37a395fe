#include <talaria/version.h>

#include "front/cli/fronts.h"
#include "front/cli/report.h"
#include "front/cli/table.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

std::string version_json(const BuildFacts& facts) {
  json::array runners;
  for (const EmbeddedRunner& runner : facts.runners) {
    runners.push_back(json::object{
        {"architecture", runner.architecture}, {"sha256", runner.digest}, {"bytes", runner.bytes}});
  }
  return to_line(json::object{{"version", facts.version},
                              {"link", facts.link_protocol},
                              {"runners", std::move(runners)}}) +
         "\n";
}

std::string version_text(const BuildFacts& facts, const TextStyle& style) {
  Table table({"RUNNER FOR", "BYTES", "SHA-256"});
  for (const EmbeddedRunner& runner : facts.runners) {
    table.add({std::string(runner.architecture), std::to_string(runner.bytes),
               std::string(runner.digest)});
  }
  return "talaria " + std::string(facts.version) + ", link " + facts.link_protocol + "\n\n" +
         table.drawn(style);
}

}  // namespace

int run_command(const VersionOptions& options, const Stdio& stdio) {
  const BuildFacts facts = build_facts();
  const std::string text =
      options.json ? version_json(facts) : version_text(facts, style_for(stdio.out));
  return report_text(text, stdio);
}

}  // namespace talaria::front::cli
