import { describe, expect, it } from "vitest";
import { coloredEnd } from "../../../../extension/core/transcript/colored-output.ts";

const RED = "\u001b[31m";
const RESET = "\u001b[0m";

describe("coloredEnd", () => {
  it("puts the colors into the result, before what the tool adds", () => {
    const coloredText = `${RED}two${RESET}\nthree\n`;
    expect(coloredEnd("one\ntwo\nthree\n\nCommand exited with code 1", { coloredText }, 100)).toBe(
      `one\n${RED}two${RESET}\nthree${RESET}\n\nCommand exited with code 1`,
    );
  });

  it("counts only what is seen, and starts at a line", () => {
    const coloredText = `${RED}one${RESET}\n${RED}two${RESET}\n`;
    expect(coloredEnd("one\ntwo", { coloredText }, 5)).toBe(`${RED}two${RESET}${RESET}`);
    expect(coloredEnd("one\ntwo", { coloredText }, 7)).toBe(`${RED}one${RESET}\n${RED}two${RESET}${RESET}`);
  });

  it("is undefined without colors, and for those of another text", () => {
    expect(coloredEnd("one", {}, 100)).toBeUndefined();
    expect(coloredEnd("one", { coloredText: 1 }, 100)).toBeUndefined();
    expect(coloredEnd("one", { coloredText: `${RED}two` }, 100)).toBeUndefined();
  });
});
