import { readFileSync } from "node:fs";

/** A line of test/fixtures/approvals/hostile.txt. */
export interface HostileRow {
  /** The heading that it stands under. */
  kind: string;
  plants: readonly string[];
  /** As it is written in the file. */
  shown: string;
  command: string;
  /** How it is seen that the command did what it must not. */
  mark: { kind: string; detail: string };
  /** A rule that must not allow it. */
  rule: string | undefined;
}

/** Reads the table of hostile commands. */
export function hostileRows(): HostileRow[] {
  const rows: HostileRow[] = [];
  let heading: [string, string] = ["", "touches"];
  const text = readFileSync(new URL("../fixtures/approvals/hostile.txt", import.meta.url), "utf8");
  for (const line of text.split("\n").slice(text.split("\n").findIndex((one) => one.startsWith("## ")))) {
    if (line.startsWith("## ")) {
      const [title = "", mark = "touches"] = line.slice(3).split("  ⇒  ");
      heading = [title, mark];
    } else if (line.trim() !== "") rows.push(rowOf(line, heading));
  }
  return rows;
}

function rowOf(line: string, [kind, usual]: [string, string]): HostileRow {
  const [shown = "", mark = usual, rule] = line.split("  ⇒  ");
  const [, names = "", command = ""] = /^(?:\[([a-z,]+)\] )?([\s\S]*)$/.exec(shown) ?? [];
  const [, markKind = "", detail = ""] = /^([a-z]+):? ?(.*)$/.exec(mark) ?? [];
  return {
    kind,
    plants: names === "" ? [] : names.split(","),
    shown,
    command: plain(command),
    mark: { kind: markKind, detail },
    rule,
  };
}

/** The command that stands for the signs of the table. */
function plain(command: string): string {
  return command
    .replaceAll("⏎", "\n")
    .replaceAll("⇥", "\t")
    .replace(/⟨([0-9a-f]+)⟩/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}
