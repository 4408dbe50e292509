import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  OFFERED_TOOLS,
  offeredEntry,
  withOfferedNames,
} from "../../../../extension/doors/offered-tools/offered-tools.ts";
import { offeredEntries } from "../../../../scripts/offered-tools/offered-entries.ts";
import { readProjectFile } from "../../../support/manifest.ts";

const Manifest = z.object({
  contributes: z.object({ languageModelTools: z.array(z.looseObject({ name: z.string() })) }),
});

describe("tools offered to other agents", () => {
  test("are in the manifest as they describe themselves, written by npm run offered-tools", async () => {
    const { contributes } = Manifest.parse(JSON.parse(await readProjectFile("package.json")));
    expect(contributes.languageModelTools).toEqual(await offeredEntries());
    expect(contributes.languageModelTools.map(({ name }) => name)).toEqual([...OFFERED_TOOLS.keys()]);
  });

  test("have their own names, also in texts that mention them", () => {
    expect(withOfferedNames("Use vscode_hover, or vscode_rename_symbol, or my_vscode_hover.")).toBe(
      "Use tiller_hover, or vscode_rename_symbol, or my_vscode_hover.",
    );
  });

  test("are described with facts that our own agent knows anyway", () => {
    const parameters = { type: "object", properties: { path: { type: "string" } } };
    const entry = offeredEntry({ name: "vscode_read_notebook", description: "Reads cells.", parameters });
    expect(entry).toEqual({
      name: "tiller_read_notebook",
      tags: ["tiller"],
      displayName: "%tool.readNotebook%",
      modelDescription: "Reads cells. Paths are absolute, or relative to the first folder of the workspace.",
      userDescription: "%tool.readNotebook.description%",
      toolReferenceName: "tillerReadNotebook",
      canBeReferencedInPrompt: true,
      inputSchema: parameters,
    });
  });
});
