#include "web/page_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::web {
namespace {

using testing::EndsWith;
using testing::StartsWith;

TEST(PageText, InlineImagesAreTakenOut) {
  EXPECT_EQ(without_inline_images("a ![x](data:image/png;base64,iVBOR/+w0=) b"),
            "a ![x]([BASE64_IMAGE_REMOVED]) b");
  EXPECT_EQ(without_inline_images("DATA:IMAGE/GIF;charset=x;BASE64,QUJD data:image/svg+xml,<svg>"),
            "[BASE64_IMAGE_REMOVED] data:image/svg+xml,<svg>");
  EXPECT_EQ(without_inline_images("data:image/"), "data:image/");
  EXPECT_EQ(without_inline_images("d data:, data:image/,x"), "d data:, data:image/,x");
}

TEST(PageText, ALongPageIsCutAndSaysSo) {
  const std::string whole(5000, 'x');
  EXPECT_EQ(shown_page(whole), whole);
  EXPECT_EQ(shown_page(whole + "y"),
            whole + "\n\n[Content truncated: the first 5,000 of 5,001 characters]");
  std::string umlauts;
  for (int i = 0; i < 5000; ++i) umlauts += "ü";
  EXPECT_EQ(shown_page(umlauts), umlauts);
  EXPECT_EQ(shown_page(std::string(2'500'000, 'x')),
            "[Content too large to process: 2.5MB. Try a more focused source URL.]");
}

}  // namespace
}  // namespace talaria::web
