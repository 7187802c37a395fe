// What a runner is asked about files: one function per method, as in open_request.h.
#pragma once

#include <string_view>

#include "runner/request/open_request.h"

namespace talaria::runner {

Result<Begun> begin_stat_file(const RequestContext& context, std::string_view body);
Result<Begun> begin_read_file(const RequestContext& context, std::string_view body);
Result<Begun> begin_read_lines(const RequestContext& context, std::string_view body);
Result<Begun> begin_search_files(const RequestContext& context, std::string_view body);
Result<Begun> begin_locate_file(const RequestContext& context, std::string_view body);
Result<Begun> begin_change_files(const RequestContext& context, std::string_view body);
Result<Begun> begin_write_file(const RequestContext& context, std::string_view body);
Result<Begun> begin_remove_files(const RequestContext& context, std::string_view body);
Result<Begun> begin_list_files(const RequestContext& context, std::string_view body);

}  // namespace talaria::runner
