import { basename } from "node:path";
import { WARNINGS } from "../warnings.ts";
import type { CommandView } from "./command-view.ts";
import { pathsOf } from "./folders.ts";
import type { ShellWord } from "./words.ts";

/** Programs that change the system, other machines or the meaning of commands, and shells with a different grammar. */
const REFUSED: readonly [RegExp, string][] = [
  [/^(sudo|doas|su|pkexec|runuser|setpriv)$/, WARNINGS.otherRights],
  [/^(ssh|scp|sftp|ftp|telnet|nc|ncat|netcat|socat|mosh|rlogin|rsh)$/, WARNINGS.reachesMachine],
  [/^(shred|srm)$/, WARNINGS.destroys],
  [
    /^(shutdown|reboot|halt|poweroff|init|telinit|systemctl|service|launchctl|crontab|at|batch|passwd|chpasswd|useradd|usermod|userdel|adduser|deluser|groupadd|groupdel|visudo|chsh|chfn|iptables|ip6tables|nft|ufw|sysctl|modprobe|insmod|rmmod|kexec|apt|apt-get|aptitude|dpkg|yum|dnf|rpm|pacman|zypper|apk|snap|flatpak|brew|port|nix-env|softwareupdate|defaults|diskutil|mount|umount|swapon|swapoff|mkswap|mkfs.*|fdisk|sfdisk|parted|gdisk|wipefs|losetup|cryptsetup|lvremove|vgremove|zpool|hdparm|chroot|unshare|nsenter|setcap|setfacl|loginctl|hostnamectl|timedatectl|update-alternatives|ldconfig|hostname)$/,
    WARNINGS.changesSystem,
  ],
  [/^(zsh|ksh|mksh|fish|csh|tcsh|pwsh|powershell|cmd|nu|xonsh|elvish)$/, "can't be checked: it has its own syntax"],
  [
    /^(eval|source|\.|exec|builtin|trap|alias|unalias|enable|complete|compgen|bind|fc|history|shopt|declare|typeset|local|readonly|let|mapfile|readarray|getopts|coproc|select|function|pushd|popd|umask|ulimit|caller|suspend|logout|times|disown|bg|fg|env|printenv|busybox|toybox|setsid|ionice|taskset|chrt|unbuffer|watch|parallel|script|flock|entr|strace|ltrace|gdb|lldb|ed|ex|vi|vim|nvim|emacs|nano|less|more|most|man|info|csplit|split|patch|ld\.so|ld-linux.*)$/,
    "can't be checked: it may run other commands or change what they mean",
  ],
];
/** Programs that run their input if they get no other code. */
const INTERPRETER =
  /^(python[\d.]*|pypy\d*|node|nodejs|ruby[\d.]*|perl[\d.]*|php[\d.]*|lua[\d.]*|luajit|deno|bun|tsx|ts-node|Rscript|R|julia|ghci|osascript|groovy|scala|kotlin|tclsh|expect|guile|racket|sbcl|elixir|iex|erl|swift|ocaml|octave|psql|mysql|mariadb|sqlite3|mongosh?|redis-cli|m4|dc|bc|gnuplot|(ba|da|a)?sh)$/;
const READS_COMMANDS = /^(psql|mysql|mariadb|sqlite3|mongosh?|redis-cli|m4|dc|bc|gnuplot|expect)$/;
/** Options that pass code to an interpreter. */
const GIVES_CODE = /^(-[a-zA-Z]*[cme]|-E|--(eval|print|module|version|help|check|test))$/;
/** Names that may begin another command among the words of a program. */
const HIDDEN =
  /^(rm|rmdir|unlink|sudo|doas|su|dd|mkfs.*|shred|(ba|da|z|k)?sh|chmod|chown|find|truncate|tee|mv|cp|ln|eval|curl|wget|ssh|env|xargs)$/;
/** Options that make a tool run something other than the project's own programs, or reach beyond the project. */
const RUNS_ELSE: Record<string, RegExp> = {
  go: /^--?(exec|toolexec|vettool|overlay|modfile)\b|extld|^[^-].*@/,
  cargo: /^--config\b|^install$/,
  docker: /^--(privileged|pid|userns|device|cap-add|volumes-from)\b/,
  kubectl: /^--(kubeconfig|server|token|user|as|context|cluster|username|password|insecure)|^-s/,
  bazel: /^--(run_under|shell_executable|override_|\w*_base|\w*root)/,
  ninja: /^-f/,
  deno: /^[a-z]+:/,
  pip: /^--(log|python|target|root|prefix|index-url|extra-index-url)|^-[ti]/,
  gem: /^install$/,
  pipx: /^install$/,
  tar: /^--(to-command|checkpoint|use-compress|rsh|info-script|new-volume|one-top)|^-?[a-zA-Z]*[IFP]|^[^/-]*:/,
  yq: /^-[a-zA-Z]*[sy]|^--split/,
  zip: /^-(TT|O|b)|^--(unz|out)/,
  unzip: /^-:/,
  rsync: /^-e|^--(rs|log|daemon|config)|^[^/-]*:/,
  install: /^--strip-p/,
  curl: /%output|^-[a-zA-Z]*[KD]|^--(conf|out|dump|trace|libcurl|etag|hsts|alt|cookie-jar|stderr|remote)/,
  wget: /^-[a-zA-Z]*[ei]|^--(exec|conf|use-ask|input)/,
};
/** Settings of `npm` and similar tools that do the same, including shortened ones. */
const NPM_SETTINGS =
  "script-shell shell shell-emulator node-options userconfig globalconfig prefix cache git editor viewer logs-dir init-module local-prefix onload-script registry global location".split(
    " ",
  );
