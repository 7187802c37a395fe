#include "front/cli/report.h"

#include <gtest/gtest.h>

#include "testing/pipe.h"

namespace talaria::front::cli {
namespace {

TEST(Report, DurationsInTwoUnits) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  EXPECT_EQ(duration_text(milliseconds(999)), "0s");
  EXPECT_EQ(duration_text(seconds(59)), "59s");
  EXPECT_EQ(duration_text(seconds(61)), "1m 1s");
  EXPECT_EQ(duration_text(seconds(3600)), "1h");
  EXPECT_EQ(duration_text(seconds(2 * 3600 + 3 * 60 + 9)), "2h 3m");
  EXPECT_EQ(duration_text(seconds(4 * 86400 + 7200)), "4d 2h");
}

TEST(Report, AnErrorGoesWhereItIsExpected) {
  test::Pipe out, err;
  const Stdio stdio{.out = out.writer(), .err = err.writer()};
  const Error error(ErrorKind::denied, "no");
  EXPECT_EQ(report_error(error, false, stdio), kFailed);
  EXPECT_EQ(err.read_available(), "talaria: no\n");
  EXPECT_EQ(out.read_available(), "");
  EXPECT_EQ(report_error(error, true, stdio), kFailed);
  EXPECT_EQ(out.read_available(), "{\"error\":\"no\"}\n");
  EXPECT_EQ(err.read_available(), "");
}

TEST(Report, WhyACommandWasNotStarted) {
  const NotStarted waits = not_started({{"error", ""},
                                        {"status", "pending_approval"},
                                        {"description", "recursive delete"},
                                        {"approve_with", "talaria approve appr_1"}});
  EXPECT_EQ(waits.text,
            "not started: the command needs approval (recursive delete). Approve it with 'talaria "
            "approve appr_1', then run it again.");
  EXPECT_TRUE(waits.refused);
  const NotStarted blocked = not_started({{"error", "BLOCKED: x"}, {"status", "blocked"}});
  EXPECT_EQ(blocked.text, "BLOCKED: x");
  EXPECT_TRUE(blocked.refused);
  const NotStarted failed = not_started({{"error", "no space"}, {"status", "error"}});
  EXPECT_EQ(failed.text, "no space");
  EXPECT_FALSE(failed.refused);
  EXPECT_EQ(not_started({{"error", nullptr}, {"session_id", "proc_1"}}).text, "");
}

}  // namespace
}  // namespace talaria::front::cli
