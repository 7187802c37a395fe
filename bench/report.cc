#include "bench/report.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace talaria::bench {
namespace {

namespace json = boost::json;

constexpr std::size_t kColumns = 6;
using Line = std::array<std::string, kColumns>;

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return "pass";
    case Verdict::missed:
      return "MISSED";
    case Verdict::noisy:
      return "NOISY";
    case Verdict::few_cores:
      return "few cores";
    case Verdict::failed:
      return "FAILED";
    case Verdict::not_measured:
      break;
  }
  return "not measured";
}

std::string show(const std::optional<Spread>& spread, const std::string& unit) {
  if (!spread) return "-";
  const int digits = spread->p50 >= 100 ? 0 : 2;
  if (spread->p50 == spread->p95) return fixed(spread->p50, digits) + " " + unit;
  return fixed(spread->p50, digits) + " / " + fixed(spread->p95, digits) + " " + unit;
}

// A bar as it is written in the goals: no digits that say nothing.
std::string show_bar(double bar) {
  std::string text = fixed(bar, 2);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string join(const std::vector<Judgement>& judgements,
                 std::string (*show_one)(const Judgement&)) {
  std::string text;
  for (const Judgement& judgement : judgements) {
    if (!text.empty()) text += ", ";
    text += show_one(judgement);
  }
  return text.empty() ? "-" : text;
}

Line line_of(const Row& row) {
  return {row.work,
          show(row.ours, row.unit),
          show(row.floor, row.unit),
          join(row.judgements,
               [](const Judgement& j) { return j.what + " " + fixed(j.value, j.digits) + j.unit; }),
          join(row.judgements,
               [](const Judgement& j) { return (j.at_most ? "<= " : ">= ") + show_bar(j.bar); }),
          name_of(row.verdict())};
}

std::string in_columns(const std::vector<Line>& lines) {
  std::array<std::size_t, kColumns> widths{};
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      text += "| " + line[i] + std::string(widths[i] - line[i].size() + 1, ' ');
    }
    text += "|\n";
  }
  return text;
}

Line ruler() {
  Line line;
  line.fill("---");
  return line;
}

json::value to_json(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"p50", spread->p50}, {"p95", spread->p95}};
}

json::object to_json(const Row& row) {
  json::array judgements;
  for (const Judgement& judgement : row.judgements) {
    judgements.push_back({{"what", judgement.what},
                          {"value", judgement.value},
                          {"bar", judgement.bar},
                          {"at_most", judgement.at_most},
                          {"holds", judgement.holds()}});
  }
  return {{"work", row.work},
          {"unit", row.unit},
          {"ours", to_json(row.ours)},
          {"floor", to_json(row.floor)},
          {"judgements", std::move(judgements)},
          {"notes", json::array(row.notes.begin(), row.notes.end())},
          {"verdict", name_of(row.verdict())}};
}

}  // namespace

std::string as_table(const Machine& machine, const std::vector<Row>& rows) {
  std::string text = machine.date + "; " + machine.processor + ", " +
                     std::to_string(machine.cores) + " cores; kernel " + machine.kernel +
                     "; bash " + machine.bash + "; load before " + machine.load + ", after " +
                     load_now() + "\n\n";
  std::vector<Line> lines{{"work", "ours p50 / p95", "floor p50 / p95", "ratio", "bar", "verdict"},
                          ruler()};
  for (const Row& row : rows) lines.push_back(line_of(row));
  text += in_columns(lines) + "\n";
  for (const Row& row : rows) {
    for (const std::string& note : row.notes) text += row.work + ": " + note + "\n";
  }
  return text;
}

std::string as_json(const Machine& machine, const std::vector<Row>& rows) {
  json::array list;
  for (const Row& row : rows) list.push_back(to_json(row));
  const json::object report{{"date", machine.date},     {"processor", machine.processor},
                            {"cores", machine.cores},   {"kernel", machine.kernel},
                            {"bash", machine.bash},     {"load_before", machine.load},
                            {"load_after", load_now()}, {"rows", std::move(list)}};
  return json::serialize(report) + "\n";
}

}  // namespace talaria::bench
