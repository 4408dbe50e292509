import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { Running } from "./running.ts";

const MODULE = pathToFileURL(join(import.meta.dirname, "../../scripts/lib/environment.mjs")).href;
const Environment = z.record(z.string(), z.string());
const Shown = z.object({ all: Environment, child: Environment, user: Environment });
/** As it is where no npm runs. */
const PATH = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
const FROM_NPM = /^npm_|^(INIT_CWD|NODE|NODE_ENV|COLOR)$/i;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tiller-environment-"));
  const show = `import { childEnvironment, userEnvironment } from ${JSON.stringify(MODULE)};
console.log(JSON.stringify({ all: process.env, child: childEnvironment(), user: userEnvironment() }));`;
  writeFileSync(join(folder, "show.mjs"), show);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { show: "node show.mjs" } }));
  mkdirSync(join(folder, "home"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The environments that a script of npm makes for its children. @param settings lines of the user's `.npmrc`. */
async function shown(settings: string[], env: NodeJS.ProcessEnv = {}): Promise<z.infer<typeof Shown>> {
  writeFileSync(join(folder, "home/.npmrc"), settings.join("\n"));
  const home = join(folder, "home");
  const npm = new Running("npm", ["run", "--silent", "show"], {
    cwd: folder,
    env: { PATH: PATH.join(delimiter), HOME: home, ...env },
  });
  expect(await npm.end(), npm.output).toBe(0);
  return Shown.parse(JSON.parse(npm.output));
}

describe("the environment of started programs", () => {
  it("has only npm's registry settings, and so no user agent that names another Node", async () => {
    const { all, child, user } = await shown(["ignore-scripts=true", "omit=dev"], { NODE_ENV: "production" });
    expect(all).toMatchObject({
      npm_lifecycle_event: "show",
      npm_config_ignore_scripts: "true",
      NODE_ENV: "production",
    });
    expect(all.npm_config_user_agent).toContain("node/v");
    const kept = [
      ...["npm_config_cache", "npm_config_cafile", "npm_config_globalconfig", "npm_config_noproxy"],
      "npm_config_userconfig",
    ];
    expect(Object.keys(user).filter((name) => FROM_NPM.test(name) && !kept.includes(name))).toEqual([]);
    const added = Object.keys(child).filter((name) => !(name in user));
    expect(added).toEqual(["npm_config_loglevel"]);
  });

  it("keeps a custom registry with its credentials, proxies and certificates", async () => {
    const settings = {
      registry: "http://127.0.0.1:9/",
      proxy: "http://127.0.0.1:8/",
      "https-proxy": "http://127.0.0.1:8/",
      noproxy: "localhost",
      "strict-ssl": "true",
      cafile: join(folder, "package.json"),
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    const { child } = await shown(lines, { NPM_TOKEN: "secret" });
    expect(child).toMatchObject({
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_proxy: "http://127.0.0.1:8/",
      npm_config_https_proxy: "http://127.0.0.1:8/",
      npm_config_noproxy: "localhost",
      npm_config_cafile: join(folder, "package.json"),
      npm_config_userconfig: join(folder, "home/.npmrc"),
      NPM_TOKEN: "secret",
    });
  });

  it("has the user's own PATH, without the programs of this repository's packages", async () => {
    const { all, user } = await shown([]);
    expect(all.PATH?.split(delimiter)).toContain(join(folder, "node_modules/.bin"));
    expect(user.PATH?.split(delimiter)).toEqual(PATH);
  });
});
