import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { PANEL_COMMANDS } from "../../webview/protocol/panel-commands.ts";
import { readManifest, readProjectFile } from "../support/manifest.ts";

const { contributes } = await readManifest();
const { commands, keybindings, menus } = contributes;
const ids = commands.map(({ command }) => command);

/** The key that goes from the editor to the chat and back. */
const TOGGLE = { key: "ctrl+alt+j", mac: "ctrl+cmd+j" };

/** Keys that the editor gives to what people do all day. None of ours may have one of them where the chat is not. */
const BUILT_IN = new Set(
  `a b c d e f g h i j k l m n o p q r s t u v w x y z`
    .split(" ")
    .flatMap((letter) => [`ctrl+${letter}`, `cmd+${letter}`, `ctrl+shift+${letter}`, `cmd+shift+${letter}`])
    .concat(Array.from({ length: 12 }, (_, at) => `f${at + 1}`))
    .concat(["ctrl+alt+i", "ctrl+cmd+i", "ctrl+alt+b", "cmd+alt+b", "ctrl+alt+v", "ctrl+`", "ctrl+/", "ctrl+space"])
    .concat(["escape", "enter", "tab", "shift+tab", "alt+up", "alt+down", "ctrl+enter", "alt+enter", "ctrl+."]),
);

/** Files that wait to be reviewed, and those in which the agent has marked something. */
const OWN_PLACES = ["tiller.editorHasChanges", "tiller.editorHasHighlight", "resourceScheme == tiller-proposal"];

describe("key bindings", () => {
  test("work only in the chat or in a file with changes of the agent, except for the ones that go to the chat and edit the selection", () => {
    const isOurs = (way: readonly string[]) =>
      way.includes("tiller.chatFocus") ||
      (way.includes("editorTextFocus") && OWN_PLACES.some((place) => way.includes(place)));
    const elsewhere = keybindings.filter(
      ({ when = "" }) => !when.split(" || ").every((way) => isOurs(way.split(" && "))),
    );
    expect(elsewhere).toEqual([
      { command: "tiller.focusChat", ...TOGGLE, when: "!tiller.chatFocus || editorTextFocus" },
      {
        command: "tiller.editLines",
        key: "ctrl+alt+k",
        mac: "cmd+alt+k",
        when: "editorTextFocus && !editorReadonly && resourceScheme == file",
      },
    ]);
  });

  test("to the chat lead back again", () => {
    expect(keybindings.find(({ command }) => command === "tiller.focusEditor")).toEqual({
      command: "tiller.focusEditor",
      ...TOGGLE,
      when: "tiller.chatFocus && !editorTextFocus",
    });
  });

  test("that work everywhere are not used by the editor", () => {
    const everywhere = keybindings.filter(({ command }) => /focusChat|editLines/.test(command));
    const taken = everywhere
      .flatMap(({ key, mac, win, linux }) => [key, mac, win, linux])
      .filter((key) => key !== undefined && BUILT_IN.has(key.toLowerCase()));
    expect(taken).toEqual([]);
  });

  test("are few, belong to commands and are listed in docs/settings.md", async () => {
    expect(new Set(keybindings.map(({ key }) => key)).size).toBeLessThanOrEqual(12);
    expect(keybindings.filter(({ command }) => !ids.includes(command))).toEqual([]);
    const [, keys = ""] = (await readProjectFile("docs/settings.md")).split("### Keys\n");
    const page = keys.toLowerCase();
    expect(keybindings.filter(({ key }) => !page.includes(key))).toEqual([]);
  });
});

const SMALL_WORDS = new Set([
  "a",
  "an",
  "and",
  "as",
  "at",
  "by",
  "for",
  "from",
  "in",
  "into",
  "it",
  "of",
  "on",
  "or",
  "the",
  "to",
  "with",
]);

/** Words of a title that ought to begin with a capital letter. */
function lowerWords(title: string): string[] {
  const words = title.replaceAll("…", "").split(/[\s-]+/);
  return words.filter((word, at) => /^[a-z]/.test(word) && (at === 0 || !SMALL_WORDS.has(word)));
}

