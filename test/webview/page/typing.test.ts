import { describe, expect, it } from "vitest";
import { usePage } from "../support/use-page.ts";

const panel = usePage();
const message = () => panel().page.getByRole("textbox", { name: "Message" });
const told = async () => (await panel().posts()).flatMap((post) => (post.type === "typing" ? [post.isTyping] : []));

describe("the page tells whether the user is typing", () => {
  it("from the first key until the message is empty and no key was pressed for three seconds", async () => {
    await panel().page.clock.install();
    await panel().snapshot([]);
    await message().click();
    expect(await told()).toEqual([]);
    await panel().page.keyboard.type("Fix");
    expect(await told()).toEqual([true]);
    await panel().page.clock.fastForward(10_000);
    expect(await told()).toEqual([true]);
    await message().fill("");
    expect(await told()).toEqual([true, false]);
    await panel().page.keyboard.type("x");
    await panel().page.keyboard.press("Backspace");
    expect(await told()).toEqual([true, false, true]);
    await panel().page.clock.fastForward(3_100);
    expect(await told()).toEqual([true, false, true, false]);
  });

  it("not after the message is sent, nor for keys that move", async () => {
    await panel().snapshot([]);
    await message().click();
    await panel().page.keyboard.press("ArrowDown");
    expect(await told()).toEqual([]);
    await panel().page.keyboard.type("Go");
    await panel().page.keyboard.press("Enter");
    expect(await told()).toEqual([true, false]);
  });
});
