import { describe, expect, it } from "vitest";
import { usePage } from "../support/use-page.ts";

/** Keeps an eye on the sounds that the page makes. */
const WATCH = `
  globalThis.sounds = [];
  globalThis.AudioContext = class extends AudioContext {
    constructor() {
      super();
      sounds.push(this);
    }
  };
`;

describe("the sound of an event", () => {
  const panel = usePage();

  it("plays without a file or the network, once per event, and leaves nothing behind", async () => {
    const { page } = panel();
    await panel().snapshot([]);
    await page.evaluate(WATCH);
    await page.getByRole("textbox", { name: "Message" }).click();
    await panel().send({ type: "chime", event: "done" });
    await panel().send({ type: "chime", event: "failed" });
    const heard = () => page.evaluate("sounds.map(({ state, currentTime }) => [state, currentTime > 0.2])");
    await expect.poll(heard).toEqual([
      ["closed", true],
      ["closed", true],
    ]);
  });
});
