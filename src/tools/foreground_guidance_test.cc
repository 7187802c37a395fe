#include "tools/foreground_guidance.h"

#include <gtest/gtest.h>

namespace talaria::tool {
namespace {

TEST(ForegroundGuidance, JudgesByWhatTheTextWouldRun) {
  const struct {
    const char* command;
    const char* advice;  // a word of it; "" if it may run
  } cases[] = {
      // detaching
      {"nohup python app.py", "nohup"},
      {"cd x && setsid ./serve", "setsid"},
      {"./run & disown", "disown"},
      {"  nohup x", "nohup"},
      {"(nohup x)", "nohup"},
      {"sudo nohup x", "nohup"},
      {"echo $(nohup x)", "nohup"},
      {"git commit -m \"nohup setsid\"", ""},
      {"echo 'nohup x'", ""},
      {"cat nohup.out", ""},
      {"man nohup", ""},
      {"cat <<E\nnohup x &\nE", ""},
      // backgrounding
      {"sleep 100 &", "'&'"},
      {"server & sleep 1; curl localhost", "'&'"},
      {"sleep 5&", "'&'"},
      {"a && b &", "'&'"},
      {"a 2>&1 && b", ""},
      {"a &> log", ""},
      {"echo 'a & b'", ""},
      {"curl 'http://x/?a=1&b=2'", ""},
      {"make a & make b & wait", ""},
      {"echo $((5 & 3))", ""},
      {"echo hi # run & go", ""},
      // servers
      {"npm run dev", "server"},
      {"pnpm dev", "server"},
      {"yarn start", "server"},
      {"bun run watch", "server"},
      {"npm run build", ""},
      {"npm install", ""},
      {"npm test", ""},
      {"cd app && npm start", "server"},
      {"PORT=1 npm start", "server"},
      {"docker compose up", "server"},
      {"docker compose -f x.yml up", "server"},
      {"docker compose up -d", ""},
      {"docker compose up --detach web", ""},
      {"docker compose down", ""},
      {"next dev", "server"},
      {"next build", ""},
      {"vite", "server"},
      {"vite --port 3000", "server"},
      {"vite build", ""},
      {"nodemon app.js", "server"},
      {"uvicorn app:app --reload", "server"},
      {"gunicorn app", "server"},
      {"python -m http.server", "server"},
      {"python3 -m http.server 8000", "server"},
      {"python -m pytest", ""},
      {"pip install uvicorn", ""},
      {"grep -r vite .", ""},
      {"echo npm run dev", ""},
      {"timeout 5 npm run dev", ""},
      // help
      {"pnpm dev --help", ""},
      {"vite --version", ""},
      {"nodemon -h", ""},
      {"uvicorn   -v", ""},
      // what bash cannot read it shall refuse itself
      {"npm run 'dev", ""},
      {"", ""},
  };
  for (const auto& c : cases) {
    const std::string_view said = foreground_guidance(c.command);
    if (*c.advice == '\0') {
      EXPECT_EQ(said, "") << c.command;
    } else {
      EXPECT_TRUE(said.contains(c.advice)) << c.command << ": " << said;
    }
  }
}

// Each of the two ways was refused with the advice to use the other.
TEST(ForegroundGuidance, WithoutBackgroundProcessesAnAmpersandIsTheWay) {
  EXPECT_EQ(foreground_guidance("nohup server >log 2>&1 &", false), "");
  EXPECT_EQ(foreground_guidance("sleep 5 &", false), "");
  EXPECT_TRUE(foreground_guidance("nohup sleep 300", false).contains("End it with &"));
  EXPECT_TRUE(foreground_guidance("npm start", false).contains("End it with &"));
}

}  // namespace
}  // namespace talaria::tool
