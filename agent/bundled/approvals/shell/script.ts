/** A part of a word. `isQuoted` is true inside quotes, where the shell splits nothing and matches no file names. */
export type Piece =
  | { kind: "text"; text: string; isQuoted: boolean }
  /** Unquoted `*`, `?` or brackets. */
  | { kind: "glob"; text: string }
  /** A `~` at the beginning of a word. */
  | { kind: "home" }
  /** `{a,b}` or `{1..3}`, written out. */
  | { kind: "braces"; alternatives: readonly string[] }
  /** `$NAME`, or one of the shell's own numbers such as `$?`. */
  | { kind: "variable"; name: string; isQuoted: boolean }
  /** `$(…)`. */
  | { kind: "substitution"; script: Script; isQuoted: boolean };

/** A word as it was typed, and its parts. */
export interface Word {
  source: string;
  pieces: readonly Piece[];
}

/** `NAME=value` before a command, or alone. */
export interface Assignment {
  name: string;
  value: Word;
}

/** A file that a command reads or writes. Copies of an output, such as `2>&1`, are not listed. */
export type Redirect =
  | { kind: "read" | "write"; target: Word }
  /** A here-document without expansions. */
  | { kind: "text"; text: string };

/** Any command, with its redirections. */
export type CommandNode = { redirects: readonly Redirect[] } & (
  | { type: "simple"; assignments: readonly Assignment[]; words: readonly Word[] }
  /** `( … )` runs in a shell of its own, `{ …; }` in this one. */
  | { type: "group"; body: Script; isSubshell: boolean }
  /** Everything that may run in an `if`, in order. */
  | { type: "if"; bodies: readonly Script[] }
  /** `while` or `until`: the condition and the body. */
  | { type: "loop"; bodies: readonly Script[] }
  | { type: "for"; name: string; words: readonly Word[]; body: Script }
);

/** Commands with `|` between them. */
export interface Pipeline {
  commands: readonly CommandNode[];
  isNegated: boolean;
}

/** Pipelines with `&&` or `||` between them; the first has no operator. */
export interface AndOr {
  pipelines: readonly { operator: "&&" | "||" | undefined; pipeline: Pipeline }[];
}

/** Lists of commands that run one after another. */
export type Script = readonly AndOr[];
