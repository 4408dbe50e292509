import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshMachine, makeFreshMachine } from "./checkout.ts";
import { Running } from "./running.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Nobody listens there. */
const NO_REGISTRY = "http://127.0.0.1:9/";

let machine: FreshMachine;
let folder: string;

beforeAll(() => {
  machine = makeFreshMachine();
  folder = mkdtempSync(join(tmpdir(), "tiller-failures-"));
  chmodSync(folder, 0o755);
});

afterAll(async () => {
  await machine.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a program that has to fail. @returns what it has said, which has no stack. */
async function failure(command: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const program = new Running(command, args, { cwd: machine.checkout, env });
  expect(await program.end(), program.output).toBe(1);
  expect(program.output).not.toMatch(/^.*\bat .*:\d+:\d+\)?$/m);
  return program.output;
}

/** The text of a script that does one step of `npm start` as the jobs do it. */
function stepText(file: string, call: string): string {
  const lib = pathToFileURL(join(ROOT, "scripts/lib")).href;
  return `const step = await import("${lib}/${file}");
const { fail, messageOf } = await import("${lib}/report.mjs");
await step.${call}.catch((error) => { fail(messageOf(error)); process.exitCode = 1; });`;
}

describe("a failed installation is reported with the command to run by hand", () => {
  it("for packages, when the registry cannot be reached", async () => {
    const offline = {
      npm_config_registry: NO_REGISTRY,
      npm_config_cache: join(folder, "empty-cache"),
      npm_config_fetch_retries: "0",
    };
    for (const job of ["start", "test"]) {
      const said = await failure("npm", [job], machine.env(offline));
      expect(said).toContain("Couldn't reach the npm registry.");
      expect(said).toContain(`cd '${machine.checkout}/' && npm ci`);
    }
  });

  it("for everything, when the checkout is read-only", async () => {
    chmodSync(machine.checkout, 0o555);
    // Root may write everywhere, unless that right is taken.
    const withoutRights = process.getuid?.() === 0 ? ["setpriv", "--bounding-set", "-dac_override"] : ["env"];
    const [command = "", ...args] = [...withoutRights, "npm", "start"];
    const said = await failure(command, args, machine.env());
    chmodSync(machine.checkout, 0o755);
    expect(said).toContain(`Cannot write to ${machine.checkout}/ (EACCES).`);
    expect(said).toContain("sudo chown -R");
  });

  it("for npm itself", async () => {
    const programs = join(folder, "programs");
    mkdirSync(programs);
    symlinkSync(process.execPath, join(programs, "node"));
    const said = await failure(process.execPath, ["scripts/run.mjs", "start"], { HOME: machine.home, PATH: programs });
    expect(said).toContain("apt-get install npm");
  });

  it("for code-server, when the registry cannot be reached", async () => {
    const env = machine.env({
      npm_config_registry: NO_REGISTRY,
      npm_config_cache: join(folder, "empty-cache"),
      npm_config_fetch_retries: "0",
    });
    const text = stepText("code-server.mjs", "ensureCodeServer()");
    const said = await failure(process.execPath, ["--input-type=module", "--eval", text], env);
    expect(said).toContain("Couldn't reach the npm registry.");
    expect(said).toMatch(/npm install --prefix '.*code-server-[\d.]+-node-[\d.]+\/node' node-linux-/);
  });

  it("for code-server, when its folder cannot be created", async () => {
    const file = join(folder, "a-file");
    writeFileSync(file, "");
    const env = machine.env({ TILLER_EDITOR_CACHE: join(file, "editors") });
    const said = await failure(
      process.execPath,
      ["--input-type=module", "--eval", stepText("code-server.mjs", "ensureCodeServer()")],
      env,
    );
    expect(said).toContain(join(file, "editors"));
  });

  it("for a full disk", async () => {
    const editor = join(folder, "editors/code-server");
    const text = stepText("aside.mjs", `makeAside(${JSON.stringify(editor)}, 1e9, async () => {})`);
    const said = await failure(process.execPath, ["--input-type=module", "--eval", text], machine.env());
    expect(said).toMatch(/ has \d+ MiB free, and 1000000000 are needed for code-server\./);
    expect(said).toContain("du -xh");
  });

  it("for Debian packages, when apt has none of them and no network", async () => {
    const empty = join(folder, "dpkg");
    mkdirSync(join(empty, "lists/partial"), { recursive: true });
    writeFileSync(join(empty, "status"), "");
    const settings = [
      `Dir::State "${empty}";`,
      `Dir::State::status "${empty}/status";`,
      `Dir::State::lists "${empty}/lists";`,
      'Acquire::http::Proxy "http://127.0.0.1:9";',
      'Acquire::Retries "0";',
    ];
    writeFileSync(join(empty, "apt.conf"), settings.join("\n"));
    const env = machine.env({ DPKG_ADMINDIR: empty, APT_CONFIG: join(empty, "apt.conf") });
    const text = stepText("debian.mjs", 'installDebianPackages(["libkrb5-dev"], "building code-server")');
    const said = await failure(process.execPath, ["--input-type=module", "--eval", text], env);
    expect(said).toContain("apt-get install -y --no-install-recommends libkrb5-dev");
  });
});
