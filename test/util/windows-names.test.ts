import { describe, expect, it } from "vitest";
import { windowsNameProblem } from "../../agent/util/windows-names.ts";

const ORDINARY = [
  "C:\\work\\a.ts",
  "c:/work/.env",
  "\\\\server\\share\\a b\\Größe.txt",
  "\\\\?\\C:\\work\\a.ts",
  "\\\\?\\UNC\\server\\share\\a.ts",
  "C:\\work\\console.ts",
  "C:\\work\\com10.txt",
  "C:\\work\\..\\a.ts",
  "C:\\",
];

const ODD: readonly [string, string][] = [
  ["C:\\work\\NUL", '"NUL" is the name of a device'],
  ["C:\\work\\aux.ts", '"aux.ts" is the name of a device'],
  ["C:\\work\\com1\\x", '"com1" is the name of a device'],
  ["C:\\work\\.env::$DATA", '".env::$DATA" names a stream of a file'],
  ["C:\\work\\a.txt:more", '"a.txt:more" names a stream of a file'],
  ["C:\\work\\.git.\\config", '".git." ends with a character that is left out there'],
  ["C:\\work\\a.ts ", '"a.ts " ends with a character that is left out there'],
  ["C:\\work\\a|b", '"a|b" has characters that no name may have there'],
  ["\\\\.\\PhysicalDrive0", "it is the path of a device"],
  ["\\\\?\\GLOBALROOT\\Device\\x", "it is the path of a device"],
];

describe("a path on Windows", () => {
  it.each(ORDINARY)("%s means what it says", (path) => {
    expect(windowsNameProblem(path)).toBeUndefined();
  });

  it.each(ODD)("%s means something else", (path, problem) => {
    expect(windowsNameProblem(path)).toBe(problem);
  });
});
