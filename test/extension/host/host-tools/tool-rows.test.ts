import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HostToolDefinition } from "../../../../agent/protocol/host-tools.ts";
import { HostToolSet } from "../../../../extension/host/host-tools/host-tool-set.ts";
import { toolGroups } from "../../../../extension/host/host-tools/tool-list.ts";
import { hostToolDefinitions } from "../../../../scripts/offered-tools/offered-entries.ts";
import { ALL_ROWS } from "../../../e2e/support/tool-rows/all-rows.ts";
import { readProjectFile } from "../../../support/manifest.ts";
import { ScriptedModel } from "../../../support/scripted-model.ts";
import { reply } from "../../../support/scripted-replies.ts";
import { AgentUnderTest } from "../../../support/spawn-agent.ts";

let definitions: HostToolDefinition[];
let model: ScriptedModel;
/** The host tools that the model was told of, in order. */
let told: string[];

beforeAll(async () => {
  definitions = await hostToolDefinitions();
  model = await ScriptedModel.start();
  const agent = new AgentUnderTest({ args: ["--no-session", "--no-builtin-tools"], modelUrl: model.url });
  await agent.call("set_host_tools", { tools: definitions });
  model.enqueue(reply("ok"));
  await agent.run("What can you do?");
  await agent.dispose();
  told = (model.requests[0]?.body.tools ?? []).map(({ name }) => name);
});

afterAll(() => model.stop());

describe("the tools that the extension registers with a running agent", () => {
  it("reach the model, all but those that the agent alone uses", () => {
    const shown = definitions.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
    expect(told).toEqual(shown);
    expect(told.length).toBeGreaterThanOrEqual(43);
  });

  it("each have one row in the list of tools, with a label, the way the user is asked and a description", () => {
    const own = definitions.map((definition) => ({ definition, run: async () => ({ content: [] }) }));
    const hostTools = new HostToolSet({
      own,
      foreign: () => [],
      disabled: () => [],
      tier: () => undefined,
      isThere: () => true,
      look: async () => {},
      changed: () => {},
    });
    const groups = toolGroups(hostTools);
    const rows = groups.flatMap((group) => group.rows);
    expect(rows.map(({ name }) => name).sort()).toEqual([...told].sort());
    expect(groups.map(({ title }) => title)).not.toContain("Other extensions and MCP servers");
    expect(new Set(rows.map(({ label }) => label)).size).toBe(rows.length);
    const unclear = rows.filter(
      ({ name, label, state, detail }) =>
        label === name ||
        detail.trim() === "" ||
        !/^vscode_\w+ · (?:no approval needed|needs approval|needs approval like an edit|always needs approval)$/.test(
          state,
        ),
    );
    expect(unclear).toEqual([]);
  });

  it("are each called in the editor tests, once with success and once with a failure", () => {
    const called = (isGood: boolean) =>
      new Set(ALL_ROWS.filter((row) => row.isGood === isGood).map(({ tool }) => tool));
    expect([...called(true)].sort()).toEqual([...told].sort());
    expect([...called(false)].sort()).toEqual([...told].sort());
  });

  it("are each described in docs/editor-tools.md", async () => {
    const page = await readProjectFile("docs/editor-tools.md");
    expect(told.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
