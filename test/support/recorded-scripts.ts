import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Places } from "../../agent/bundled/approvals/places.ts";

/** The recorded actions of a script that bash ran. */
export interface Recorded {
  /** The programs that it would have run, each with its arguments. */
  programs: string[][];
  /** Files that it made or changed; paths begin at the folder that the workspace is in. */
  changed: string[];
}

const FILES: Record<string, string> = {
  "ws/package.json": "{}\n",
  "ws/src/a.ts": "one\n",
  "ws/src/b.ts": "two\n",
  "ws/a": "x[$(pwned)]\n",
  "ws/out.txt": "x\n",
  "ws/.git/config": "\n",
  "ws/.git/HEAD": "ref: refs/heads/main\n",
  "other/secret.txt": "secret\n",
  "home/.bashrc": "\n",
  "tmp/x": "\n",
};
/** Values that variables may have: none of them may matter. */
const HOSTILE_VALUES: Record<string, string> = {
  F: "-exec pwned ;",
  X: "x[$(pwned)]",
  A: "a b * /etc",
  N: "$(pwned)",
  E: "",
  // Braces come before variables: $f{a,b} is $fa and $fb.
  fa: "pwned",
  fb: "pwned",
  Xa: "pwned",
};
const fixture = (name: string) => new URL(`../fixtures/approvals/${name}`, import.meta.url);

/** A folder in which scripts are judged, and run with nothing but a recorder in the place of programs. */
export class ScriptRecorder {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), "tiller-fuzz-")));
  readonly cwd = join(this.#root, "sand", "ws");
  readonly places: Places;

  constructor() {
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(this.#root, "base", path)), { recursive: true });
      writeFileSync(join(this.#root, "base", path), text);
    }
    symlinkSync("../other", join(this.#root, "base", "ws", "out"));
    copyFileSync(fixture("record.sh"), join(this.#root, "record.sh"));
    copyFileSync(fixture("run-recorded.sh"), join(this.#root, "run.sh"));
    this.run([]);
    const home = join(this.#root, "sand", "home");
    this.places = new Places({
      cwd: this.cwd,
      agentDir: join(home, ".tiller"),
      home,
      temporary: [join(this.#root, "sand", "tmp")],
    });
  }

  /** Runs scripts one after the other, each in a workspace of its own. */
  run(scripts: readonly string[]): Recorded[] {
    const log = join(this.#root, "log");
    rmSync(log, { recursive: true, force: true });
    mkdirSync(log);
    const { status, stderr } = spawnSync("/bin/bash", [join(this.#root, "run.sh"), this.#root], {
      input: scripts.map((script) => `${script}\0`).join(""),
      env: {
        HOME: join(this.#root, "sand", "home"),
        PATH: join(this.#root, "none"),
        LANG: "C.UTF-8",
        ...HOSTILE_VALUES,
      },
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`the recorder ended with ${status}: ${stderr}`);
    return scripts.map((_, index) => ({
      programs: programsIn(partsOf(join(log, String(index)))),
      changed: partsOf(join(log, `${index}.changed`)),
    }));
  }

  /** Removes the folder. */
  close(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

function partsOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, "utf8").split("\0").slice(0, -1) : [];
}

/** The number of words stands before each program. */
function programsIn(parts: readonly string[]): string[][] {
  const programs: string[][] = [];
  for (let at = 0; at < parts.length; ) {
    const length = Number(parts[at]);
    programs.push(parts.slice(at + 1, at + 1 + length));
    at += 1 + length;
  }
  return programs;
}
