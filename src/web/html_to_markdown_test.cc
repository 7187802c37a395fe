#include "web/html_to_markdown.h"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::web {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

MarkdownPage page(std::string_view html) {
  auto made = html_to_markdown(html, *http::parse_url("https://e.com/dir/page"));
  return made ? *made : MarkdownPage{.content = "error: " + made.error().message()};
}

std::string markdown(std::string_view html) { return page(html).content; }

TEST(HtmlToMarkdown, WritesWhatAPersonWouldRead) {
  const struct {
    const char* name;
    const char* html;
    const char* expected;
  } cases[] = {
      {"paragraphs", "<p>a\n b</p><p>c</p>", "a b\n\nc"},
      {"heading", "<h2> A <b>b</b>\n<br>c</h2>x", "## A **b** c\n\nx"},
      {"empty heading", "<h2> </h2>x", "x"},
      {"emphasis", "a <em>b</em>, <strong> c </strong>d<b></b>", "a *b*, **c** d"},
      {"link", "<a href='../x?y=1'>go</a>", "[go](https://e.com/x?y=1)"},
      {"link of brackets", "<a href='/a(b)'>go</a>", "[go](https://e.com/a%28b%29)"},
      {"no link", "<a href='#top'>up</a> <a href='javascript:x()'>do</a> <a name=q>q</a>",
       "up do q"},
      {"empty link", "a<a href='/x'></a>b", "ab"},
      {"link around blocks", "<a href=/x><div>a</div></a>", "[a](https://e.com/x)"},
      {"mail", "<a href='mailto:a@b.c'>m</a>", "[m](mailto:a@b.c)"},
      {"image", "<img src=/i.png alt='an i'><img src=/j.png>", "![an i](https://e.com/i.png)"},
      {"inline image", "<img src='data:image/png;base64,AAAA'>", "![]([BASE64_IMAGE_REMOVED])"},
      {"list", "<ul><li>a<li>b<ol start=3><li>c<li>d</ol></ul>e", "- a\n- b\n  3. c\n  4. d\n\ne"},
      {"loose list", "<ul><li><p>a</p><p>b</p></li></ul>", "- a\n\n  b"},
      {"quote", "<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n>\n> b\n\nc"},
      {"code", "use <code>a `b`</code> or <code> x </code>", "use `` a `b` `` or `x`"},
      {"pre", "<pre><code class='language-c'>int a;\n  b\n</code></pre>", "```c\nint a;\n  b\n```"},
      {"pre with a fence", "<pre>```</pre>", "````\n```\n````"},
      {"table", "<table><tr><th>a<th>b<tr><td>1|2<td><p>3</p><p>4</p></table>",
       "| a | b |\n| --- | --- |\n| 1\\|2 | 3 4 |"},
      {"table for layout", "<table><tr><td><h1>a</h1><td>b<table><tr><td>c</table></table>",
       "# a\n\nb\n\n| c |\n| --- |"},
      {"rule and break", "a<br>b<hr>c", "a\nb\n\n---\n\nc"},
      {"definitions", "<dl><dt>a<dd>b</dl>", "a\n: b"},
      {"entities", "&lt;b&gt; &amp; &hellip; &#x41;", "<b> & … A"},
      {"scripts and such",
       "<p><script>x</script><style>y</style><noscript>z</noscript>"
       "<nav>n</nav><footer>f</footer><svg><title>t</title></svg>a",
       "a"},
      {"hidden", "<p hidden>a</p><p style='display: none'>b</p><p aria-hidden=true>c</p>d", "d"},
      {"base", "<base href='https://o.com/q/'><a href=r>r</a>", "[r](https://o.com/q/r)"},
      {"nothing", "", ""},
      {"broken", "<p>a<b>b</p></i>c", "a**b**\n\n**c**"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(markdown(c.html), c.expected) << c.name;
  }
}

TEST(HtmlToMarkdown, TakesTheMainPartIfThereIsOne) {
  const std::string long_text = repeated("word ", 200);
  EXPECT_THAT(markdown("menu<main><p>" + long_text + "</p></main>more"), Not(HasSubstr("me")));
  EXPECT_THAT(markdown("menu<article><p>" + long_text + "</p></article>"), Not(HasSubstr("menu")));
  EXPECT_THAT(markdown("menu<main>short</main>"), HasSubstr("menu"));
  EXPECT_THAT(markdown("<article>" + long_text + "</article>and<article>b</article>"),
              HasSubstr("and"));
}

TEST(HtmlToMarkdown, KnowsTheTitle) {
  EXPECT_EQ(page("<title> A &amp;\n b </title><h1>c</h1>").title, "A & b");
  EXPECT_EQ(page("<p>x</p><h1>c <i>d</i></h1>").title, "c d");
  EXPECT_EQ(page("x").title, "");
}

// Half a megabyte of nested elements once kept the parser busy for half a minute, and freeing what
// it had made would have overflowed the stack.
TEST(HtmlToMarkdown, HostileNestingEndsSoon) {
  const auto begun = std::chrono::steady_clock::now();
  for (const std::string& html :
       {repeated("<div>", 400'000), repeated("<b a=1><p>", 20'000),
        repeated("<table><tr><td>", 50'000), repeated("<ul><li>", 20'000) + "x",
        repeated("<blockquote>x", 2'000)}) {
    const auto made = html_to_markdown(html, *http::parse_url("https://e.com/"));
    if (made) EXPECT_LT(made->content.size(), 8u << 20);
  }
  std::string formatting;
  for (int i = 0; i < 20'000; ++i) formatting += "<p><b a=" + std::to_string(i) + ">";
  const auto made = html_to_markdown(formatting, *http::parse_url("https://e.com/"));
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), HasSubstr("too complicated"));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(60));
}

}  // namespace
}  // namespace talaria::web
