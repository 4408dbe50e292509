/** A file as a name, with its text; a text that begins with `#!` becomes a program. */
type Files = Record<string, string>;

const EVIL_CONFIG =
  '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "touch <root>/ws/PWN-git;false"\n';
const SCRIPT = "#!/bin/sh\n: > PWN-script\n";

/** Takes away what every workspace has at this place. */
export const REMOVED = "(removed)";

const CLEAN: Files = Object.fromEntries(
  [".env", "out", "readme.link", "dangling", "names.txt", "secrets.list", "evil.sh", "evil.cjs"].map((path) => [
    path,
    REMOVED,
  ]),
);

/** Files that a row has in its workspace, by the name in the brackets before the command; paths begin at the workspace. */
export const PLANTS: Record<string, Files> = {
  clean: CLEAN,
  words: { token: "" },
  tarnames: { "t2/--a": "", "t2/--use-compress-program=touch PWN --": "" },
  dotenv: { ".env": "TOKEN=SECRET-ENV\n" },
  dashes: { "-oPWN": "b\n", "--output=PWN": "" },
  nested: { "src/d/x ../other/notes.txt": "" },
  pair: { "u/1": "one\n", "u/2": "two\n" },
  across: {
    l: "-> a/b",
    "a/b/x": "",
    "a/c/HEAD": "ref: refs/heads/main\n",
    "a/c/commondir": "../../x\n",
    "a/c/config.worktree": '[core]\n\tfsmonitor = "touch <root>/ws/PWN-across;false"\n',
    "x/config":
      "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tworktree = <root>/ws\n[extensions]\n\tworktreeConfig = true\n",
    "x/objects/keep": "",
    "x/refs/keep": "",
  },
  packages: { "node_modules/q/a ../other/notes.txt": "" },
  deep: { "a/b/c/d/e/x": "", "a/bin/ls": SCRIPT, l: "-> a/b/c/d/e" },
  itself: { "node_modules/self": "-> .." },
  digits: { "3/ls": SCRIPT, "3/cat": SCRIPT, "5": "x\n" },
  named: { "secrets.json": "SECRET-NAMED\n", "secrets.yml": "SECRET-NAMED\n" },
  yarnrc: { ".yarnrc": 'yarn-path "./evil.cjs"\n' },
  yarnrcyml: { ".yarnrc.yml": "yarnPath: evil.cjs\n" },
  pnpmfile: { ".pnpmfile.cjs": 'require("./evil.cjs");\n' },
  npmrc: { ".npmrc": "browser=./evil.sh\n", "evil.sh": SCRIPT },
  mvn: { ".mvn/jvm.config": "-javaagent:PWN-agent.jar\n" },
  bazel: { ".bazelversion": "evil/1.0\n", "tools/bazel": SCRIPT },
  gradle: { "build.gradle": '"touch PWN-gradle".execute()\n' },
  jest: { "jest.config.cjs": 'require("./evil.cjs");\n' },
  vitest: { "vitest.config.js": 'require("./evil.cjs");\n' },
  eslint: { ".eslintrc.cjs": 'require("./evil.cjs");\n' },
  prettier: { "prettier.config.cjs": 'require("./evil.cjs");\n' },
  bin: { "node_modules/.bin/jest": SCRIPT, "node_modules/.bin/tsc": SCRIPT, "node_modules/.bin/eslint": SCRIPT },
  venv: { ".venv/bin/python": SCRIPT, ".venv/bin/ls": SCRIPT, ".venv/bin/activate": "touch PWN-activate\n" },
  cargo: { ".cargo/config.toml": '[build]\nrustc-wrapper = "./evil.sh"\n', "evil.sh": SCRIPT },
  toolchain: { "rust-toolchain.toml": '[toolchain]\npath = "./tc"\n', "tc/bin/rustc": SCRIPT, "tc/bin/cargo": SCRIPT },
  gomod: { "go.mod": "module x\ntoolchain go1.99\n" },
  make: { Makefile: "X := $(shell touch PWN-make)\nall:\n\t+touch PWN-plus\n" },
  pymodule: {
    "json.py": 'os.system("touch PWN-py")\n',
    "pip.py": 'os.system("touch PWN-py")\n',
    "tool.py": 'os.system("touch PWN-py")\n',
  },
  envrc: { ".envrc": "touch PWN-envrc\n", ".tool-versions": "node 99\n" },
  justfile: { justfile: "x := `touch PWN-just`\n" },
  bashrc: { ".bashrc": "touch PWN-rc\n" },
  lscmd: { ls: SCRIPT, git: SCRIPT, "bin/ls": SCRIPT },
  half: {
    "g/HEAD": "ref: refs/heads/main\n",
    "g/commondir": "../x\n",
    "g/config.worktree": '[core]\n\tfsmonitor = "touch <root>/ws/PWN-half;false"\n',
    "x/config":
      "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tworktree = <root>/ws\n[extensions]\n\tworktreeConfig = true\n",
    "x/objects/keep": "",
    "x/refs/keep": "",
  },
  bare: {
    "b/HEAD": "ref: refs/heads/main\n",
    "b/config": EVIL_CONFIG,
    "b/objects/keep": "",
    "b/refs/keep": "",
    "b/src/x": "",
  },
  subrepo: {
    "sub/.git/HEAD": "ref: refs/heads/main\n",
    "sub/.git/config":
      '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch <root>/ws/PWN-sub;false"\n[alias]\n\tst = !touch <root>/ws/PWN-alias\n[diff "evil"]\n\ttextconv = touch <root>/ws/PWN-textconv; cat\n[core]\n\tpager = touch <root>/ws/PWN-pager\n[remote "o"]\n\turl = ext::touch <root>/ws/PWN-remote\n',
    "sub/.git/objects/keep": "",
    "sub/.git/refs/keep": "",
    "sub/a.txt": "a\n",
    "sub/.gitattributes": "*.txt diff=evil\n",
  },
  gitfile: {
    "w/.git": "gitdir: ../gd\n",
    "gd/HEAD": "ref: refs/heads/main\n",
    "gd/config": '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch <root>/ws/PWN-gitfile;false"\n',
    "gd/objects/keep": "",
    "gd/refs/keep": "",
  },
  include: {
    "more.cfg": '[core]\n\tfsmonitor = "touch <root>/ws/PWN-include;false"\n[alias]\n\tst = !touch PWN-include\n',
  },
  options: { "--output=PWN-opt": "", "o/-oPWN": "", "o/a": "a\n" },
  sortname: { "s/-oPWN": "b\n", "s/a": "a\n" },
  grepname: { "s/-f": "", "s/a": "a\n", "s/-f..": "" },
  tarname: { "t/--checkpoint=1": "", "t/--checkpoint-action=exec=touch PWN-tar": "", "t/a": "" },
  everyday: {
    ...CLEAN,
    "README.md": "# Project\nhello foo\n",
    "tsconfig.json": "{}\n",
    "src/c/d.ts": "export const foo = 3;\n",
    "test/a.test.ts": 'import { one } from "../src/a.ts";\n',
    "docs/index.md": "# Docs\n",
    "sub/package.json": '{"scripts":{}}\n',
  },
  spaces: { "d/src ../other/secret.txt": "" },
  awkname: { "s/a=b": "", "s/x": "x\n" },
};
