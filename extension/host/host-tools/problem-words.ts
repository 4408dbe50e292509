/** The severities, the worst first. Their order, and so their numbers, are the editor's. */
export const SEVERITIES = ["error", "warning", "information", "hint"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** One problem that language services report. Lines and columns are 1-based. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: Severity;
  readonly message: string;
  /** The source and code, such as `ts 2322`; empty when unknown. */
  readonly origin: string;
  /** Related places, each a line with its reason. */
  readonly related?: readonly string[];
}

const MAX_MESSAGE_CHARS = 300;

/** Formats a problem in one line, with the first line of its message. */
export function problemLine(problem: Problem): string {
  const [first = ""] = problem.message.split("\n");
  return inLine(problem, first.length > MAX_MESSAGE_CHARS ? `${first.slice(0, MAX_MESSAGE_CHARS)}…` : first);
}

/** Formats a problem in one line, with its whole message. */
export function wholeProblemLine(problem: Problem): string {
  return inLine(problem, problem.message.split(/\s*\n\s*/).join(" "));
}

/** Sorts problems by file: the file with the worst problem first, within a file from top to bottom. */
export function sortByFile(problems: readonly Problem[]): Problem[] {
  const rank = ({ severity }: Problem) => SEVERITIES.indexOf(severity);
  const worst = new Map<string, number>();
  for (const problem of problems) {
    worst.set(problem.file, Math.min(rank(problem), worst.get(problem.file) ?? SEVERITIES.length));
  }
  const worstIn = ({ file }: Problem) => worst.get(file) ?? SEVERITIES.length;
  return problems.toSorted(
    (a, b) =>
      worstIn(a) - worstIn(b) || (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || a.column - b.column),
  );
}

function inLine({ file, line, column, severity, origin }: Problem, message: string): string {
  return `${file}:${line}:${column} ${severity}: ${message}${origin === "" ? "" : ` [${origin}]`}`;
}

/** Says that the problems of a file are not known. */
export function gapLine(file: string, gap: "onlyInTabs" | "late"): string {
  const reason =
    gap === "late" ? "its language service did not answer in time" : "its language service checks only files in a tab";
  return `Problems in ${file}: not checked, since ${reason}.`;
}

/** Counts problems by severity, such as `2 errors, 1 warning`; empty for none. */
export function countProblems(problems: readonly Problem[]): string {
  return SEVERITIES.map((name) => ({ name, number: problems.filter(({ severity }) => severity === name).length }))
    .filter(({ number }) => number > 0)
    .map(({ name, number }) => `${number} ${name}${number === 1 ? "" : "s"}`)
    .join(", ");
}
