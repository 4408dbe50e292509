import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TYPESCRIPT_PROJECT } from "./typescript-project.ts";

const MANY = Array.from({ length: 700 }, (_, index) => [`many/a-file-with-a-long-name-${index + 100}.txt`, ""]);

const task = (label: string, command: string, more = {}) => ({ label, type: "shell", command, ...more });

/** How long what does not end by itself goes on, in seconds; processes are found by it. */
export const ENDLESS_SECONDS = 987;

const PROGRAM = `function add(a, b) {
  const both = a + b;
  return both;
}

const all = add(1, 2);
setTimeout(() => console.log(all), ${ENDLESS_SECONDS}_000);`;

function notebook(...cells: object[]): string {
  const metadata = { language_info: { name: "python" } };
  return JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 });
}

/** A TypeScript project in which every tool of the editor has something to do. */
export const TOOL_PROJECT: Record<string, string> = {
  ...TYPESCRIPT_PROJECT,
  ...Object.fromEntries(MANY),
  "src/wrong.ts": 'export const wrong: number = "no number";\n',
  "src/fixable.ts": "import { Store } from './store.ts'\nexport   const a = sum([1]);\n",
  "src/chosen.ts": "export   const by = 'me';\n",
  "types.lab": "Animal\nCat Animal\nDog Animal\n",
  "wrong.lab": "Right\nwrong\n",
  "run.js": PROGRAM,
  "old.txt": "old\n",
  "notes.ipynb": notebook(
    { cell_type: "markdown", metadata: {}, source: ["# Notes"] },
    {
      cell_type: "code",
      execution_count: 1,
      metadata: {},
      outputs: [{ output_type: "stream", name: "stdout", text: ["42\n"] }],
      source: ["print(42)"],
    },
  ),
  "endless.ipynb": notebook({
    cell_type: "code",
    execution_count: null,
    metadata: {},
    outputs: [],
    source: ["endless"],
  }),
  ".vscode/tasks.json": JSON.stringify({
    version: "2.0.0",
    tasks: [
      task("pass", "true", { group: "build" }),
      task("fail", "exit 3"),
      { label: "broken", type: "process", command: "/no/such/program" },
      task("endless", `sleep ${ENDLESS_SECONDS}`),
    ],
  }),
  ".vscode/launch.json": JSON.stringify({
    version: "0.2.0",
    configurations: [{ name: "run", type: "node", request: "launch", program: "run.js" }],
  }),
};

/** Runs git in a folder with an identity. */
function git(folder: string, ...args: string[]): void {
  execFileSync("git", args, { cwd: folder });
}

/** Makes a repository with one commit of what is there. */
export function initRepository(folder: string): void {
  git(folder, "init", "-q", "-b", "main");
  git(folder, "config", "user.name", "T");
  git(folder, "config", "user.email", "t@example.com");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "first");
  git(folder, "tag", "first");
}

/** Makes the project what it was at first, whatever a test has done to it. */
export function resetRepository(folder: string): void {
  git(folder, "reset", "-q", "--hard", "first");
  git(folder, "clean", "-qfd");
}

/** Changes one file, deletes another and makes a third. */
export async function changeFiles(folder: string): Promise<void> {
  await writeFile(join(folder, "run.js"), `${PROGRAM}\n// changed\n`);
  await rm(join(folder, "old.txt"));
  await writeFile(join(folder, "fresh.txt"), "fresh\n");
}

/** Gives the branch a place to go to, in a folder of that name beside the project. */
export function addRemote(folder: string): void {
  const remote = join(folder, "../remote.git");
  rmSync(remote, { recursive: true, force: true });
  git(folder, "init", "-q", "--bare", remote);
  git(folder, "config", "remote.origin.url", remote);
  git(folder, "config", "branch.main.remote", "origin");
  git(folder, "config", "branch.main.merge", "refs/heads/main");
}

/** Returns the message of the remote's last commit. */
export function lastPushed(folder: string): string {
  return execFileSync("git", ["log", "-1", "--format=%s", "main"], {
    cwd: join(folder, "../remote.git"),
    encoding: "utf8",
  }).trim();
}
