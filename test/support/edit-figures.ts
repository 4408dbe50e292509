import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { editTool } from "../../agent/tools/edit.ts";
import type { EditCase } from "./edit-cases.ts";

/** How a case ended. */
export interface EditEnd {
  edit: EditCase;
  /** `wrong` when the file has another text than the one that was meant. */
  outcome: "right" | "wrong" | "refused";
  /** The text for the model. */
  text: string;
  /** True if a refusal shows all places that were meant. */
  showsPlaces: boolean;
}

/** Runs every case with the edit tool on a file of its own. */
export async function runEditCases(cases: readonly EditCase[]): Promise<EditEnd[]> {
  const folder = await mkdtemp(join(tmpdir(), "tiller-edits-"));
  try {
    const ends: EditEnd[] = [];
    for (const [index, edit] of cases.entries()) ends.push(await runCase(edit, folder, `f${index}`));
    return ends;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runCase(edit: EditCase, cwd: string, name: string): Promise<EditEnd> {
  await writeFile(join(cwd, name), edit.file);
  const { text, isRefused } = await runEdit({ path: name, ...edit.edits }, cwd);
  const after = await readFile(join(cwd, name), "utf8");
  const isWrong = isRefused ? after !== edit.file : after !== edit.meant;
  const outcome = isWrong ? "wrong" : isRefused ? "refused" : "right";
  return {
    edit,
    outcome,
    text,
    showsPlaces: isRefused && edit.places.every((lines) => lines.some((line) => shows(text, line))),
  };
}

async function runEdit(args: Record<string, unknown>, cwd: string): Promise<{ text: string; isRefused: boolean }> {
  const bound = editTool.bind(args);
  if (!bound.ok) return { text: bound.problems.join("\n"), isRefused: true };
  try {
    const { content } = await bound.input.run({
      toolCallId: "call",
      cwd,
      signal: new AbortController().signal,
      onUpdate: () => undefined,
      ready: () => Promise.resolve(),
      shell: {},
      env: {},
    });
    const [first] = content;
    return { text: first?.type === "text" ? first.text : "", isRefused: false };
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), isRefused: true };
  }
}

function shows(text: string, line: number): boolean {
  return new RegExp(`^[> ] +${line}\\| `, "m").test(text);
}
