import { describe, expect, it } from "vitest";
import { readOwnCommand, withOwnCommands } from "../../../extension/chat/own-commands.ts";

const command = (name: string, source: string) => ({ name, source, description: name, argumentHint: "" });

describe("the list of slash commands", () => {
  it("begins with the commands of the chat, each with a description, and hides others of their names", () => {
    const agents = [
      command("explain", "prompt"),
      command("review", "prompt"),
      command("init", "prompt"),
      command("new", "extension"),
      command("skill:pdf", "skill"),
    ];
    const all = withOwnCommands(agents);
    expect(all.map(({ name }) => name)).toEqual([
      ..."new clear compact model mode plan export fork rewind approvals help review init".split(" "),
      "explain",
      "skill:pdf",
    ]);
    expect(all.slice(0, 13).every(({ source, description }) => source === "Tiller" && description !== "")).toBe(true);
  });

  it("leaves a template of the user's own among the templates", () => {
    const all = withOwnCommands([command("explain", "prompt"), command("review", "prompt, project")]);
    expect(all.slice(-2)).toMatchObject([{ name: "explain" }, { name: "review", source: "prompt, project" }]);
  });
});

describe("readOwnCommand", () => {
  it("reads a message that is only a command, with what /compact is to keep", () => {
    expect(readOwnCommand(" /model ")).toEqual({ name: "model", rest: "" });
    expect(readOwnCommand("/compact the\nnames ")).toEqual({ name: "compact", rest: "the\nnames" });
  });

  it("leaves all other messages to the agent", () => {
    for (const text of ["/new thing to do", "/newer", "/review", "/plan x", "say /new", "/home/me/new", "model"]) {
      expect(readOwnCommand(text), text).toBeUndefined();
    }
  });
});
