import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Sandbox } from "../../agent/sandbox/sandbox.ts";

/** Commands of a day's work, in their order; none needs the network. */
const COMMANDS = [
  // Looking around.
  ...[
    "ls -la",
    "pwd",
    "cat package.json",
    "head -3 src/a.js",
    "wc -l src/*.js",
    "find . -name '*.js' -not -path './node_modules/*'",
  ],
  ...[
    "grep -rn add src",
    "du -sh .",
    "df -h .",
    "date",
    "whoami",
    "id -u",
    "uname -a",
    "hostname",
    "ps aux",
    "env | sort",
    "which node git",
  ],
  ...[
    "sed -n 1,2p src/a.js",
    "awk 'NR==1' src/a.js",
    "sort package.json | uniq | head",
    "diff src/a.js src/b.js || true",
    "file src/a.js",
  ],
  ...[
    "stat package.json",
    "tree -L 1 || ls",
    "xargs -n1 echo < names.txt",
    "tr a-z A-Z < names.txt",
    "cut -c1-3 names.txt",
    "md5sum package.json",
  ],
  // Files.
  ...[
    "mkdir -p build/out",
    "touch build/out/x",
    "cp src/a.js build/",
    "mv build/a.js build/c.js",
    "rm -r build",
    "ln -s src/a.js link.js",
  ],
  ...[
    "echo hi > /tmp/note && cat /tmp/note",
    "mktemp",
    "d=$(mktemp -d) && touch $d/x && rm -r $d",
    "tee out.log < names.txt",
    "chmod +x run.sh",
  ],
  ...[
    "tar czf src.tgz src && tar tzf src.tgz",
    "gzip -k names.txt",
    "zip -q a.zip names.txt || tar cf a.tar names.txt",
    "truncate -s 10 ten.bin",
  ],
  ...[
    "dd if=/dev/zero of=zero.bin bs=1k count=4",
    "split -l 1 names.txt part-",
    "rm -f part-* zero.bin ten.bin",
    "sed -i.bak s/one/eins/ names.txt",
  ],
  ...[
    "patch -p0 < change.patch",
    "printf 'a\\nb\\n' | cat -n",
    "install -D package.json build/p.json",
    "realpath src",
    "mkfifo pipe && rm pipe",
  ],
  // Git.
  ...[
    "git status --short",
    "git add src",
    "git diff --cached --stat",
    "git commit -qm Second",
    "git log --oneline -3",
    "git show --stat HEAD",
  ],
  ...[
    "git switch -qc feature",
    "echo '// f' >> src/a.js && git commit -qam Feature",
    "git switch -q main",
    "git merge -q --no-edit feature",
  ],
  ...[
    "git switch -qc topic HEAD~1",
    "echo c > c.txt && git add c.txt && git commit -qm Topic",
    "git rebase -q main",
    "git switch -q main",
  ],
  ...[
    "git stash list",
    "echo x >> c.txt || true; git stash -u; git stash pop || true",
    "git tag v1",
    "git blame src/a.js",
    "git branch -a",
    "git rev-parse HEAD",
  ],
  ...[
    "git cherry-pick topic || git cherry-pick --abort",
    "git commit -q --amend --no-edit",
    "git worktree list",
    "git ls-files",
    "git grep add",
    "git fsck",
  ],
  ...[
    "git archive HEAD | tar tf -",
    "git format-patch -1 -o patches",
    "git bundle create all.bundle HEAD",
    "git gc -q",
    "git describe --tags",
    "git shortlog -s HEAD",
  ],
  // Node.
  ...[
    "node --version",
    "node -e 'console.log(1)'",
    "node src/a.js",
    "node --test test.mjs",
    "npm --version",
    "npm test --silent",
    "npm run -s build",
  ],
  ...[
    "npm pack --silent",
    "npm ls || true",
    "npm config get registry",
    "npx --no-install local",
    "npm version patch --no-git-tag-version",
    "npm install --offline --silent ./dep",
  ],
  ...[
    "node server.mjs > server.log 2>&1 & sleep 1; curl -s http://127.0.0.1:8123/",
    "node -e \"require('fs').writeFileSync('gen.json','{}')\"",
  ],
  ...[
    "node -e \"require('child_process').execFileSync('ls')\"",
    "node -e \"new (require('worker_threads').Worker)('1',{eval:true})\"",
  ],
  // Python, C, and others.
  ...[
    "python3 --version",
    "python3 -c 'print(1)'",
    "python3 -m py_compile mod.py",
    "python3 -m unittest -q test_mod.py",
    "python3 -m venv --without-pip venv",
  ],
  ...[
    "python3 -m json.tool package.json",
    "python3 -m pytest -q test_mod.py",
    "pip --version",
    "pip list",
    "python3 -m http.server 8124 & sleep 1; curl -s http://localhost:8124/ | head -1",
  ],
  ...[
    "gcc -o hello hello.c && ./hello",
    "make",
    "make clean",
    "cmake -S . -B cbuild && cmake --build cbuild",
    "cargo --version",
    "cargo init --vcs none --name x rs",
  ],
  ...[
    "cd rs && cargo build --offline && cargo test --offline",
    "go version",
    "go build ./...",
    "java -version",
    "perl -e 'print 1'",
    "sqlite3 x.db 'create table t(a)'",
  ],
  // Shell.
  ...[
    "./run.sh",
    "bash -c 'for i in 1 2 3; do echo $i; done'",
    "timeout 5 sleep 0.1",
    "time true",
    "nohup true",
    "(sleep 0.2; echo late) & wait",
    "seq 3 | xargs -P2 -n1 echo",
  ],
  ...[
    "nproc",
    "free -m",
    "ulimit -n",
    "script -qc 'echo tty' /dev/null",
    "test -t 1 || echo none",
    "jq . package.json || true",
    "rg add src || true",
    "openssl rand -hex 4",
  ],
];