const MAX_CANDIDATES = 400;

/**
 * Judges a program of which only the words are known. A rule has to name all of them, or those that name its target.
 */
export function judgeProgram(view: CommandView): void {
  view.raise("changes");
  const { name, args, values } = view;
  const base = basename(name);
  const refusal = refusalOf(base);
  if (refusal !== undefined) view.never(refusal);
  if (INTERPRETER.test(base)) judgeInput(view, base);
  for (const [index, value] of values.entries()) {
    if (value === undefined) view.cannot(`${args[index]?.source} is known only when it runs`);
    else if (runsElse(base, value)) view.never(`${value} decides what ${base} runs, or where`);
    else if (HIDDEN.test(basename(value))) view.cannot(`${base} may run ${value}`);
    else if (base === "npx" && /^-\w*c|^--(call|package)/.test(value))
      view.cannot(`${value} of npx runs other programs`);
  }
  if (base === "kill" && values.some((value) => /^-?1$/.test(value ?? ""))) view.never("ends every process");
  judgePaths(view, args);
  judgePlace(view);
}

/** Returns why a program is always asked about, if it is. */
export function refusalOf(name: string): string | undefined {
  return REFUSED.find(([names]) => names.test(name))?.[1];
}

/** The input of an interpreter is a program that is known only when it runs. */
function judgeInput(view: CommandView, base: string): void {
  const [first] = view.values;
  const isGiven =
    first !== undefined &&
    !READS_COMMANDS.test(base) &&
    first !== "-" &&
    (!first.startsWith("-") || GIVES_CODE.test(first));
  if (view.input !== "none" && !isGiven) view.cannot(`a program is fed to ${base}`);
  if (/^(ba|da|a)?sh$/.test(base) && (first === undefined || /^[-+]/.test(first)))
    view.cannot(`what ${base} runs is not clear`);
  if (view.values.some((value) => /^\/(dev|proc)\//.test(value ?? "")))
    view.cannot(`what ${base} runs is known only then`);
}

function runsElse(name: string, value: string): boolean {
  const key = name.replace(/^pip3$/, "pip").replace(/^bsdtar$/, "tar");
  if (Object.hasOwn(RUNS_ELSE, key) && RUNS_ELSE[key]?.test(value) === true) return true;
  if (!/^(npm|pnpm|yarn|bun)$/.test(name)) return false;
  const option = /^--([^=]{2,})/.exec(value)?.[1];
  if (option === undefined) return /^-g$/.test(value) || (name === "yarn" && value === "global");
  return option.startsWith("config.") || NPM_SETTINGS.some((one) => one.startsWith(option));
}

/** A file in the folder for temporary files may be a different one the next time. */
function judgePlace(view: CommandView): void {
  const script = /^(ba|da|a)?sh$/.test(view.name) ? view.values[0] : view.name;
  if (script?.includes("/") !== true || view.folders === "unknown") return;
  for (const folder of view.folders) {
    const { kind, real } = view.judge.places.locate(script.startsWith("/") ? script : `${folder}/${script}`);
    if (kind === "temporary") view.raise("temporary", `runs a file outside the workspace: ${real}`);
  }
}

/**
 * Judges every word that may be a path, including after a `=`, a `:` or a letter, because a program may do anything
 * with it.
 */
export function judgePaths(view: CommandView, words: readonly ShellWord[]): void {
  const { places } = view.judge;
  const candidates = words.flatMap(candidatesOf);
  if (candidates.length > MAX_CANDIDATES) view.cannot("it's too long");
  for (const word of candidates.slice(0, MAX_CANDIDATES)) {
    for (const path of pathsOf(word, view.folders) ?? []) {
      const place = places.locate(path);
      const shown = places.show(place);
      if (place.kind === "outside") view.never(`refers to a path outside the workspace: ${shown}`);
      if (place.kind === "guarded") view.never(`refers to a protected file: ${shown}`);
      if (place.kind === "temporary") view.raise("temporary", `refers to a path outside the workspace: ${shown}`);
    }
  }
}

/** Returns the parts of a word that a program may use as a path. */
function candidatesOf(word: ShellWord): ShellWord[] {
  const { value } = word;
  if (value === undefined || /^[a-z][a-z+.-]*:\/\/[\w.-]+(:\d+)?(\/|$)/i.test(value)) return [];
  const parts = [
    value,
    /^-{0,2}[\w-]+=([\s\S]+)$/.exec(value)?.[1],
    /^-[a-zA-Z]([\s\S]+)$/.exec(value)?.[1],
    /^[^/:]*[:@]([/~.][\s\S]*)$/.exec(value)?.[1],
  ];
  return parts.flatMap((part) => (part === undefined || part.includes("\n") ? [] : [{ ...word, value: part }]));
}
