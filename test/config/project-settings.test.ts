import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadSettings } from "../../agent/config/settings.ts";
import { writeFiles } from "../support/extension-files.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tiller-settings-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the settings file of a trusted project", () => {
  test.each([
    ["shellPath", "/bin/false"],
    ["shellCommandPrefix", "touch /tmp/p;"],
    ["sessionDir", "sessions"],
    ["shellEnv", { GIT_EDITOR: "touch /tmp/p" }, {}],
    ["fallbackModels", ["other/model"], []],
    ["summaryModel", "other/model"],
    ["cacheTtl", "1h", "5m"],
    ["web", { fetch: true, privateHosts: ["localhost"] }, { fetch: false, privateHosts: [] }],
  ] as const)("cannot set %s, and the notice names the user's file", async (key, value, own: unknown = undefined) => {
    const { settings, warnings } = await load({ project: { [key]: value, followUpMode: "all" } });
    expect(settings).toMatchObject({ [key]: own, followUpMode: "all" });
    expect(warnings).toEqual([
      `Setting "${key}" of ${join(folder, ".tiller", "settings.json")} is ignored because projects can't set it. Set it in ${join(folder, "agent", "settings.json")}.`,
    ]);
  });

  test("leaves the user's own choice in place", async () => {
    const { settings } = await load({ user: { shellPath: "/bin/bash" }, project: { shellPath: "/bin/false" } });
    expect(settings.shellPath).toBe("/bin/bash");
  });

  test("can remove tools that the user named, and adds none", async () => {
    const { settings, warnings } = await load({
      user: { defaultTools: ["read", "grep"] },
      project: { defaultTools: ["bash", "read"] },
    });
    expect(settings.defaultTools).toEqual(["read"]);
    expect(warnings).toEqual([expect.stringContaining('"defaultTools"')]);
    expect((await load({ project: { defaultTools: ["read", "grep"] } })).settings.defaultTools).toEqual([
      "read",
      "grep",
    ]);
  });
});

async function load({ user = {}, project = {} }: { user?: object; project?: object }) {
  const warnings: string[] = [];
  const agentDir = join(folder, "agent");
  const projectDir = join(folder, ".tiller");
  writeFiles(agentDir, { "settings.json": JSON.stringify(user) });
  writeFiles(projectDir, { "settings.json": JSON.stringify(project) });
  const warn = (message: string) => void warnings.push(message);
  return { settings: await loadSettings({ agentDir, projectDir, isProjectTrusted: true, warn }), warnings };
}
