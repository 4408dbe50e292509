import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Folders, each with something that its code must not import. */
const PLANTS: [folder: string, target: string][] = [
  ["agent/protocol", "agent/util/truncate.ts"],
  ["agent/protocol", "node:fs"],
  ["agent/util", "agent/config/paths.ts"],
  ["agent/config", "agent/providers/proxy.ts"],
  ["agent/providers", "agent/tools/tool.ts"],
  ["agent/tools", "agent/prompt/skills.ts"],
  ["agent/tools", "@anthropic-ai/sdk"],
  ["agent/prompt", "agent/loop/agent-loop.ts"],
  ["agent/loop", "agent/extensions/api.ts"],
  ["agent/extensions", "agent/session/session.ts"],
  ["agent/extensions", "agent/bundled/mcp/mcp-files.ts"],
  ["agent/extensions/compat", "@modelcontextprotocol/sdk/types.js"],
  ["agent/bundled/approvals", "agent/session/session.ts"],
  ["agent/bundled/approvals/shell", "agent/rpc/start.ts"],
  ["agent/bundled/hooks", "agent/extensions/consent/consent-desk.ts"],
  ["agent/bundled/mcp", "agent/bundled/approvals/approvals.ts"],
  ["agent/bundled/mcp", "agent/extensions/consent/consent-desk.ts"],
  ["agent/bundled/approvals", "agent/tools/bash.ts"],
  ["agent/session", "agent/rpc/start.ts"],
  ["agent/session/history", "vscode"],
  ["agent/rpc/wire", "agent/rpc/services/services.ts"],
  ["agent/rpc/services", "agent/rpc/handlers/handler.ts"],
  ["agent/rpc/handlers", "agent/rpc/load/prepare.ts"],
  ["agent/rpc", "agent/cli.ts"],
  ["agent/rpc", "extension/chat/chat.ts"],
  ["agent/client", "agent/util/truncate.ts"],
  ["agent/client", "zod"],
  ["extension/core/transcript", "node:child_process"],
  ["extension/core/transcript", "extension/chat/chat.ts"],
  ["extension/core/mentions", "vscode"],
  ["extension/core/connection", "extension/editor/settings.ts"],
  ["extension/core/keys", "extension/core/trace/traceable.ts"],
  ["extension/chat", "vscode"],
  ["extension/chat", "extension/editor/settings.ts"],
  ["extension/editor", "extension/chat/chat.ts"],
  ["extension/host/changes", "extension/window/chats.ts"],
  ["extension/host/host-tools/git", "extension/host/questions/dialogs.ts"],
  ["extension/window", "extension/features/status/status-bar.ts"],
  ["extension/features/composer", "extension/features/review/review.ts"],
  ["extension/features/sessions", "extension/features/models/pick-model.ts"],
  ["extension/features/follow", "extension/wiring/commands.ts"],
  ["extension/doors/links", "extension/doors/api/create-api.ts"],
  ["extension/doors/api", "extension/wiring/doors.ts"],
  ["extension/wiring", "extension/extension.ts"],
  ["extension/features/models", "agent/config/paths.ts"],
  ["extension/host/host-tools", "webview/view/common/menu.ts"],
  ["extension/window", "webview/state.ts"],
  ["extension/window", "test/support/scripted-model.ts"],
  ["webview/protocol", "webview/state.ts"],
  ["webview/view/common", "webview/view/composer/composer.ts"],
  ["webview/view/composer", "webview/view/transcript/transcript.ts"],
  ["webview/view/markdown", "webview/page/announcer.ts"],
  ["webview/trace", "webview/view/composer/composer.ts"],
  ["webview/page", "node:fs"],
  ["webview/view/dock", "vscode"],
  ["webview/late", "extension/core/mentions/mention-text.ts"],
  ["webview", "agent/client/rpc-client.ts"],
];

/** Each way to import, with `@` for the target. */
const WAYS = [
  'import "@";',
  'import type { a } from "@";',
  'export * from "@";',
  'export { a } from "@";',
  'void import("@");',
  'export type A = typeof import("@");',
];

let copy: string;

/** Runs the check on a tree. Resolves to its exit code, its figures and what it refuses. */
async function check(root: string): Promise<{ code: number; figures: string; refused: string[] }> {
  const child = spawn(process.execPath, [join(ROOT, "scripts/structure.ts"), root]);
  const [figures, refusals, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, figures, refused: refusals.split("\n").filter((line) => line !== "") };
}

/** Adds a file with one import to the copy. Resolves to its path from the root. */
async function plant(name: string, folder: string, target: string, way: string): Promise<string> {
  const file = `${folder}/planted-${name}.ts`;
  const specifier = /^(agent|extension|webview|test)\//.test(target) ? posix.relative(folder, target) : target;
  await mkdir(join(copy, folder), { recursive: true });
  const written = specifier === target || specifier.startsWith(".") ? specifier : `./${specifier}`;
  await writeFile(join(copy, file), `${way.replace("@", written)}\n`);
  return file;
}

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "tiller-structure-"));
  for (const house of ["agent", "extension", "webview"]) {
    await cp(join(ROOT, house), join(copy, house), { recursive: true });
  }
});

afterAll(() => rm(copy, { recursive: true, force: true }));

describe("the structure of the source", () => {
  it("has no import that the table of layers refuses, and no folders that import each other", async () => {
    const { code, figures, refused } = await check(ROOT);
    expect(refused).toEqual([]);
    expect(code).toBe(0);
    expect(figures).toMatch(/^extension +\d+ +\d+ +0 +0 +1$/m);
  });

  it("refuses every planted import, in every way to write one", async () => {
    const files = await Promise.all(
      PLANTS.map(([folder, target], at) => plant(String(at), folder, target, WAYS[at % WAYS.length] ?? "")),
    );
    const { code, refused } = await check(copy);
    const missed = files.filter((file) => !refused.some((line) => line.startsWith(`${file}:1 may not import `)));
    expect(missed.map((file) => [file, PLANTS[files.indexOf(file)]?.[1]])).toEqual([]);
    expect(code).toBe(1);
    await Promise.all(files.map((file) => rm(join(copy, file))));
  });

  it("refuses files of a folder that the table does not know", async () => {
    const file = await plant("room", "extension/new-room", "vscode", 'import "@";');
    const { refused } = await check(copy);
    expect(refused).toEqual([
      `${file}:1 may not import vscode. In scripts/structure/layers.ts, no row covers this file.`,
    ]);
    await rm(join(copy, "extension/new-room"), { recursive: true });
  });

  it("names folders that import each other where the table would allow it", async () => {
    const file = await plant("circle", "agent/tools", "agent/tools/tool.ts", 'import "@";');
    await mkdir(join(copy, "agent/tools/deep"));
    await writeFile(join(copy, "agent/tools/deep/a.ts"), 'import "../planted-circle.ts";\n');
    await writeFile(join(copy, file), 'import "./deep/a.ts";\n');
    expect((await check(copy)).refused).toEqual([
      "These import each other: agent/tools/deep, agent/tools/planted-circle.ts.",
    ]);
  });
});

describe("CONTRIBUTING.md", () => {
  it("names only files and folders that exist", async () => {
    const page = await readFile(join(ROOT, "CONTRIBUTING.md"), "utf8");
    const paths = [...page.matchAll(/`((?:agent|docs|extension|scripts|test|webview)\/[\w./-]*)`/g)];
    const named = paths.map(([, path = ""]) => path);
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
