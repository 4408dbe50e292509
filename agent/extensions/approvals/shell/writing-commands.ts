import { judgeTar, judgeZip } from "./archive-commands.ts";
import { type CommandView, hasLong } from "./command-view.ts";
import { pathsOf } from "./folders.ts";
import type { Rule } from "./reading-commands.ts";
import type { ShellWord } from "./words.ts";

const SYSTEM =
  "shutdown reboot halt poweroff init telinit systemctl service launchctl crontab at batch passwd chpasswd useradd usermod userdel adduser deluser groupadd groupdel visudo chsh chfn iptables ip6tables nft ufw sysctl modprobe insmod rmmod kexec apt apt-get aptitude dpkg yum dnf rpm pacman zypper apk snap flatpak softwareupdate defaults diskutil mount umount swapon swapoff mkswap fdisk sfdisk parted gdisk wipefs losetup cryptsetup lvremove vgremove zpool hdparm chroot unshare nsenter setcap setfacl loginctl hostnamectl timedatectl update-alternatives ldconfig";
const OTHER_RIGHTS = "sudo doas su pkexec runuser setpriv";
const OTHER_MACHINES = "ssh scp sftp ftp telnet nc ncat netcat socat mosh rlogin rsh";

/** Commands that change files by what they are told, and those that change more. */
export const WRITING: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...SYSTEM.split(" ").map((name): [string, Rule] => [name, (view) => view.never("changes the system")]),
  ...OTHER_RIGHTS.split(" ").map((name): [string, Rule] => [name, (view) => view.never("runs with other rights")]),
  ...OTHER_MACHINES.split(" ").map((name): [string, Rule] => [name, (view) => view.never("reaches another machine")]),
  ["shred", (view) => view.never("destroys files")],
  ["srm", (view) => view.never("destroys files")],
  ["mkdir", (view) => writeAll(view, "m mode Z context")],
  ["touch", (view) => writeAll(view, "d r t date reference time")],
  ["mkfifo", (view) => writeAll(view, "m mode")],
  ["tee", (view) => writeAll(view, "")],
  ["truncate", (view) => writeAll(view, "s r size reference")],
  ["rm", remove],
  ["unlink", remove],
  ["rmdir", remove],
  ["cp", copy],
  ["install", copy],
  ["mv", move],
  ["ln", link],
  ["rsync", sync],
  ["dd", copyBlocks],
  ["chmod", changeMode],
  ["chown", changeMode],
  ["chgrp", changeMode],
  ["tar", judgeTar],
  ["bsdtar", judgeTar],
  ["unzip", (view) => extract(view, "d x P", "d")],
  ["zip", judgeZip],
  ["7z", (view) => view.raise("changes")],
  ["gzip", (view) => compress(view)],
  ["gunzip", (view) => compress(view)],
  ["bzip2", (view) => compress(view)],
  ["bunzip2", (view) => compress(view)],
  ["xz", (view) => compress(view)],
  ["unxz", (view) => compress(view)],
  ["zstd", (view) => compress(view)],
  ["patch", applyPatch],
  ["split", (view) => writeSecond(view)],
  ["csplit", (view) => view.cannot("which files csplit writes is not looked at")],
  ["mktemp", makeTemporary],
  ["kill", kill],
  ["curl", download],
  ["wget", download],
  ["parallel", (view) => view.cannot("parallel makes commands of what it reads")],
  ["alias", (view) => (view.args.length === 0 ? undefined : view.cannot("an alias changes what commands mean"))],
  ["enable", (view) => view.cannot("enable changes what commands mean")],
  ["complete", (view) => view.cannot("complete runs what it is told")],
  ["compgen", (view) => view.cannot("compgen runs what it is told")],
  ["bind", (view) => view.cannot("bind runs what it is told")],
  ["history", (view) => (view.args.length > 0 ? view.cannot("history writes files") : undefined)],
  ["fc", (view) => view.cannot("fc runs earlier commands")],
]);

function writeAll(view: CommandView, valued: string): void {
  const { operands } = view.parse(valued);
  for (const word of operands) view.write(word);
}

/** With a template of its own or a folder it makes a file wherever it is told. */
function makeTemporary(view: CommandView): void {
  view.raise("temporary");
  const { operands, values } = view.parse("p tmpdir suffix t");
  for (const word of [...operands, values.get("p"), values.get("tmpdir")]) {
    if (word?.value?.includes("/") || word?.value?.startsWith(".")) view.write(word);
    else if (word !== undefined && word.value === undefined) view.write(word);
  }
}

