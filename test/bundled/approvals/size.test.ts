import { afterAll, describe, expect, it } from "vitest";
import { judgeShellCall } from "../../../agent/bundled/approvals/shell-call.ts";
import { approvalWorkspace } from "../../support/approval-workspace.ts";

const SMALL = 24_000;
const LARGE = 4 * SMALL;
/** Work that grows with the length takes four times as long, work that grows with its square sixteen times. */
const MOST_TIMES = 12;
const UNNOTICED_MS = 40;
const MAX_MS = 2000;

const workspace = approvalWorkspace();
afterAll(() => workspace.remove());

/** Builds commands of about this length. */
const repeated = (text: string) => (length: number) => text.repeat(Math.floor(length / text.length));
const nested = (open: string, close: string) => (length: number) => {
  const depth = Math.floor(length / (open.length + close.length));
  return `${open.repeat(depth)}x${close.repeat(depth)}`;
};

const SHAPES: [string, (length: number) => string][] = [
  ["single quotes", repeated("'")],
  ["double quotes", repeated('"')],
  ["pairs of quotes", repeated(`''""`)],
  ["words in quotes", repeated(`'a' "b" `)],
  ["quotes within a word", repeated(`'a'"b"`)],
  ["backslashes", repeated("\\")],
  ["escaped quotes", repeated('\\"')],
  ["escaped quotes in quotes", (length) => `echo "${'\\"'.repeat(length / 2)}"`],
  ["backslashes in quotes", (length) => `echo "${"\\".repeat(length)}"`],
  ["backslashes before line ends", repeated("\\\n")],
  ["line ends", repeated("\n")],
  ["carriage returns", repeated("\r")],
  ["tabs and spaces", repeated(" \t")],
  ["dollars", repeated("$")],
  ["dollars with quotes", repeated(`$'$"`)],
  ["dollars with brackets", repeated("$(")],
  ["dollars with two brackets", repeated("$((")],
  ["dollars with braces", repeated("${")],
  ["square brackets", repeated("$[")],
  ["variables", repeated('"$a"')],
  ["variables without quotes", repeated("$a ")],
  ["braces", repeated("{")],
  ["pairs of braces", repeated("{a,b}")],
  ["nested braces", nested("{a,", "}")],
  ["brackets", repeated("(")],
  ["nested brackets", nested("(", ")")],
  ["nested substitutions", nested("$(", ")")],
  ["nested substitutions in quotes", nested('"$(', ')"')],
  ["nested calculations", nested("$((", "))")],
  ["nested expansions", nested("${x:-", "}")],
  ["nested groups", nested("{ ", "; }")],
  ["nested conditions", nested("if a; then ", "; fi")],
  ["nested loops", nested("for i in a; do ", "; done")],
  ["nested whiles", nested("while a; do ", "; done")],
  ["nested cases", nested("case x in x) ", ";; esac")],
  ["backquotes", repeated("`")],
  ["escaped backquotes", repeated("\\`")],
  ["here-documents", repeated("<<A ")],
  ["here-documents that end", repeated("cat <<'A'\nA\n")],
  ["one long here-document", (length) => `cat <<'A'\n${"x\n".repeat(length / 2)}A`],
  ["a here-document without an end", (length) => `cat <<'A'\n${"x\n".repeat(length / 2)}`],
  ["a here-document of quotes", (length) => `cat <<'A'\n${`'"`.repeat(length / 2)}\nA`],
  ["pipes", repeated("a|")],
  ["commands", repeated("a;")],
  ["commands that read", repeated("ls;")],
  ["conditions in a row", repeated("a&&")],
  ["backgrounds", repeated("a&")],
  ["redirections", repeated(">a ")],
  ["redirections of one command", (length) => `ls ${"2>&1 ".repeat(length / 5)}`],
  ["process substitutions", repeated("<(")],
  ["assignments", repeated("a=1 ")],
  ["assignments of arrays", repeated("a=(1) ")],
  ["an array", (length) => `a=(${"1 ".repeat(length / 2)})`],
  ["words", (length) => `cat ${"a ".repeat(length / 2)}`],
  ["globs", (length) => `ls ${"* ".repeat(length / 2)}`],
  ["stars", (length) => `ls src/${"*a".repeat(length / 2)}`],
  ["question marks", (length) => `ls ${"?".repeat(length)}`],
  ["square brackets of a glob", (length) => `ls ${"[a".repeat(length / 2)}`],
  ["deep paths", (length) => `cat ${"a/".repeat(length / 2)}`],
  ["paths that lead up", (length) => `cat ${"../../".repeat(length / 3)}`],
  ["paths that go in and out", (length) => `cat ${"src/../".repeat(length / 7)}`],
  ["folders that are changed", repeated("cd src;cd ..;")],
  ["options", (length) => `ls ${"-a ".repeat(length / 3)}`],
  ["one long option", (length) => `sort -${"u".repeat(length)}`],
  ["expressions of find", (length) => `find . ${"-name a -o ".repeat(length / 11)} -name b`],
  ["brackets of find", (length) => `find . ${"'(' ".repeat(length / 4)}`],
  ["a long script of sed", (length) => `sed -n '${"s/a/b/;".repeat(length / 7)}' src/a.ts`],
  ["brackets in sed", (length) => `sed '${"{".repeat(length)}' src/a.ts`],
  ["a long program of awk", (length) => `awk '${"{print}".repeat(length / 7)}' src/a.ts`],
  ["slashes in awk", (length) => `awk '${"/".repeat(length)}' src/a.ts`],
  ["quotes in awk", (length) => `awk '${'"'.repeat(length)}' src/a.ts`],
  ["a long filter of jq", (length) => `jq '${".a|".repeat(length / 3)}.' package.json`],
  ["programs that run others", repeated("env ")],
  ["programs that run others, nested", (length) => `${"timeout 1 ".repeat(length / 10)}ls`],
  ["comments", repeated("# a\n")],
  ["one long comment", (length) => `# ${"'\"".repeat(length / 2)}`],
  ["exclamation marks", repeated("! ")],
  ["tildes", repeated("~/ ")],
  ["semicolons", repeated(";")],
  ["ampersands", repeated("&")],
  ["equals signs", repeated("=")],
  ["characters outside of ASCII", repeated("ä€😀")],
  ["invisible characters", repeated("\u200b")],
  ["git options", (length) => `git log ${"--oneline ".repeat(length / 10)}`],
  ["settings of git", (length) => `git ${"-c a.b=c ".repeat(length / 9)} log`],
  ["a test with many parts", (length) => `[ ${"-n a -a ".repeat(length / 8)} -n b ]`],
  ["double brackets", (length) => `[[ ${"a && ".repeat(length / 5)} a ]]`],
  ["nested double brackets", (length) => `[[ ${"( ".repeat(length / 4)}a${" )".repeat(length / 4)} ]]`],
];

/** The time of the processor that judging takes, in milliseconds; the best of two tries. */
async function costOf(command: string): Promise<number> {
  const tries: number[] = [];
  for (let index = 0; index < 2; index++) {
    const before = process.cpuUsage();
    await judgeShellCall({ command }, workspace);
    const { user, system } = process.cpuUsage(before);
    tries.push((user + system) / 1000);
  }
  return Math.min(...tries);
}

describe("a command of nearly 100 kB", () => {
  it.each(SHAPES)("of %s is judged with bounded work", async (_name, shape) => {
    await costOf(shape(SMALL)); // what is compiled while it runs does not count
    const small = await costOf(shape(SMALL));
    const large = await costOf(shape(LARGE));
    expect(large).toBeLessThan(MAX_MS);
    expect(large).toBeLessThan(Math.max(small, UNNOTICED_MS) * MOST_TIMES);
  });
});
