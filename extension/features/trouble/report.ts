import { type FindSecrets, withoutSecrets } from "../../../agent/util/secrets.ts";

/** Maximum length of an agent's stderr in a report, in UTF-16 units. */
const MAX_STDERR_CHARS = 4_000;

/** The data of one agent. */
export interface AgentFacts {
  /** Such as `idle`. */
  readonly status: string;
  readonly version: string | undefined;
  /** The executable and its arguments. */
  readonly command: readonly string[] | undefined;
  readonly failure: { readonly at: number; readonly message: string; readonly stderrTail: string } | undefined;
  /** Number of items of each kind in the conversation. */
  readonly items: Readonly<Record<string, number>>;
  readonly frames: { readonly kept: number; readonly dropped: number };
}

/** The data of a report. None of it is from a conversation. */
export interface ReportFacts {
  readonly tiller: string;
  readonly editor: string;
  readonly node: string;
  readonly platform: string;
  /** Such as `ssh-remote`; absent when editor and files are on the same machine. */
  readonly remote: string | undefined;
  readonly language: string;
  readonly isTrusted: boolean;
  readonly folders: number;
  /** Settings that differ from their defaults, by name. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly agents: readonly AgentFacts[];
  readonly logLines: readonly string[];
  /** Not included: paths below it begin with `~`. */
  readonly home: string;
}

/** Formats a report for debugging: Markdown without secrets, in English whatever the editor's language. */
export function wordReport(facts: ReportFacts, find: FindSecrets): string {
  const parts = [
    "# Tiller diagnostic report",
    list([
      ["Tiller", facts.tiller],
      ["Editor", facts.editor],
      ["Node", facts.node],
      ["Platform", facts.platform],
      ["Remote", facts.remote ?? "none"],
      ["Language", facts.language],
      ["Workspace", `${facts.isTrusted ? "trusted" : "not trusted"}, ${facts.folders} folders`],
      ["Chats", String(facts.agents.length)],
    ]),
    "## Settings that differ",
    list(Object.entries(facts.settings).map(([name, value]) => [name, settingValue(name, value)])) || "none",
    ...facts.agents.flatMap((agent, index) => wordAgent(agent, index + 1)),
    "## Log",
    fenced(facts.logLines.join("\n")),
  ];
  const report = `${parts.join("\n\n")}\n`;
  return withoutSecrets(facts.home === "" ? report : report.replaceAll(facts.home, "~"), find);
}

function wordAgent({ status, version, command, failure, items, frames }: AgentFacts, number: number): string[] {
  const counts = Object.entries(items).map(([kind, count]) => `${count} ${kind}`);
  const parts = [
    `## Chat ${number}`,
    list([
      ["Status", status],
      ["Agent", version ?? "not running"],
      ["Command", command?.map(quoted).join(" ") ?? "not started"],
      ["Items", counts.join(", ") || "none"],
      ["Frames", `${frames.kept} kept, ${frames.dropped} dropped`],
    ]),
  ];
  if (failure === undefined) return parts;
  parts.push(`Last failure, ${new Date(failure.at).toISOString()}: ${failure.message}`);
  const tail = failure.stderrTail.trim();
  return tail === "" ? parts : [...parts, fenced(tail.slice(-MAX_STDERR_CHARS))];
}

/** Formats the value of a setting; of environment variables only the names. */
function settingValue(name: string, value: unknown): string {
  const isEnv = name.endsWith(".env") && typeof value === "object" && value !== null;
  return JSON.stringify(isEnv ? Object.keys(value) : value) ?? "";
}

function list(facts: readonly (readonly [string, string])[]): string {
  return facts.map(([name, value]) => `- ${name}: ${value}`).join("\n");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : JSON.stringify(word);
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
