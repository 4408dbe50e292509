import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AgentTree, commitTree, plant, treeOf } from "../support/agent-tree.ts";

const LINES = Array.from({ length: 40 }, (_, index) => `const line${index} = ${index};\n`).join("");
const GIT = "git -c user.name=T -c user.email=t@example.com -c commit.gpgsign=false";

/** A tree with a bit of everything that commands come across. */
async function fill(folder: string, size: number): Promise<void> {
  await plant(folder, {
    "README.md": "# Tree\n\nSome text.\n",
    "a.txt": LINES,
    "b b.txt": "one\ntwo\n",
    "ü.txt": "umlaut\n",
    "empty.txt": "",
    "no-end.txt": "no line end",
    "crlf.txt": "a\r\nb\r\n",
    "image.bin": "\x00\x01\x02binary\xff",
    "-dash.txt": "dash\n",
    ".hidden": "hidden\n",
    ".gitignore": "*.log\n.env\nout/\n",
    ".env": "KEY=1\n",
    "debug.log": "log\n",
    "out/built.js": "built\n",
    "run.sh": { text: "#!/bin/sh\necho hello\n", mode: 0o755 },
    "private.key": { text: "secret\n", mode: 0o600 },
    "fixed.txt": { text: "read only\n", mode: 0o444 },
    "src/index.js": LINES,
    "src/lib/deep/er/file.js": "deep\n",
    "src/link.js": { link: "index.js" },
    "to-folder": { link: "src/lib" },
    dangling: { link: "nowhere" },
    outside: { link: "/etc/hostname" },
    ...Object.fromEntries(
      Array.from({ length: size }, (_, index) => [`many/${index % 7}/f${index}.txt`, `${index}\n`.repeat(index % 9)]),
    ),
  });
  await mkdir(join(folder, "bare/inner"), { recursive: true, mode: 0o700 });
}

