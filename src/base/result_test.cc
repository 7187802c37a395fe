#include "base/result.h"

#include <gtest/gtest.h>

namespace talaria {
namespace {

TEST(Result, KindNamesRoundTrip) {
  for (const ErrorKind kind : {ErrorKind::bad_request, ErrorKind::not_found, ErrorKind::denied,
                               ErrorKind::timed_out, ErrorKind::interrupted, ErrorKind::unavailable,
                               ErrorKind::runner_lost, ErrorKind::limit, ErrorKind::system}) {
    EXPECT_EQ(kind_from_name(kind_name(kind)), kind);
  }
}

TEST(Result, AnUnknownKindFromANewerPeerIsSystem) {
  EXPECT_EQ(kind_from_name("from_the_future"), ErrorKind::system);
}

TEST(Result, FromErrnoNamesTheAttemptAndTheReason) {
  const Error error = Error::from_errno("open /nowhere", ENOENT);
  EXPECT_EQ(error.message(), "open /nowhere: No such file or directory");
  EXPECT_EQ(error.kind(), ErrorKind::system);
}

}  // namespace
}  // namespace talaria
