#include "host/doctor.h"

#include <talaria/doctor.h>

#include <algorithm>
#include <iterator>

#include "api/asio_runtime.h"
#include "api/core.h"
#include "api/wait_for.h"

namespace talaria {
namespace {

Orphan to_orphan(const environment::Swept& swept) {
  return {.what = swept.what,
          .why = swept.why,
          .removed = swept.removed,
          .trouble = swept.error ? swept.error->message() : ""};
}

Task<Examination> examine_here(ExaminationOptions options) {
  const AsioRuntime runtime(co_await asio::this_coro::executor,
                            {.lifetime = Lifetime::command_line});
  const host::Caller caller = host::Caller::of_this_process();
  const bool removes = options.reap && !options.dry_run;
  const Result<void> reached = co_await runtime.reach();
  Examination found = co_await examine(caller, reached, removes);
  if (!reached) co_return found;  // why is among the findings
  const auto swept = co_await runtime.core()->host().environments.sweep(options.running, !removes);
  if (swept) {
    std::ranges::transform(*swept, std::back_inserter(found.orphans), to_orphan);
  } else {
    found.findings.push_back(
        {.verdict = Verdict::warn,
         .check = "leftovers at target",
         .found = swept.error().message(),
         .advice = "make sure that the target can be reached, then try again"});
  }
  co_return found;
}

}  // namespace

Examination examine(const ExaminationOptions& options) { return wait_for(examine_here(options)); }

}  // namespace talaria