/** What a patch changes is written in the patch. */
function applyPatch(view: CommandView): void {
  view.raise("changes");
  const { operands, options, values } = view.parse(
    "d o i r p F D B Y z g V directory output input reject-file strip fuzz prefix suffix basename-prefix",
  );
  if (options.includes("e") || hasLong(options, "ed", 2)) view.cannot("patch -e runs a script");
  for (const name of "d directory o output r reject-file".split(" ")) {
    const target = values.get(name);
    if (target !== undefined) view.write(target);
  }
  for (const word of operands) view.write(word);
  if (operands.length === 0) view.cannot("which files a patch changes is written in it");
}

function writeSecond(view: CommandView): void {
  view.raise("changes");
  if (view.args.some(({ value }) => /^--(fi|ad)/.test(value ?? "")))
    view.cannot("split runs a program, or writes elsewhere");
  const [from, prefix] = view.parse("a b C l n t").operands;
  if (from !== undefined) view.read(from);
  if (prefix !== undefined) view.write(prefix);
}

function remove(view: CommandView): void {
  const { operands, options } = view.parse();
  const isRecursive = options.includes("r") || options.includes("R") || hasLong(options, "recursive");
  view.raise("changes");
  for (const word of operands) view.remove(word, isRecursive || view.name === "rmdir");
}

interface Targets {
  sources: ShellWord[];
  target: ShellWord | undefined;
}

function targets(view: CommandView, valued: string): Targets {
  const { operands, values } = view.parse(`t target-directory ${valued}`);
  const folder =
    values.get("t") ?? [...values].find(([name]) => "target-directory".startsWith(name) && name.length > 1)?.[1];
  if (folder !== undefined) return { sources: operands, target: folder };
  return { sources: operands.slice(0, -1), target: operands.length > 1 ? operands.at(-1) : undefined };
}

function copy(view: CommandView): void {
  view.raise("changes");
  const valued = "S suffix m mode o owner g group strip-program no-preserve sparse";
  const { options, operands } = view.parse(valued);
  const isInstalling = view.name === "install";
  if (isInstalling && options.some((one) => one.startsWith("strip-p")))
    view.cannot("install runs a program that it is told of");
  if (isInstalling && (options.includes("d") || hasLong(options, "directory", 1))) {
    for (const word of operands) view.write(word);
    return;
  }
  const isLinking =
    !isInstalling &&
    (options.includes("l") ||
      options.includes("s") ||
      hasLong(options, "link", 1) ||
      hasLong(options, "symbolic-link", 2));
  const keepsLinks = options.some((one) => /^([adPRr]|rec.*|arc.*|no-d.*)$/.test(one));
  const { sources, target } = targets(view, valued);
  for (const word of sources) {
    if (isLinking) view.write(word);
    else view.read(word);
    if (keepsLinks) keepLinksInside(view, word);
    if (target === undefined) continue;
    view.writeInto(target, word);
    if (hasLong(options, "parents", 2)) view.write({ ...target, value: `${target.value}/${word.value}` });
  }
}

function move(view: CommandView): void {
  const { sources, target } = targets(view, "S suffix");
  for (const word of sources) {
    view.remove(word, true);
    keepLinksInside(view, word);
    if (target !== undefined) view.writeInto(target, word);
  }
}

/** A link that leads outside could be written through under its new name. */
function keepLinksInside(view: CommandView, word: ShellWord): void {
  const { places } = view.judge;
  for (const path of pathsOf(word, view.folders) ?? []) {
    const { kind } = places.locate(path);
    if (places.locateEntry(path).kind === "inside" && kind !== "inside")
      view.never("takes along a link that leads outside the workspace");
  }
}

/** What is written through a link goes to what it leads to, so both ends have to be in the workspace. */
function link(view: CommandView): void {
  const { sources, target } = targets(view, "S suffix");
  const only = target === undefined ? view.parse("S t suffix target-directory").operands : sources;
  for (const word of only) {
    view.write(word);
    const way = target?.value;
    if (word.value === undefined || word.value.startsWith("/")) continue;
    if (way !== undefined) {
      view.write({ ...word, value: `${way}/${word.value}` });
      view.write({ ...word, value: `${way}/../${word.value}` });
    }
  }
  for (const word of only) if (target !== undefined) view.writeInto(target, word);
}

const RSYNC_FLAG =
  /^(-[avzhrnuctpogldDHAXSPqWixmIkLRbCOJEy0468]+|--(archive|verbose|compress|progress|stats|delete\w*|delete-(before|during|after|excluded)|dry-run|recursive|update|checksum|times|perms|links|copy-links|ignore-existing|existing|size-only|human-readable|itemize-changes|partial|inplace|no-\w+|prune-empty-dirs|relative|remove-source-files|mkpath|exclude=.*|include=.*|info=\w+|max-size=\w+|chmod=.*|cvs-exclude|quiet|backup|filter=.*|exclude-from=.*|include-from=.*))$/;

