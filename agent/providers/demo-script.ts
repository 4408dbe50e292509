import { planEdit } from "./demo-edit.ts";
import { HELP, INTRODUCTION, longAnswer } from "./demo-texts.ts";
import { type DemoBlock, type DemoStep, type DemoTurn, readTurn } from "./demo-turn.ts";
import type { ProviderRequest } from "./provider.ts";

const MAX_SHOWN_LINES = 12;

/** Returns the demo model's answer, which depends only on the last message and the tool results since. */
export function demoReply(request: Pick<ProviderRequest, "messages" | "tools">): DemoBlock[] {
  const turn = readTurn(request);
  const blocks = afterFailure(turn) ?? play(turn);
  return turn.isFirst && turn.steps.length === 0 ? introduce(blocks) : blocks;
}

function introduce(blocks: readonly DemoBlock[]): DemoBlock[] {
  const at = blocks.findIndex((block) => block.kind !== "thinking");
  const first = blocks[at];
  if (first?.kind === "text") return blocks.with(at, say(INTRODUCTION + first.text));
  return blocks.toSpliced(at === -1 ? blocks.length : at, 0, say(INTRODUCTION.trimEnd()));
}

type Act = (turn: DemoTurn, argument: string) => DemoBlock[];

const ACTS: readonly (readonly [RegExp, Act])[] = [
  [/\bread\s+`?([^\s`]+)`?/i, playRead],
  [/\brun\s+`?([^`]+)`?/i, playRun],
  [/\bedit\s+`?([^\s`]+)`?/i, playEdit],
  [/\bopen\s+`?([^\s`]+)`?/i, playOpen],
  [/\b(?:diagnostics|problems)\b/i, playDiagnostics],
  [/\bselection\b/i, playSelection],
  [/\blong\b/i, () => [think("The user wants something long."), say(longAnswer())]],
  [/\bhelp\b/i, () => [say(HELP)]],
];

function play(turn: DemoTurn): DemoBlock[] {
  for (const [pattern, act] of ACTS) {
    const match = pattern.exec(turn.said);
    if (match !== null) return act(turn, (match[1] ?? "").trim());
  }
  return playTour(turn);
}

/** A call that failed or was not allowed ends the turn, in plain words. */
function afterFailure({ steps }: DemoTurn): DemoBlock[] | undefined {
  const last = steps.at(-1);
  if (last?.isError !== true) return undefined;
  if (/^Blocked\b/.test(last.text)) {
    return [say(`You didn't allow \`${last.name}\`, so I'm stopping here. Nothing changed.`)];
  }
  return [say(`\`${last.name}\` failed, so I'm stopping here. It said:\n\n${quote(last.text)}`)];
}

function playRead(turn: DemoTurn, path: string): DemoBlock[] {
  const [read] = turn.steps;
  if (read === undefined) return ask(turn, "read", { path, lineNumbers: false }, `The user wants to see ${path}.`);
  return [say(`\`${path}\` has ${count(read.text, "line")}. It starts like this:\n\n${quote(read.text)}`)];
}

function playRun(turn: DemoTurn, command: string): DemoBlock[] {
  const [run] = turn.steps;
  if (run === undefined) return ask(turn, "bash", { command }, `The user wants me to run: ${command}`);
  return [say(`\`${command}\` printed:\n\n${quote(run.text)}`)];
}

function playEdit(turn: DemoTurn, path: string): DemoBlock[] {
  const [read, edit] = turn.steps;
  if (read === undefined)
    return ask(turn, "read", { path, lineNumbers: false }, `I need to read ${path} before I change it.`);
  const plan = planEdit(path, read.text);
  if (plan === undefined)
    return [say(`I can't find a line in \`${path}\` to add a comment above, so I didn't change it.`)];
  if (edit === undefined) {
    const { oldText, newText } = plan;
    const why = plan.isRemoval
      ? "My comment is already there, so I'll remove it."
      : "I'll add a comment above the first line.";
    return ask(turn, "edit", { path, edits: [{ oldText, newText }] }, why);
  }
  return [
    say(
      `Done: I ${plan.isRemoval ? "removed my comment from" : "added a comment to"} \`${path}\`. The card above shows the change.`,
    ),
  ];
}

