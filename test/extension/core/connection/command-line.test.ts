import { describe, expect, test } from "vitest";
import { splitCommandLine } from "../../../../extension/core/connection/command-line.ts";

describe("splitCommandLine", () => {
  test.each([
    ["ssh build-box tiller", ["ssh", "build-box", "tiller"]],
    ["  docker\texec -i  dev tiller ", ["docker", "exec", "-i", "dev", "tiller"]],
    [`"/opt/my agent/tiller" --name 'it is $HOME'`, ["/opt/my agent/tiller", "--name", "it is $HOME"]],
    [String.raw`/opt/my\ agent "a \"b\" \n" 'c\d'`, ["/opt/my agent", String.raw`a "b" \n`, String.raw`c\d`]],
    [`a"b"'c' ""`, ["abc", ""]],
    ["", []],
  ])("%s is split like a shell does", (line, words) => {
    expect(splitCommandLine(line, "linux")).toEqual(words);
  });

  test("keeps backslashes on Windows", () => {
    expect(splitCommandLine(String.raw`"C:\Program Files\tiller.exe" --x`, "win32")).toEqual([
      String.raw`C:\Program Files\tiller.exe`,
      "--x",
    ]);
  });

  test("shows the line when a quote is not closed", () => {
    expect(() => splitCommandLine("ssh 'box", "linux")).toThrow("Missing closing quote ' in: ssh 'box");
  });
});