function sync(view: CommandView): void {
  view.raise("changes");
  const { operands, options } = view.parse("f filter exclude include exclude-from include-from");
  const isKnown = (value: string | undefined) => value === undefined || !/^-./.test(value) || RSYNC_FLAG.test(value);
  const next = new Set(["--exclude", "--include", "--filter", "--exclude-from", "--include-from", "-f", "--"]);
  const risky = view.args.find(({ value }) => !isKnown(value) && !next.has(value ?? ""));
  if (risky !== undefined) view.cannot(`${risky.source} of rsync may run a program, or write elsewhere`);
  if (operands.some(({ value }) => value !== undefined && /^[^/]*:/.test(value))) view.never("reaches another machine");
  const target = operands.at(-1);
  for (const word of operands.slice(0, -1)) view.read(word);
  if (target === undefined || operands.length < 2) return;
  for (const word of operands.slice(0, -1)) view.writeInto(target, word);
  if (options.some((option) => option.startsWith("del"))) view.remove(target, true);
}

function copyBlocks(view: CommandView): void {
  for (const word of view.args) {
    if (word.value === undefined) view.cannot(`${word.source} is known only when it runs`);
    const [, name, value] = /^(if|of)=([\s\S]*)$/.exec(word.value ?? "") ?? [];
    if (value === undefined) continue;
    if (name === "of") view.write({ ...word, value });
    else view.read({ ...word, value });
  }
}

function changeMode(view: CommandView): void {
  const { operands, options } = view.parse("reference from");
  const isRecursive = options.includes("R") || hasLong(options, "recursive");
  // A mode such as -x looks like an option; then every operand is a file.
  const isModeGiven =
    hasLong(options, "reference") ||
    view.args.some(({ value }) => /^-[rwxXstugo]+$/.test(value ?? "") && value !== "-R");
  for (const word of isModeGiven ? operands : operands.slice(1)) {
    view.write(word);
    if (isRecursive && word.value === "/") view.never("changes the rights of everything");
  }
  view.raise("changes");
}

function extract(view: CommandView, valued: string, targetOptions: string): void {
  view.raise("changes");
  const { options, values } = view.parse(valued);
  for (const name of targetOptions.split(" ")) {
    const target = values.get(name);
    if (target !== undefined) view.write(target);
  }
  if (view.name === "unzip" && options.includes(":")) view.cannot("unzip -: leaves the folder");
}

function compress(view: CommandView): void {
  const { operands, options } = view.parse("S T");
  const isReading =
    options.includes("c") || options.includes("l") || options.includes("t") || hasLong(options, "stdout");
  for (const word of operands) isReading ? view.read(word) : view.write(word);
}

function kill(view: CommandView): void {
  view.raise("changes");
  if (view.args.some(({ value }) => value === "-1" || value === "1")) view.never("ends every process");
}

const CURL_TARGETS =
  "o D c output output-dir dump-header cookie-jar trace trace-ascii stderr libcurl etag-save hsts alt-svc".split(" ");
const WGET_TARGETS =
  "o O P a output-document output-file append-output directory-prefix save-cookies warc-file hsts-file rejected-log".split(
    " ",
  );
const CURL_VALUED =
  "H d X u A b e F T K m w x E r C z Y y Q t U header data data-raw data-binary request user user-agent form config write-out max-time connect-timeout retry proxy url cookie referer cacert";
const WGET_VALUED =
  "i e U t T header user-agent execute config use-askpass tries timeout post-data post-file input-file";

/** What is sent away cannot be told from the options; where the answer is written can. */
function download(view: CommandView): void {
  view.raise("changes");
  const isCurl = view.name === "curl";
  const targets = isCurl ? CURL_TARGETS : WGET_TARGETS;
  const { given } = view.parse(`${targets.join(" ")} ${isCurl ? CURL_VALUED : WGET_VALUED}`);
  for (const [name, word] of given) {
    if (targets.includes(name)) view.write(word);
    if (/^(K|config|execute|use-askpass)$/.test(name) || (!isCurl && name === "e")) {
      view.cannot("its options are in a file, or run a program");
    }
    if (isCurl && /^(w|write-out)$/.test(name) && /^@|%output/.test(word.value ?? "@")) {
      view.cannot("what curl -w writes is not looked at");
    }
  }
}
