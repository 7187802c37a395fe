#include "http/host_name.h"

#include <string>

#include <gtest/gtest.h>

namespace talaria::http {
namespace {

std::string ascii(std::string_view name) {
  const auto result = ascii_host_name(name);
  return result ? *result : "refused";
}

// The results are those of libidn2 2.3.3, with which every code point was compared once.
TEST(HostNameTest, IsWrittenAsInTheDns) {
  const struct {
    const char* name;
    const char* expected;
  } cases[] = {
      {"bücher.example", "xn--bcher-kva.example"},
      {"BÜCHER.Example", "xn--bcher-kva.example"},
      {"bu\u0308cher.example", "xn--bcher-kva.example"},  // not composed
      {"straße.example", "xn--strae-oqa.example"},        // not strasse
      {"STRASSE.ä", "strasse.xn--4ca"},
      {"faẞ.de", "fass.de"},
      {"βόλος.com", "xn--nxasmm1c.com"},  // a final sigma stays one
      {"例え。テスト", "xn--r8jz45g.xn--zckzah"},
      {"ｅｘａｍｐｌｅ．ｃｏｍ", "example.com"},
      {"١٢٣.مثال", "refused"},  // begins with a number
      {"مثال.إختبار", "xn--mgbh0fb.xn--kgbechtv"},
      {"דוגמה.טעסט", "xn--6dbbec0c.xn--deba0ad"},
      {"उदाहरण.परीक्षा", "xn--p1b6ci4b4b3a.xn--11b5bs3a9aj6g"},
      {"क्\u200dष.example", "xn--11b2ezcw70k.example"},  // a joiner behind a virama
      {"a\u00adb.ä", "ab.xn--4ca"},                     // a soft hyphen is left out
      {"l·l.example", "xn--ll-0ea.example"},
      {"カ・カ.example", "xn--lcka3v.example"},
      {"xn--bcher-kva.ä", "xn--bcher-kva.xn--4ca"},
  };
  for (const auto& c : cases) EXPECT_EQ(ascii(c.name), c.expected) << c.name;
}

TEST(HostNameTest, RefusesWhatIsNotAName) {
  for (const char* name : {
           "☃.example",         // a symbol
           "a…b.example",       // becomes dots that nobody sees
           "a\u202eb.example",  // turns the direction of the text
           "a\u200cb.example",  // joiners between Latin letters
           "a\u200db.example",
           "\u0301a.example",  // begins with an accent
           "-ä.example",
           "ä-.example",
           "ab--ä.example",
           "\ue000.example",   // for private use
           "a\u0378.example",  // not assigned
           "l·a.example",
           "a・a.example",
           "א1a.example",  // both directions
           "٠۰.example",   // digits of two kinds
           "\xff\xfe.example",
       }) {
    EXPECT_EQ(ascii(name), "refused") << name;
  }
  EXPECT_EQ(ascii(std::string(2000, 'a') + "ä"), "refused");
}

}  // namespace
}  // namespace talaria::http
