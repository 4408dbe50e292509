import { describe, expect, test } from "vitest";
import { mergedSetting, SETTING_SHAPES } from "../../../extension/editor/setting-shapes.ts";
import { readManifest } from "../../support/manifest.ts";

const manifest = await readManifest();
const scopes = Object.fromEntries(
  manifest.contributes.configuration.flatMap(({ properties }) =>
    Object.entries(properties).map(([name, { scope }]) => [name, scope]),
  ),
);

describe("a workspace's value", () => {
  test.each([
    ["auto", "confirm", "confirm"],
    ["auto", "readonly", "readonly"],
    ["confirm", "auto", "confirm"],
    ["readonly", "auto-edit", "readonly"],
    ["auto-edit", "auto", "auto-edit"],
    [undefined, "auto", "confirm"],
    [undefined, "readonly", "readonly"],
    ["auto", undefined, "auto"],
    ["auto", "no such mode", "confirm"],
    ["readonly", "no such mode", "readonly"],
  ])("of the permission mode only tightens it: user %s, workspace %s, effective %s", (user, workspace, effective) => {
    const found = { defaultValue: "confirm", globalValue: user, workspaceValue: workspace };
    expect(mergedSetting("permissionMode", found)).toBe(effective);
    expect(
      mergedSetting("permissionMode", { ...found, workspaceValue: undefined, workspaceFolderValue: workspace }),
    ).toBe(effective);
  });

  test("of other protective settings only tightens them, too", () => {
    const merged = (name: Parameters<typeof mergedSetting>[0], user: unknown, workspace: unknown) =>
      mergedSetting(name, { globalValue: user, workspaceValue: workspace });
    expect(merged("agent.loadProjectResources", false, true)).toBe(false);
    expect(merged("agent.loadProjectResources", true, false)).toBe(false);
    expect(merged("hostTools.languageModelTools", false, true)).toBe(false);
    expect(merged("askForReadOnlyCommands", true, false)).toBe(true);
    expect(merged("askForReadOnlyCommands", false, true)).toBe(true);
    expect(merged("autoContext", "off", "file+selection")).toBe("off");
    expect(merged("autoContext", "selection", "never")).toBe("never");
    expect(merged("costLimit", 5, 100)).toBe(5);
    expect(merged("costLimit", 5, 0)).toBe(5);
    expect(merged("costLimit", 0, 2)).toBe(2);
  });

  test("of a preference overrides the user's", () => {
    expect(mergedSetting("density", { globalValue: "open", workspaceValue: "compact" })).toBe("compact");
    expect(
      mergedSetting("model", {
        defaultValue: "",
        globalValue: "a/b",
        workspaceValue: "a/c",
        workspaceFolderValue: "d",
      }),
    ).toBe("d");
  });

  test.each(["agent.command", "agent.env"])("of %s does not exist: it belongs to the machine", (name) => {
    expect(scopes[`tiller.${name}`]).toBe("machine");
  });

  test.each(["hostTools.allowedCommands", "hostTools.disabled", "hostTools.approval", "sendFixAtOnce"])(
    "of %s does not exist: it belongs to the user",
    (name) => {
      expect(scopes[`tiller.${name}`]).toBe("application");
      expect(Object.keys(SETTING_SHAPES)).toContain(name);
    },
  );
});
