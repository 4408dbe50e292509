import { basename } from "node:path";
import type { Danger } from "../../../protocol/dialogs.ts";
import type { RoughCommand } from "./rough-commands.ts";

/** Options of programs that send something, as words of their own or at the start of one. */
const SENDS: Record<string, RegExp> = {
  curl: /^(-[a-zA-Z]*[dFT]|--(data|form|upload-file|json|url-query)|--request=?(?!GET|HEAD)|-[a-zA-Z]*X)/,
  wget: /^--(post-|body-|method=?(?!GET|HEAD))/i,
};
const HTTPIE = /^(http|https|xh|xhs)$/;
/** Programs whose output goes to another machine. */
const COPIES = /^(scp|sftp|rsync)$/;
const REACHES = /^(ssh|mosh|telnet|ftp|rlogin|rsh)$/;
const STREAMS = /^(nc|ncat|netcat|socat)$/;
const LOOPBACK = /^(localhost|.*\.localhost|127\.[\d.]+|0\.0\.0\.0|\[?::1\]?)$/i;
const FETCHES = /^(curl|wget|fetch|http|https|xh)$/;
/** Programs that run their input, or the file that they are given. */
const RUNS =
  /^((ba|da|z|k|fi|a)?sh|python[\d.]*|node|nodejs|deno|bun|ruby[\d.]*|perl[\d.]*|php[\d.]*|lua[\d.]*|osascript|pwsh|powershell|tclsh|source|\.)$/;
/** Code that is fetched while the command line is made. */
const RUNS_SUBSTITUTION =
  /(?:^|[\s;&|(/'"])(?:(?:ba|da|z|k)?sh|eval|source|\.|python[\d.]*|node|perl|ruby)\s[^;&|\n]{0,200}?(?:\$\(|`|<\()\s*(?:curl|wget)\s([^)`\n]{0,500})/g;

/** Returns what a program sends to other machines, or that it connects to one. */
export function sentData(name: string, args: readonly string[]): Danger[] {
  if (REACHES.test(name)) return toHosts("reaches_machine", [hostOf(firstOperand(args) ?? "")]);
  if (STREAMS.test(name)) return toHosts("sends_data", [hostOf(firstOperand(args)?.replace(/^tcp\d?:/i, "") ?? "")]);
  if (COPIES.test(name)) {
    const remote = args.filter((word) => !word.startsWith("-")).at(-1) ?? "";
    const [, host] = /^(?:\w+:\/\/)?(?:[^@/:]*@)?([\w.-]{2,}):/.exec(remote) ?? [];
    return host === undefined ? [] : toHosts("sends_data", [host]);
  }
  return isSending(name, args) ? toHosts("sends_data", hostsIn(args)) : [];
}

function isSending(name: string, args: readonly string[]): boolean {
  if (HTTPIE.test(name)) return args.some((word) => /^(POST|PUT|PATCH|DELETE)$|^[\w-]+(:?=|@)/i.test(word));
  const options = Object.hasOwn(SENDS, name) ? SENDS[name] : undefined;
  if (options === undefined) return false;
  const isGet = (at: number) =>
    /^-\w*X$|^--request$|^--method$/.test(args[at] ?? "") && /^(GET|HEAD)$/i.test(args[at + 1] ?? "");
  // What is put into an address only when it runs is sent as well.
  return args.some((word, at) => (options.test(word) && !isGet(at)) || /^https?:.*[$`]/i.test(word));
}

function firstOperand(args: readonly string[]): string | undefined {
  return args.find((word) => /[.:@]|^[a-z][\w-]+$/i.test(word) && !word.startsWith("-"));
}

/** Returns the machines that the addresses among some words name; undefined for one that is not clear. */
function hostsIn(args: readonly string[]): (string | undefined)[] {
  const addresses = args.filter((word) => /^[a-z]+:\/\//i.test(word));
  if (addresses.length > 0) return addresses.map(hostOf);
  return [hostOf(args.findLast((word) => /^[\w-]+(\.[\w-]+)+([:/]|$)|^localhost\b/.test(word)) ?? "")];
}

/** Returns the machine in an address: what stands before an @ is not it. */
function hostOf(address: string): string | undefined {
  const [authority = ""] = address.replace(/^[a-z][\w+.-]*:\/\//i, "").split(/[/?#\\]/, 1);
  const host = authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/, "");
  return host === "" || /[$`*]/.test(host) ? undefined : host.toLowerCase();
}

function toHosts(kind: Danger["kind"], hosts: readonly (string | undefined)[]): Danger[] {
  return hosts.flatMap((host) => {
    if (host === undefined) return [{ kind }];
    return LOOPBACK.test(host) ? [] : [{ kind, object: host }];
  });
}

/** Returns the dangers of code that a script fetches and runs: through a pipe, in a substitution, or by way of a file. */
export function fetchedCode(script: string, commands: readonly RoughCommand[]): Danger[] {
  const found = [...script.matchAll(RUNS_SUBSTITUTION)].map(([, args = ""]) =>
    fetchedBy(["curl", ...args.split(/\s+/).map((word) => word.replace(/["']/g, ""))]),
  );
  const saved = new Map<string, string>();
  let piped: string | undefined;
  for (const { words, isPiped } of commands) {
    const own = fetchedBy(words);
    if (!isPiped) piped = undefined;
    if (isPiped && piped !== undefined && runsInput(words)) found.push(piped);
    if (own !== undefined) {
      piped = own;
      for (const file of filesSaved(words)) saved.set(file, own);
    }
    const run = own === undefined ? words.map((word) => basename(word)).find((word) => saved.has(word)) : undefined;
    if (run !== undefined && runsFile(words, run)) found.push(saved.get(run));
  }
  return found.flatMap((host) => (host === undefined ? [] : toHosts("runs_remote_script", [host || undefined])));
}

/** @returns the machine that a command fetches from, empty when it is not clear; undefined for another command. */
function fetchedBy(words: readonly string[]): string | undefined {
  const at = words.slice(0, 4).findIndex((word) => FETCHES.test(basename(word)));
  return at === -1 ? undefined : (hostsIn(words.slice(at + 1))[0] ?? "");
}

function runsInput(words: readonly string[]): boolean {
  return words.slice(0, 4).some((word) => RUNS.test(basename(word)));
}

/** Returns the names of the files into which a command puts what it fetches. */
function filesSaved(words: readonly string[]): string[] {
  const named = words.flatMap((word, at) => {
    if (/^-\w*[oO]$|^--output(-document)?$|^>$/.test(word)) return words[at + 1] ?? [];
    return /^>./.test(word) ? word.replace(/^>+/, "") : [];
  });
  const address = words.find((word) => /^[a-z]+:\/\//i.test(word)) ?? "";
  return [...named, address.replace(/[?#].*$/s, "")].map((path) => basename(path)).filter((name) => name !== "");
}

function runsFile(words: readonly string[], file: string): boolean {
  const at = words.findIndex((word) => basename(word) === file);
  return at === 0 || (at > 0 && words.slice(0, at).some((word) => RUNS.test(basename(word))));
}
