/** How bad a problem can be, the worst first: the order, and so the numbers, are the editor's. */
export const SEVERITIES = ["error", "warning", "information", "hint"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** One thing that the language services complain about. Lines and columns count from 1. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: Severity;
  readonly message: string;
  /** Where it comes from, such as `ts 2322`; empty when nobody says. */
  readonly origin: string;
  /** Places that it has to do with, and why, a line each. */
  readonly related?: readonly string[];
}

const MAX_MESSAGE_CHARS = 300;

/** A problem in one line, with the first line of what it says. */
export function problemLine(problem: Problem): string {
  const [first = ""] = problem.message.split("\n");
  return inLine(problem, first.length > MAX_MESSAGE_CHARS ? `${first.slice(0, MAX_MESSAGE_CHARS)}…` : first);
}

/** A problem in one line, with all that it says. */
export function wholeProblemLine(problem: Problem): string {
  return inLine(problem, problem.message.split(/\s*\n\s*/).join(" "));
}

/** Problems with those of a file together: the file with the worst first, in a file from top to bottom. */
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

/** How many there are of each severity, such as `2 errors, 1 warning`; empty for none. */
export function countProblems(problems: readonly Problem[]): string {
  return SEVERITIES.map((name) => ({ name, number: problems.filter(({ severity }) => severity === name).length }))
    .filter(({ number }) => number > 0)
    .map(({ name, number }) => `${number} ${name}${number === 1 ? "" : "s"}`)
    .join(", ");
}
