import type { Danger } from "../../../protocol/dialogs.ts";

/** Returns the name of a path for people. */
export type ShowPath = (path: string) => string;

/** Subcommands that always replace commits. */
const REWRITES = /^(rebase|filter-branch|filter-repo|replace|update-ref)$/;
/** Options before a subcommand that take the next word as their value. */
const TAKES_VALUE = /^(-C|-c|--git-dir|--work-tree|--namespace)$/;

/** Returns the dangers of `git` with these arguments. */
export function gitDangers(args: readonly string[], show: ShowPath): Danger[] {
  const [name = "", ...rest] = withoutGlobals(args);
  const end = rest.indexOf("--");
  const before = end === -1 ? rest : rest.slice(0, end);
  const options = before.filter((word) => word.startsWith("-"));
  const operands = before.filter((word) => !word.startsWith("-"));
  const paths = end === -1 ? operands : rest.slice(end + 1);
  const has = (letter: string, long: string) =>
    options.some((word) => (word.startsWith("--") ? word.startsWith(`--${long}`) : word.includes(letter)));
  const discards = (all: readonly string[]): Danger[] =>
    all.length === 0
      ? [{ kind: "discards_changes" }]
      : all.map((path) => ({ kind: "discards_changes", object: show(path) }));
  const branches = (): Danger[] => operands.map((branch) => ({ kind: "deletes_branch", object: branch }));
  if (REWRITES.test(name)) return [{ kind: "rewrites_history" }];
  switch (name) {
    case "push":
      return pushDangers(operands, has);
    case "commit":
      return options.some((word) => word.startsWith("--am")) ? [{ kind: "rewrites_history" }] : [];
    case "reset":
      if (options.includes("--hard") || options.includes("--merge")) return discards([]);
      return end === -1 && /[~^@]/.test(operands[0] ?? "") ? [{ kind: "rewrites_history" }] : [];
    case "reflog":
      return /^(expire|delete)$/.test(operands[0] ?? "") ? [{ kind: "rewrites_history" }] : [];
    case "checkout":
      if (end !== -1 || operands.includes(".")) return discards(end === -1 ? ["."] : paths);
      return has("f", "force") ? discards([]) : [];
    case "switch":
      return has("f", "force") || options.includes("--discard-changes") ? discards([]) : [];
    case "restore":
      return has("S", "staged") && !has("W", "worktree") ? [] : discards(paths);
    case "clean":
      return has("f", "force") ? discards(paths) : [];
    case "stash":
      return /^(drop|clear)$/.test(operands[0] ?? "") ? discards([]) : [];
    case "rm":
      return options.includes("--cached") ? [] : paths.map((path) => ({ kind: "deletes", object: show(path) }));
    case "branch":
      return has("D", "delete") || has("d", "delete") ? branches() : [];
    case "tag":
      return has("d", "delete") ? branches() : [];
    default:
      return [];
  }
}

function withoutGlobals(args: readonly string[]): readonly string[] {
  let start = 0;
  while (args[start]?.startsWith("-")) start += TAKES_VALUE.test(args[start] ?? "") ? 2 : 1;
  return args.slice(start);
}

function pushDangers([remote, ...refs]: readonly string[], has: (letter: string, long: string) => boolean): Danger[] {
  const to = remote === undefined ? {} : { object: remote };
  const isForced = has("f", "force") || has("\0", "mirror") || refs.some((ref) => ref.startsWith("+"));
  const deleted = has("d", "delete") ? refs : refs.filter((ref) => ref.startsWith(":"));
  return [
    ...(isForced ? [{ kind: "rewrites_history", ...to } as const] : []),
    ...deleted.map((ref) => ({ kind: "deletes_branch", object: ref.replace(/^:/, "") }) as const),
    { kind: "publishes", ...to },
  ];
}
