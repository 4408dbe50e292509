import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { writeFiles } from "../support/extension-files.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply } from "../support/scripted-replies.ts";
import { AgentUnderTest } from "../support/spawn-agent.ts";

let root: string;
let model: ScriptedModel;
let agent: AgentUnderTest | undefined;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "tiller-instructions-"));
  writeFiles(root, {
    "home/.ssh/id_rsa": "PRIVATE KEY",
    "home/notes.md": "---\nname: notes\ndescription: PRIVATE NOTES\n---\nPRIVATE NOTES",
    "project/docs/AGENTS.md": "Shared instructions",
    "project/.env": "PRIVATE ENV",
    "agent/settings.json": "{}",
  });
  mkdirSync(join(root, "project/packages/app"), { recursive: true });
  model = await ScriptedModel.start();
});

afterEach(async () => {
  await agent?.dispose();
  agent = undefined;
  await model.stop();
  rmSync(root, { recursive: true, force: true });
});

/** Starts an agent in the project and has it ask its model once. @returns the system prompt. */
async function systemPrompt(...args: string[]): Promise<string> {
  agent = new AgentUnderTest({
    modelUrl: model.url,
    cwd: join(root, "project/packages/app"),
    agentDir: join(root, "agent"),
    env: { HOME: join(root, "home") },
    args: ["--no-session", ...args],
  });
  model.enqueue(reply("ok"));
  await agent.run("go");
  return JSON.stringify(model.requests[0]?.body.system);
}

const link = (target: string, path: string) => {
  mkdirSync(join(root, path, ".."), { recursive: true });
  symlinkSync(target, join(root, path));
};

describe("instructions of a project", () => {
  it.each(["--no-approve", "--approve"])(
    "are not read through a link that leads out of the repository (%s)",
    async (trust) => {
      mkdirSync(join(root, "project/.git"));
      link(join(root, "home/.ssh/id_rsa"), "project/AGENTS.md");
      link("../../home/.ssh/id_rsa", "project/packages/CLAUDE.md");
      const prompt = await systemPrompt(trust);
      expect(prompt).not.toContain("PRIVATE");
      for (const path of ["project/AGENTS.md", "project/packages/CLAUDE.md"]) {
        expect(agent?.stderr).toContain(
          `${join(root, path)} is left out because it leads outside ${join(root, "project")}.`,
        );
      }
    },
  );

  it("are read through a link inside the repository, unless its target may hold secrets", async () => {
    mkdirSync(join(root, "project/.git"));
    link("docs/AGENTS.md", "project/AGENTS.md");
    link("../.env", "project/packages/AGENTS.md");
    const prompt = await systemPrompt();
    expect(prompt).toContain("Shared instructions");
    expect(prompt).not.toContain("PRIVATE");
    expect(agent?.stderr).toContain("packages/AGENTS.md is left out: it leads to .env, which may hold secrets.");
  });

  it("must be inside their folder when there is no repository", async () => {
    link("../home/.ssh/id_rsa", "project/AGENTS.md");
    expect(await systemPrompt()).not.toContain("PRIVATE");
    expect(agent?.stderr).toContain(`it leads outside ${join(root, "project")}.`);
  });

  it("can be links to anywhere in the agent's own folder", async () => {
    writeFiles(root, { "dotfiles/AGENTS.md": "Of the user" });
    link("../dotfiles/AGENTS.md", "agent/AGENTS.md");
    expect(await systemPrompt()).toContain("Of the user");
  });
});

describe("skills and prompt templates of a project", () => {
  it("are left out when a link leads out of the repository, even through a folder on the way", async () => {
    mkdirSync(join(root, "project/.git"));
    writeFiles(root, { "home/skills/private/SKILL.md": "---\nname: private\ndescription: PRIVATE SKILL\n---\nBody" });
    link(join(root, "home/skills"), "project/packages/app/.tiller/skills");
    link(join(root, "home/notes.md"), "project/packages/app/.claude/skills/notes/SKILL.md");
    link(join(root, "home/notes.md"), "project/packages/app/.pi/prompts/notes.md");
    writeFiles(root, { "project/.agents/skills/own/SKILL.md": "---\nname: own\ndescription: Own skill\n---\nBody" });
    const prompt = await systemPrompt("--approve");
    expect(prompt).toContain("Own skill");
    expect(prompt).not.toContain("PRIVATE");
    const commands = JSON.stringify(await agent?.call("get_commands"));
    expect(commands).not.toContain("notes");
    expect(commands).not.toContain("private");
    expect(agent?.stderr).toContain("prompts/notes.md is left out because it leads outside");
  });

  it("are used in folders named like one for secrets, but not through a link to a file that may hold secrets", async () => {
    mkdirSync(join(root, "project/.git"));
    const skill = (name: string) => `---\nname: ${name}\ndescription: ${name} skill\n---\nBody`;
    writeFiles(root, {
      "project/.agents/skills/gcloud/SKILL.md": skill("gcloud"),
      "project/.aws/SKILL.md": skill("linked"),
    });
    link("../../.aws", "project/.agents/skills/linked");
    const prompt = await systemPrompt("--approve");
    expect(prompt).toContain("gcloud skill");
    expect(prompt).not.toContain("linked skill");
  });
});