describe("commands in the manifest", () => {
  test("have the category and a title in title case", () => {
    expect(commands.filter(({ category }) => category !== "Tiller")).toEqual([]);
    expect(commands.filter(({ title }) => lowerWords(title).length > 0)).toEqual([]);
  });

  test("have an icon when they are in a title bar or a row", () => {
    // A comment shows its commands as buttons with words.
    const shown = Object.entries(menus).flatMap(([menu, items]) =>
      (menu === "comments/commentThread/context" ? [] : items)
        .filter(
          ({ group = "" }) =>
            (/^(navigation|inline)/.test(group) && !menu.endsWith("/context")) || group?.startsWith("inline"),
        )
        .map(({ command }) => command),
    );
    const withIcon = new Set(commands.filter(({ icon }) => icon !== undefined).map(({ command }) => command));
    expect(shown.filter((command) => command?.startsWith("tiller.") && !withIcon.has(command))).toEqual([]);
  });

  test("that need a place are hidden in the palette", () => {
    const hidden = (menus.commandPalette ?? []).filter(({ when }) => when === "false").map(({ command }) => command);
    expect(hidden).toEqual(
      expect.arrayContaining([
        "tiller.submitEditor",
        "tiller.cancelEditor",
        "tiller.loadMoreSessions",
        "tiller.openSession",
        "tiller.openSessionInEditor",
        "tiller.renameSession",
        "tiller.deleteSession",
        "tiller.exportSession",
      ]),
    );
  });

  test("are those that the extension registers", async () => {
    const folder = join(import.meta.dirname, "../../extension");
    const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith(".ts"));
    const sources = await Promise.all(files.map((file) => readProjectFile(join("extension", file))));
    const registered = sources.flatMap((source) =>
      [...source.matchAll(/^\s*"(tiller\.\w+)": |\bregister(?:Command)?\(\s*"(tiller\.\w+)"/gm)].map(
        ([, key, id]) => key ?? id ?? "",
      ),
    );
    const used = [...menuCommands(), ...keybindings.map(({ command }) => command), ...PANEL_COMMANDS];
    expect(ids.filter((id) => !registered.includes(id))).toEqual([]);
    expect(used.filter((id) => id.startsWith("tiller.") && !ids.includes(id))).toEqual([]);
  });
});

test("README and docs name commands by their titles", async () => {
  const texts: Record<string, string> = JSON.parse(await readProjectFile("package.nls.json"));
  const withoutDots = (title: string) => title.replace(/…$/, "");
  const titles = new Set(commands.map(({ title }) => withoutDots(texts[title.replaceAll("%", "")] ?? title)));
  const docs = (await readdir(join(import.meta.dirname, "../../docs"))).filter((name) => name.endsWith(".md"));
  for (const file of ["README.md", ...docs.map((name) => `docs/${name}`)]) {
    const page = await readProjectFile(file);
    const inTable = [...page.matchAll(/^\| (Tiller: [^|]+) \|/gm)].flatMap(([, names = ""]) => names.split(", "));
    const inText = [...page.matchAll(/\*(Tiller: [^*`]+)\*/g)].map(([, name = ""]) => name.replace(/\s+/g, " "));
    const named = [...inTable, ...inText].map((name) => withoutDots(name.replace("Tiller: ", "")));
    expect(
      named.filter((name) => !titles.has(name)),
      file,
    ).toEqual([]);
  }
});

function menuCommands(): string[] {
  return Object.values(menus).flatMap((items) => items.flatMap(({ command }) => command ?? []));
}

describe("the walkthrough", () => {
  const [walkthrough] = contributes.walkthroughs;
  const steps = walkthrough?.steps ?? [];

  test("has at most five steps, each with an action and a condition that completes it", () => {
    expect(contributes.walkthroughs).toHaveLength(1);
    expect(steps.length).toBeLessThanOrEqual(5);
    for (const { description } of steps) {
      const actions = [...description.matchAll(/^\[[^\]]+\]\(command:(tiller\.\w+)\)$/gm)].map(([, id]) => id);
      expect(actions.length).toBeGreaterThan(0);
      expect(actions.filter((id) => id === undefined || !ids.includes(id))).toEqual([]);
    }
  });

  test("uses only existing commands, settings and context keys", async () => {
    const milestones = await readProjectFile("extension/window/milestones.ts");
    for (const event of steps.flatMap(({ completionEvents }) => completionEvents)) {
      const [kind, name = ""] = event.split(":");
      if (kind === "onCommand") expect(ids).toContain(name);
      else if (kind === "onContext") expect(milestones).toContain(`"${name.slice("tiller.".length)}"`);
      else expect(event).toMatch(/^onSettingChanged:tiller\./);
    }
  });

  test("has images with all colors from the theme", async () => {
    for (const { media } of steps) {
      const image = await readProjectFile(media.svg);
      const colours = [...image.matchAll(/(?:fill|stroke)="([^"]*)"/g)].map(([, colour]) => colour);
      expect(colours.length).toBeGreaterThan(5);
      expect(colours.filter((colour) => !/^(none|var\(--vscode-.*\))$/.test(colour ?? ""))).toEqual([]);
      expect(image).not.toMatch(/style=|<style|<text|<script|href=/);
      expect(media.altText).not.toBe("");
    }
  });
});
