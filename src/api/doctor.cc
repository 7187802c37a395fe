#include "host/doctor.h"

#include <talaria/asio.h>
#include <talaria/doctor.h>

#include "api/wait_for.h"

namespace talaria {
namespace {

Task<Examination> examine_here(bool reap) {
  const AsioRuntime runtime(co_await asio::this_coro::executor,
                            {.lifetime = Lifetime::command_line});
  const Caller caller = Caller::of_this_process();
  co_return co_await examine(caller, runtime.requirements(), reap);
}

}  // namespace

Examination examine(bool reap) { return wait_for(examine_here(reap)); }

}  // namespace talaria
