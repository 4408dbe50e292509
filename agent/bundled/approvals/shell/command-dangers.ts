import { basename } from "node:path";
import type { Danger } from "../../../protocol/dialogs.ts";
import { WARNINGS } from "../warnings.ts";
import { gitDangers, type ShowPath } from "./git-dangers.ts";
import { sentData } from "./network-dangers.ts";
import { refusalOf } from "./programs.ts";

/** Programs that run the command behind their options. */
const WRAPPER =
  /^(timeout|gtimeout|nice|nohup|time|stdbuf|caffeinate|command|builtin|exec|env|setsid|ionice|chrt|xargs)$/;
/** Programs that do the same with other rights. */
const RIGHTS = /^(sudo|doas|su|pkexec|runuser|setpriv)$/;
const ASSIGNMENT = /^[A-Za-z_]\w*=/;
const DELETES = /^(rm|rmdir|unlink|shred|srm)$/;
/** Programs that ask a cluster. */
const CLUSTER = /^(kubectl|oc|k3s|microk8s|minikube)$/;
const SHOWS = /^(get|describe|edit|view|extract)$/;
/** Names such as `secrets`, `pods,secret`, `secret/db`, and an address that ends so. */
const SECRET_RESOURCE = /(^|[,/=])secrets?([,./]|$)/i;
/** Words by which a tool gives something to others. */
const PUBLISHES: readonly [RegExp, string][] = [
  [/^(npm|pnpm|yarn|bun) (publish|npm publish)\b/, "npm"],
  [/^cargo publish\b/, "crates.io"],
  [/^gem push\b/, "RubyGems"],
  [/^(twine upload|uv publish|poetry publish|hatch publish|flit publish)\b/, "PyPI"],
  [/^vsce publish\b/, "Visual Studio Marketplace"],
  [/^gh (release create|pr create|pr merge|gist create)\b/, "GitHub"],
];

/** How many commands may run one another; each may be looked for at two places. */
const MAX_DEPTH = 6;

/** Returns the dangers of one command, from its words alone. Words that are known only when it runs are as they were typed. */
export function commandDangers(words: readonly string[], show: ShowPath, depth = 0): Danger[] {
  const start = words.findIndex((word) => !ASSIGNMENT.test(word));
  const typed = depth > MAX_DEPTH ? undefined : words[start];
  if (typed === undefined) return [];
  const args = words.slice(start + 1);
  const name = basename(typed);
  const inner = () => innerDangers(args, show, depth + 1);
  if (RIGHTS.test(name)) return [{ kind: "admin_rights" }, ...inner()];
  if (name === "xargs") return withoutObjects(inner());
  if (WRAPPER.test(name)) return inner();
  if (name === "find") return findDangers(args, show, depth + 1);
  if (DELETES.test(name)) return objects("deletes", operandsOf(args).map(show));
  if (name === "git") return gitDangers(args, show);
  return [
    ...sentData(name, args),
    ...published([name, ...args]),
    ...systemChange(name, args),
    ...shownSecrets(name, args),
  ];
}

/** Returns one danger for each object, or one without an object if there is none. */
function objects(kind: Danger["kind"], all: readonly string[]): Danger[] {
  return all.length === 0 ? [{ kind }] : all.map((object) => ({ kind, object }));
}

/** Returns the dangers of a command that follows options, their values, and assignments. */
function innerDangers(args: readonly string[], show: ShowPath, depth: number): Danger[] {
  const isRest = (word: string) => ASSIGNMENT.test(word) || /^-|^[\d.]+[smhd]?$/.test(word);
  const first = args.findIndex((word) => !isRest(word));
  if (first === -1) return [];
  const dangers = commandDangers(args.slice(first), show, depth);
  if (dangers.length > 0 || !args[first - 1]?.startsWith("-")) return dangers;
  // It may be the value of the option before it, such as a user's name.
  const second = args.findIndex((word, at) => at > first && !isRest(word));
  return second === -1 ? [] : commandDangers(args.slice(second), show, depth);
}

function findDangers(args: readonly string[], show: ShowPath, depth: number): Danger[] {
  const run = args.findIndex((word) => /^-(exec|execdir|ok|okdir)$/.test(word));
  const inner = run === -1 ? [] : withoutObjects(commandDangers(args.slice(run + 1), show, depth));
  return args.includes("-delete") ? [{ kind: "deletes" }, ...inner] : inner;
}

/** Drops objects that are known only when the command runs. */
function withoutObjects(dangers: readonly Danger[]): Danger[] {
  return dangers.map((danger) => (danger.kind === "deletes" ? { kind: danger.kind } : danger));
}

function operandsOf(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  if (end === -1) return args.filter((word) => !word.startsWith("-"));
  return [...args.slice(0, end).filter((word) => !word.startsWith("-")), ...args.slice(end + 1)];
}

function published(words: readonly string[]): Danger[] {
  const command = words.filter((word) => !word.startsWith("-")).join(" ");
  const place = PUBLISHES.find(([pattern]) => pattern.test(command))?.[1];
  return place === undefined ? [] : [{ kind: "publishes", object: place }];
}

/** Returns the secrets of a cluster that a command shows. */
function shownSecrets(name: string, args: readonly string[]): Danger[] {
  if (!CLUSTER.test(name) || !args.some((word) => SHOWS.test(word))) return [];
  return args.filter((word) => SECRET_RESOURCE.test(word)).map((object) => ({ kind: "reads_secret", object }));
}

function systemChange(name: string, args: readonly string[]): Danger[] {
  if (refusalOf(name) === WARNINGS.changesSystem) return [{ kind: "changes_system", object: name }];
  const disk = name === "dd" ? args.find((word) => /^of=\/dev\/(?!null)/.test(word)) : undefined;
  return disk === undefined ? [] : [{ kind: "changes_system", object: disk.slice("of=".length) }];
}
