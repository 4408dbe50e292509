import { describe, expect, it } from "vitest";
import type { SlashCommand } from "../../../agent/protocol/commands.ts";
import { SlashCommands } from "../../../extension/chat/slash-commands.ts";
import { matchCommands } from "../../../webview/view/composer/slash-match.ts";

describe("SlashCommands", () => {
  it("asks the agent at most every two seconds, and again after a failure", async () => {
    let now = 0;
    let asked = 0;
    let isFailing = true;
    const commands = new SlashCommands(
      async () => {
        asked += 1;
        if (isFailing) throw new Error("gone");
        return [];
      },
      () => now,
    );
    await expect(commands.list()).rejects.toThrow("gone");
    isFailing = false;
    await Promise.all([commands.list(), commands.list()]);
    now = 1_999;
    await commands.list();
    expect(asked).toBe(2);
    now = 2_000;
    await commands.list();
    expect(asked).toBe(3);
  });

  it("lists templates, then skills, then commands of extensions", async () => {
    const given: SlashCommand[] = [
      { name: "deploy", source: "extension" },
      { name: "skill:pdf", source: "skill" },
      { name: "explain", source: "prompt" },
    ];
    const names = (await new SlashCommands(async () => given).list()).map(({ name }) => name);
    expect(names).toEqual(["explain", "skill:pdf", "deploy"]);
  });

  it("shows where a command comes from, and leaves out names that cannot be typed", async () => {
    const given: SlashCommand[] = [
      {
        name: "review",
        source: "prompt",
        location: "project",
        description: "Reviews\n a file",
        argumentHint: "<file>",
      },
      { name: "deploy", source: "extension", location: "path" },
      { name: "two words", source: "extension" },
    ];
    expect(await new SlashCommands(async () => given).list()).toEqual([
      { name: "review", description: "Reviews a file", argumentHint: "<file>", source: "prompt, project" },
      { name: "deploy", description: "", argumentHint: "", source: "extension" },
    ]);
  });
});

describe("matchCommands", () => {
  const command = (name: string, description = "") => ({ name, description, source: "", argumentHint: "" });
  const commands = [
    command("preview"),
    command("git:review"),
    command("rust-eval"),
    command("review"),
    command("other", "Makes a review"),
    command("none"),
  ];
  const names = (query: string) => matchCommands(query, commands).map((match) => match.command.name);

  it("sorts by start of the name, then start of a word, the middle, letters in order and the description", () => {
    expect(names("rev")).toEqual(["review", "git:review", "preview", "rust-eval", "other"]);
  });

  it("returns all in order when nothing is typed", () => {
    expect(names("")).toEqual(["preview", "git:review", "rust-eval", "review", "other", "none"]);
  });

  it("marks the typed letters", () => {
    expect(matchCommands("rev", commands).map(({ letters }) => letters)).toEqual([
      [0, 1, 2],
      [4, 5, 6],
      [1, 2, 3],
      [0, 5, 6],
      [],
    ]);
  });
});
