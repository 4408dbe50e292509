import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AGENT_METHODS, CLIENT_METHODS } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { BUILT_AGENT } from "../support/spawn-agent.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** Methods that the agent neither answers nor uses. */
const UNUSED = ["logout", "elicitation/complete", "session/update"];

const Variants = z.object({
  $defs: z.object({
    SessionUpdate: z.object({
      oneOf: z.array(z.object({ properties: z.object({ sessionUpdate: z.object({ const: z.string() }) }) })),
    }),
  }),
});

describe("docs/acp.md", () => {
  const page = read("docs/acp.md");

  it("names every method of the protocol, and every update", () => {
    const schema = Variants.parse(JSON.parse(read("node_modules/@agentclientprotocol/sdk/schema/v1/schema.json")));
    const updates = schema.$defs.SessionUpdate.oneOf.map(({ properties }) => properties.sessionUpdate.const);
    const methods = [...Object.values(AGENT_METHODS), ...Object.values(CLIENT_METHODS)];
    const expected = [...updates, ...methods.filter((method) => !UNUSED.includes(method))];
    expect(expected.length).toBeGreaterThan(30);
    expect(expected.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it("has settings that can be pasted: JSON is JSON, and starts the mode", () => {
    const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]) => JSON.parse(text));
    expect(blocks).toHaveLength(2);
    for (const block of blocks) expect(block.agent_servers.Tiller.args).toEqual(["--mode", "acp"]);
  });
});

describe("the entry of the registry", () => {
  const Entry = z.strictObject({
    id: z.string().regex(/^[a-z][a-z0-9-]*$/),
    name: z.string().min(1),
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    description: z.string().min(1),
    authors: z.array(z.string()),
    license: z.string(),
    license_url: z.url(),
    distribution: z.strictObject({
      npx: z.strictObject({ package: z.string().min(1), args: z.array(z.string()) }),
    }),
  });

  it("has the shape that the registry asks for, and the version of the package", () => {
    const { version, name } = JSON.parse(read("package.json"));
    const entry = Entry.parse(JSON.parse(read("media/acp-registry/agent.json")));
    expect(entry).toMatchObject({ version, distribution: { npx: { package: `${name}@${version}` } } });
  });

  it("has an icon of 16 by 16 in the color of the text", () => {
    const icon = read("media/acp-registry/icon.svg");
    expect(icon).toContain('width="16" height="16"');
    expect(icon).toContain("currentColor");
    expect(icon).not.toMatch(/#[0-9a-f]{3}/i);
  });
});

describe("the code of the protocol", () => {
  it.each([
    ["rpc", '{"type":"get_state","id":"1"}\n', false],
    ["acp", '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n', true],
  ])("is loaded in --mode %s: %j", (mode, input, isLoaded) => {
    const home = mkdtempSync(join(tmpdir(), "tiller-loaded-"));
    const list = join(home, "modules.txt");
    const hook = `import Module from "node:module"; import { writeFileSync } from "node:fs"; process.on("exit", () => writeFileSync(${JSON.stringify(list)}, Object.keys(Module._cache).join("\\n")));`;
    const { stdout } = spawnSync(
      process.execPath,
      ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, BUILT_AGENT, "--mode", mode, "--no-session"],
      {
        encoding: "utf8",
        input,
        env: { PATH: process.env.PATH, HOME: home, PI_CODING_AGENT_DIR: join(home, "agent") },
      },
    );
    expect(stdout).toContain('"id"');
    const files = readFileSync(list, "utf8").split("\n");
    expect(files.length).toBeGreaterThan(2);
    expect(files.some((file) => readFileSync(file, "utf8").includes("session/request_permission"))).toBe(isLoaded);
    rmSync(home, { recursive: true, force: true });
  });
});
