import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const AGENT = fileURLToPath(new URL("../../dist/agent/cli.js", import.meta.url));

test("the agent answers get_state without loading the parts of Node that only some calls need", () => {
  const folder = mkdtempSync(join(tmpdir(), "tiller-start-"));
  const list = join(folder, "modules.txt");
  const hook = `import { writeFileSync } from "node:fs"; process.on("exit", () => writeFileSync(${JSON.stringify(list)}, process.moduleLoadList.join("\\n")));`;
  const { stdout } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, AGENT, "--mode", "rpc", "--no-session"],
    {
      encoding: "utf8",
      input: '{"type":"get_state","id":"1"}\n',
      env: { PATH: process.env.PATH, HOME: folder, ANTHROPIC_API_KEY: "test-key", PI_CODING_AGENT_DIR: folder },
    },
  );
  expect(stdout).toContain('"command":"get_state","success":true');
  const loaded = readFileSync(list, "utf8").split("\n");
  const late = ["crypto", "http", "https", "worker_threads", "readline", "zlib"];
  expect(loaded.filter((name) => late.includes(name.replace("NativeModule ", "")))).toEqual([]);
});
