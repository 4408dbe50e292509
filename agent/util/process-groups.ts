import { type ChildProcessByStdio, spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Writable } from "node:stream";

/**
 * Reads `+<id>` and `-<id>`, and kills the groups that are left when its input ends: the agent has ended, and nobody else can tell whether in
 * order. Made of what every shell has built in.
 */
const GUARD = `trap '' HUP INT QUIT TERM
groups=
while read -r line; do
  case $line in
    +*) groups="$groups \${line#+}" ;;
    -*) left=
      for group in $groups; do [ "$group" = "\${line#-}" ] || left="$left $group"; done
      groups=$left ;;
  esac
done
for group in $groups; do kill -9 "-$group"; done`;

type Guard = ChildProcessByStdio<Writable, null, null>;

const groups = new Set<number>();
let guard: Guard | undefined;

/**
 * Sees to it that a process group ends with the agent, in whatever way that ends; on Windows not when the agent is killed.
 * @param pid of a process that leads its own group.
 * @returns what to call when the group need not be ended any more.
 */
export function keepGroup(pid: number): () => void {
  if (groups.size === 0 && !process.listeners("exit").includes(killGroups)) process.once("exit", killGroups);
  groups.add(pid);
  if (process.platform !== "win32") tellGuard(pid);
  return () => {
    if (groups.delete(pid)) guard?.stdin.write(`-${pid}\n`);
  };
}

/** The agent ends now: there is no time to ask. */
function killGroups(): void {
  for (const pid of groups) {
    try {
      process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
    } catch {
      // nobody is left of it
    }
  }
}

/** Starts the guard with the first group, and again if it was killed. */
function tellGuard(pid: number): void {
  if (guard !== undefined) {
    guard.stdin.write(`+${pid}\n`);
    return;
  }
  guard = startGuard();
  guard?.stdin.write([...groups].map((group) => `+${group}\n`).join(""));
}

/** In a session of its own, where no signal for the agent's group reaches it, and holding nothing of the agent's but its pipe. */
function startGuard(): Guard | undefined {
  const child: Guard = spawn("/bin/sh", ["-c", GUARD], {
    cwd: "/",
    env: {},
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const forget = () => {
    if (guard === child) guard = undefined;
  };
  child.once("error", forget).once("exit", forget);
  if (child.pid === undefined) return undefined; // nothing can be started, so little runs that could be left behind
  child.stdin.on("error", forget);
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}
