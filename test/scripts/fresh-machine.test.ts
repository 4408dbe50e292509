import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshMachine, makeFreshMachine } from "./checkout.ts";
import { Running } from "./running.ts";

const NODE_PACKAGE = `node-linux-${process.arch}`;
/** The oldest Node that is promised, the two that people have. */
const NODES = ["20.18.0", "22.23.3", "24.21.0"];
const DEADLINE_MS = 1_200_000;

/** How far an installation has come when it is killed: each Node's at another place. */
const KILLED: Record<string, (machine: FreshMachine, building: string) => string[]> = {
  "20.18.0": ({ checkout }) => entriesOf(join(checkout, "node_modules")),
  "22.23.3": (_, building) => partsOf(building, "node/node_modules"),
  "24.21.0": (_, building) => partsOf(building, "code-server/node_modules/code-server/lib/vscode/node_modules"),
};

let nodes: string;

beforeAll(async () => {
  nodes = mkdtempSync(join(tmpdir(), "tiller-nodes-"));
  for (const version of NODES) {
    const flags = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--prefer-offline"];
    const args = ["install", "--prefix", join(nodes, version), ...flags, `${NODE_PACKAGE}@${version}`];
    await promisify(execFile)("npm", args, { cwd: nodes });
  }
}, DEADLINE_MS);

afterAll(() => rmSync(nodes, { recursive: true, force: true }));

describe("a fresh clone in a path with spaces and an umlaut", () => {
  it.concurrent.each(NODES)(
    "starts and tests after it was killed in the middle, with Node %s first",
    async (version) => {
      const machine = makeFreshMachine();
      const building = join(machine.checkout, "../../building");
      mkdirSync(building);
      const settings = {
        TMPDIR: building,
        TILLER_START_EDITOR: "code-server",
        TILLER_START_PORT: "0",
        npm_config_prefer_offline: "true",
        // The compiler need not take the time to make quick programs.
        CFLAGS: "-O0",
        CXXFLAGS: "-O0",
      };
      const env = machine.env(settings, join(nodes, version, "node_modules", NODE_PACKAGE, "bin"));
      const npm = (...args: string[]) => new Running("npm", args, { cwd: machine.checkout, env });
      const running: Running[] = [];
      try {
        const killed = npm("start");
        running.push(killed);
        await expect.poll(() => KILLED[version]?.(machine, building), { timeout: DEADLINE_MS }).not.toEqual([]);
        await killed.signal("SIGKILL");
        expect(killed.output).not.toContain("Tiller is ready");

        const start = npm("start");
        running.push(start);
        const address = await start.says(/Tiller is ready\. Open (\S+)/);
        expect((await fetch(address)).status).toBe(200);
        await start.signal("SIGTERM");
        expect(entriesOf(building).filter((name) => name.startsWith("tiller-"))).toEqual([]);
        expect(entriesOf(join(machine.home, ".cache/vscode-e2e"))).toHaveLength(1);

        const test = npm("test", "--", "test/prompt/front-matter.test.ts");
        running.push(test);
        expect(await test.end(), test.output).toBe(0);
        expect(test.output).toMatch(/: [1-9]\d* passed, 0 failed\n$/);
      } finally {
        for (const program of running) await program.signal("SIGTERM");
        await machine.remove();
      }
    },
    DEADLINE_MS,
  );
});

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Not there yet.
  }
}

/** Returns the entries at a path in the folders that are being filled. */
function partsOf(building: string, place: string): string[] {
  return entriesOf(building).flatMap((name) => entriesOf(join(building, name, place)));
}
