#include "web/search_hits.h"

namespace talaria::web {

std::vector<SearchHit> hits_of(const json::array* results, std::string_view description,
                               std::size_t limit) {
  std::vector<SearchHit> hits;
  if (!results) return hits;
  for (const json::value& result : *results) {
    const json::object* object = result.if_object();
    if (hits.size() >= limit) break;
    if (!object) continue;
    SearchHit hit{.title = text_field(*object, "title"),
                  .url = text_field(*object, "url"),
                  .description = text_field(*object, description)};
    if (!hit.url.empty()) hits.push_back(std::move(hit));
  }
  return hits;
}

}  // namespace talaria::web