let base: string;
let bare: string;
let inside: string;
let sandbox: Sandbox;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "tiller-everyday-"));
  [bare, inside] = [join(base, "bare"), join(base, "inside")];
  makeProject(bare);
  cpSync(bare, inside, { recursive: true });
  const [home, agentDir] = [homedir(), join(base, "agent")];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" };
  sandbox = new Sandbox({
    roots: [inside],
    home,
    agentDir,
    caches: undefined,
    hidden: [],
    isSecret: () => false,
    env,
    mayReach: undefined,
    onTaken: () => undefined,
  });
});

afterAll(async () => {
  await sandbox.end();
  rmSync(base, { recursive: true, force: true });
});

function makeProject(folder: string): void {
  const files: Record<string, string> = {
    "package.json": JSON.stringify({
      ...{ name: "day", version: "1.0.0", bin: { local: "src/a.js" } },
      scripts: { test: "node --test test.mjs", build: "node -e \"require('fs').mkdirSync('dist',{recursive:true})\"" },
    }),
    "src/a.js": "#!/usr/bin/env node\nfunction add(a, b) { return a + b; }\nconsole.log(add(1, 2));\n",
    "src/b.js": "function sub(a, b) { return a - b; }\n",
    "test.mjs": "import test from 'node:test';\ntest('adds', () => {});\n",
    "server.mjs":
      "import http from 'node:http';\nhttp.createServer((q, r) => r.end('hi')).listen(8123);\nsetTimeout(() => process.exit(), 5000);\n",
    "names.txt": "one\ntwo\nthree\n",
    "change.patch": "--- names.txt\n+++ names.txt\n@@ -2,2 +2,2 @@\n-two\n+zwei\n three\n",
    "run.sh": "#!/bin/sh\necho ran\n",
    "mod.py": "def add(a, b):\n    return a + b\n",
    "test_mod.py":
      "import unittest, mod\nclass T(unittest.TestCase):\n    def test_add(self): self.assertEqual(mod.add(1, 2), 3)\n",
    "hello.c": '#include <stdio.h>\nint main(void) { puts("hello"); }\n',
    Makefile: "all: hello.o\nhello.o: hello.c\n\tcc -c hello.c\nclean:\n\trm -f hello.o\n",
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(x C)\nadd_executable(hello hello.c)\n",
    "dep/package.json": '{"name":"dep","version":"1.0.0"}',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder });
  git("init", "-q", "--initial-branch=main");
  git("config", "user.name", "T");
  git("config", "user.email", "t@example.com");
  git("config", "commit.gpgsign", "false");
  git("add", ".");
  git("commit", "-qm", "First");
}

async function end(file: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<number | null> {
  const child = spawn(file, args, { cwd, env, stdio: "ignore" });
  return new Promise((resolve) => child.once("exit", resolve));
}

it("everyday commands work in the sandbox as they do outside: at least 95 of 100", { timeout: 900_000 }, async () => {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" };
  const failed: string[] = [];
  let worked = 0;
  for (const command of COMMANDS) {
    const shell = ["-c", command];
    const outside = await end("/bin/bash", shell, bare, env);
    const contained = await sandbox.contain({ isReadOnly: false });
    const program = contained.enter({ shellPath: "/bin/bash", script: command }, inside, env);
    const code = await end(program.file, program.args, "/", program.env);
    await contained.end();
    if (outside !== 0) continue; // the machine lacks the tool
    if (code === 0) worked += 1;
    else failed.push(command);
  }
  console.info(`${worked} of ${worked + failed.length} commands work. Others: ${failed.join(" | ")}`);
  expect(worked).toBeGreaterThanOrEqual(100);
  expect(failed.length).toBeLessThanOrEqual((worked + failed.length) * 0.05);
});