const COMMANDS = [
  // Deleting
  "rm a.txt",
  "rm -f fixed.txt private.key run.sh",
  "rm -r src",
  "rm -rf -- *",
  "rm -rf ./* .hidden .env .gitignore",
  "rm -- -dash.txt 'b b.txt' ü.txt",
  "rmdir bare/inner",
  "rm -r bare && mkdir bare",
  "find . -name '*.txt' -not -path './.git/*' -delete",
  "find many -type f -print0 | xargs -0 rm",
  "unlink dangling; unlink to-folder",
  "rm -r out debug.log .env",
  // Moving and copying over
  "mv a.txt c.txt",
  "mv a.txt 'b b.txt'",
  "mv -f run.sh fixed.txt",
  "mv src source",
  "mv src many/0/",
  "mv many/0 many/1/ && mv many/1 many/zero",
  "mv a.txt t && mv 'b b.txt' a.txt && mv t 'b b.txt'",
  "cp README.md a.txt",
  "cp -r src src2; cp -p run.sh src2/run.sh",
  "cp -a . /tmp/nowhere-$$ 2>/dev/null; rm -rf /tmp/nowhere-$$; cp a.txt new/",
  "mkdir -p x/y/z && mv src/lib x/y/z && touch x/y/new",
  "mv many old && mkdir many && echo fresh > many/f0.txt",
  // Truncating and writing
  "truncate -s 0 a.txt image.bin",
  "truncate -s 100 'b b.txt'",
  ": > src/index.js",
  "echo over > a.txt; echo more >> README.md",
  "printf 'x\\0y' > image.bin",
  "dd if=/dev/zero of=a.txt bs=1 count=64 conv=notrunc",
  "tee a.txt src/index.js many/1/f1.txt < README.md",
  "cat > new.txt <<'END'\nhello\nEND\nmkdir -p deep/new && cp new.txt deep/new/",
  "for f in many/*/*; do echo changed > $f; done",
  "chmod u+w fixed.txt; echo changed > fixed.txt; chmod 400 fixed.txt",
  // Editing in place
  "sed -i 's/line/row/' a.txt src/index.js",
  "sed -i.bak 's/one/1/' 'b b.txt'",
  "sed -i '1d;$d' a.txt",
  "perl -pi -e 's/const/let/' a.txt src/*.js",
  "awk '{print $1}' a.txt > t && mv t a.txt",
  "printf '%s\\n' 'g/line1/d' w q | ed -s a.txt",
  "sort -r a.txt -o a.txt; tr -d '\\r' < crlf.txt > t; mv t crlf.txt",
  "python3 - <<'END'\nimport os\nfor n in os.listdir('many/2'): os.rename('many/2/'+n, 'many/2/x'+n)\nopen('ü.txt','a').write('ä')\nEND",
  "node -e \"const fs=require('fs');fs.writeFileSync('a.txt','n');fs.rmSync('src',{recursive:true});fs.mkdirSync('src');fs.writeFileSync('src/index.js','1')\"",
  "patch -p0 <<'END'\n--- README.md\n+++ README.md\n@@ -1,3 +1,3 @@\n-# Tree\n+# Wood\n \n Some text.\nEND",
  // Permissions
  "chmod +x a.txt; chmod -x run.sh",
  "chmod 600 a.txt README.md; chmod 777 private.key",
  "chmod -R go-rwx .",
  "chmod 700 src src/lib; chmod 755 bare",
  "chmod -R a-w src; echo x > 'b b.txt'",
  "chmod 444 a.txt; mv -f a.txt z.txt; chmod 640 z.txt",
  // Links
  "rm src/link.js; ln -s ../a.txt src/link.js",
  "ln -sf /etc/passwd a.txt",
  "ln -sfn bare to-folder; ln -s nothing new-link",
  "rm -r src/lib; ln -s ../many src/lib",
  "cp --remove-destination a.txt src/link.js",
  "echo through > src/link.js; rm dangling; echo real > dangling",
  "ln a.txt hard.txt; echo both >> hard.txt",
  "rm to-folder; mkdir to-folder; echo 1 > to-folder/1",
  // Files in place of folders, and the other way round
  "rm -r src; echo file > src",
  "rm a.txt; mkdir a.txt; echo in > a.txt/in",
  "rm -r many; ln -s src many",
  "mv README.md t; mkdir README.md; mv t README.md/README.md",
  // Git
  "echo dirty > a.txt; git checkout -- .",
  "git checkout -q -- a.txt; git clean -fdq",
  "git clean -fdxq; git reset -q --hard",
  "git rm -rq --cached many; git rm -q a.txt",
  "git mv a.txt moved.txt; git mv src lib",
  `git add -A; ${GIT} commit -qm more; echo after > a.txt`,
  `echo x > n; git add n; ${GIT} stash -q; rm -f n`,
  `git checkout -qb side$$; echo side > a.txt; ${GIT} commit -qam side; git checkout -q -; rm README.md`,
  `rm -r src; git add -A; ${GIT} commit -qm gone; git reset -q --hard HEAD~1; echo 1 > src/index.js`,
  "git apply <<'END'\n--- a/README.md\n+++ b/README.md\n@@ -1,3 +1,2 @@\n # Tree\n-\n Some text.\nEND",
  // Formatters, builds, package managers
  "for f in $(find . -name '*.js' -not -path './.git/*' -type f); do sed -i 's/;$//' \"$f\"; done",
  "mkdir -p out dist; cp src/index.js out/built.js; cp src/index.js dist/; echo log >> debug.log",
  "echo '{}' > package.json; mkdir -p vendor/p; echo 1 > vendor/p/i.js; echo lock > package-lock.json",
  "tar cf t.tar src many && rm -r src many && tar xf t.tar && rm t.tar && touch src/index.js",
  "gzip -k a.txt; gzip README.md; split -l 10 src/index.js part-",
  "git init -q inner; echo 1 > inner/f; mkdir -p inner/d; rm -r inner/.git",
  "touch a.txt README.md; touch new1 new2; mkdir -p e1/e2/e3",
  "rsync -a --delete bare/ many/ 2>/dev/null || rm -rf many/*",
  "for i in $(seq 1 300); do echo $i > gen-$i.txt; done; rm many/*/*",
  "rm -r many; for i in $(seq 1 60); do mkdir -p many/$i; echo $i > many/$i/f$i.txt; done",
];

const TREES = [
  { name: "in git", git: true, size: 60 },
  { name: "in no repository", git: false, size: 120 },
  { name: "with uncommitted changes", git: true, isDirty: true, size: 30 },
];

describe.each(TREES)("after undo, a tree $name is byte-equal", ({ git, isDirty, size }) => {
  let tree: AgentTree;
  let before: Record<string, string>;

  beforeAll(async () => {
    tree = await AgentTree.open(async (folder) => {
      await fill(folder, size);
      if (git) commitTree(folder);
      if (isDirty !== true) return;
      await writeFile(join(folder, "a.txt"), `mine\n${LINES}`);
      await writeFile(join(folder, "untracked.txt"), "mine\n");
    });
    before = await treeOf(tree.folder);
  });

  afterAll(() => tree.dispose());

  it.each(COMMANDS)("%s", async (command) => {
    const toolCallId = await tree.shell(command);
    const record = await tree.changes.record();
    const undone = await record.undo({ toolCallId });
    expect(undone.filter(({ outcome }) => outcome !== "undone")).toEqual([]);
    expect(await treeOf(tree.folder)).toEqual(before);
    expect(tree.warnings).toEqual([]);
  });
});