function playOpen(turn: DemoTurn, path: string): DemoBlock[] {
  const [opened] = turn.steps;
  if (opened === undefined) return ask(turn, "vscode_open_file", { path }, `The editor can open ${path}.`);
  return [say(`The editor says this about \`${path}\`:\n\n${quote(opened.text)}`)];
}

function playDiagnostics(turn: DemoTurn): DemoBlock[] {
  const [found] = turn.steps;
  if (found === undefined) return ask(turn, "vscode_get_diagnostics", {}, "The editor lists its problems.");
  return [say(`The editor reports:\n\n${quote(found.text)}`)];
}

function playSelection(turn: DemoTurn): DemoBlock[] {
  const [found] = turn.steps;
  if (found === undefined) return ask(turn, "vscode_get_selection", {}, "The editor knows what's selected.");
  return [say(`The editor says this about the selection:\n\n${quote(found.text)}`)];
}

function playTour(turn: DemoTurn): DemoBlock[] {
  const [listing, readme] = turn.steps;
  if (listing === undefined) {
    if (!turn.tools.has("bash")) return [say(`I didn't understand that because I'm a script. ${HELP}`)];
    return ask(
      turn,
      "bash",
      { command: "ls" },
      "I don't know this command, so I'll give a tour. First, what's in this folder?",
    );
  }
  const name = /^readme(?:\.\w+)?$/im.exec(listing.text)?.[0];
  if (readme === undefined && name !== undefined && turn.tools.has("read")) {
    return ask(
      turn,
      "read",
      { path: name, limit: 40, lineNumbers: false },
      `There's a ${name}, a good place to start.`,
    );
  }
  return [think("That's enough for a tour."), say(describeFolder(listing, readme))];
}

function describeFolder(listing: DemoStep, readme: DemoStep | undefined): string {
  const isEmpty = listing.text.trim() === "" || listing.text.startsWith("(no output)");
  const folder = isEmpty
    ? "This folder is empty."
    : `This folder has ${count(listing.text, "entry", "entries")}:\n\n${quote(listing.text)}`;
  const heading = readme === undefined ? undefined : /^#\s+(.+)$/m.exec(readme.text)?.[1];
  const about = heading === undefined ? "" : `\n\nIts readme is titled “${heading}”.`;
  return `${folder}${about}\n\nThat's all a script can say about it. Say \`help\` to see what else I can do.`;
}

/** A tool call with a thought before it, or plain words when the tool is not there. */
function ask(turn: DemoTurn, name: string, args: Record<string, unknown>, thought: string): DemoBlock[] {
  if (turn.tools.has(name)) return [think(thought), { kind: "toolCall", name, args }];
  const where = name.startsWith("vscode_") ? "It's available when Tiller runs in VS Code." : "It's turned off.";
  return [say(`I need the tool \`${name}\` for that. ${where}`)];
}

function think(text: string): DemoBlock {
  return { kind: "thinking", text };
}

function say(text: string): DemoBlock {
  return { kind: "text", text };
}

function count(text: string, one: string, many = `${one}s`): string {
  const lines = text.trimEnd().split("\n").length;
  return `${lines} ${lines === 1 ? one : many}`;
}

/** The first lines in a fence that they cannot break out of. */
function quote(text: string): string {
  const lines = text.trimEnd().split("\n");
  const shown = lines.slice(0, MAX_SHOWN_LINES).map((line) => line.slice(0, 200));
  if (lines.length > shown.length) shown.push("…");
  const longest = (shown.join("\n").match(/`{3,}/g) ?? []).reduce((length, run) => Math.max(length, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${shown.join("\n")}\n${fence}`;
}
