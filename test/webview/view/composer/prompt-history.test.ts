import { describe, expect, it } from "vitest";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const message = () => panel().page.getByRole("textbox", { name: "Message" });
const press = (key: string) => panel().page.keyboard.press(key);
const plain = (text: string) => ({ text, contexts: [] });
const asked = async () => (await panel().posts()).filter((post) => post.type === "listHistory").length;

async function open(entries: string[], typed = ""): Promise<void> {
  await panel().snapshot([]);
  await message().focus();
  await panel().page.keyboard.type(typed);
  if (typed !== "") await press("Home");
  await press("ArrowUp");
  await panel().send({ type: "history", entries: entries.map(plain) });
}

describe("earlier messages", () => {
  it("are recalled with Up and Down, and the draft comes back", async () => {
    await open(["third", "second\nof two lines", "first"], "half a thought");
    expect(await message().inputValue()).toBe("third");
    await press("ArrowUp");
    expect(await message().inputValue()).toBe("second\nof two lines");
    await press("ArrowUp");
    await press("ArrowUp");
    expect(await message().inputValue()).toBe("first");
    await press("ArrowDown");
    await press("ArrowDown");
    await press("ArrowDown");
    expect(await message().inputValue()).toBe("half a thought");
    await press("ArrowDown");
    expect(await message().inputValue()).toBe("half a thought");
    expect(await asked()).toBe(1);
  });

  it("bring back their chips, which are removed with their words", async () => {
    const words = { label: "2 problems", detail: "2 lines, 94 B", note: "" };
    const chip = { kind: "context", id: "h", mark: "@problems", source: { kind: "problems" }, ...words } as const;
    const own = () => panel().page.getByRole("button", { name: "Remove 2 problems" });
    await panel().snapshot([]);
    await message().focus();
    await press("ArrowUp");
    await panel().send({ type: "history", entries: [{ text: "Fix @problems", contexts: [chip] }, plain("other")] });
    await own().waitFor();
    await press("ArrowUp");
    expect(await message().inputValue()).toBe("other");
    expect(await own().count()).toBe(0);
    await press("ArrowDown");
    await press("Enter");
    const sent = (await panel().posts()).filter((post) => post.type === "prompt");
    expect(sent).toEqual([{ type: "prompt", text: "Fix @problems", delivery: "steer", contexts: [chip] }]);
  });

  it("are not requested while the caret is further down in the draft", async () => {
    await panel().snapshot([]);
    await message().focus();
    await panel().page.keyboard.type("one");
    await press("Shift+Enter");
    await panel().page.keyboard.type("two");
    await press("ArrowUp");
    await press("ArrowUp");
    expect(await asked()).toBe(0);
    await press("ArrowUp");
    expect(await asked()).toBe(1);
    await panel().send({ type: "history", entries: [plain("earlier")] });
    expect(await message().inputValue()).toBe("earlier");
  });

  it("count every Up that was pressed before they arrived", async () => {
    await panel().snapshot([]);
    await message().focus();
    await press("ArrowUp");
    await press("ArrowUp");
    await panel().send({ type: "history", entries: [plain("second"), plain("first")] });
    expect(await message().inputValue()).toBe("first");
  });

  it("are not inserted when the user has typed before they arrived", async () => {
    await panel().snapshot([]);
    await message().focus();
    await press("ArrowUp");
    await panel().page.keyboard.type("x");
    await panel().send({ type: "history", entries: [plain("first")] });
    expect(await message().inputValue()).toBe("x");
  });

  it("keep changes until something is sent", async () => {
    await open(["second", "first"]);
    await press("End");
    await panel().page.keyboard.type("!");
    await press("Home");
    await press("ArrowUp");
    expect(await message().inputValue()).toBe("first");
    await press("ArrowDown");
    expect(await message().inputValue()).toBe("second!");
    await press("Enter");
    expect(await panel().posts()).toContainEqual({ type: "prompt", text: "second!", delivery: "steer" });
    await press("ArrowUp");
    await panel().send({ type: "history", entries: [plain("second!"), plain("second"), plain("first")] });
    await press("ArrowUp");
    expect(await message().inputValue()).toBe("second");
  });

  it("do not replace the draft that the host keeps", async () => {
    await open(["earlier"], "half a thought");
    await press("Tab");
    const drafts = (await panel().posts()).flatMap((post) => (post.type === "draft" ? [post.text] : []));
    expect(drafts.at(-1)).toBe("half a thought");
  });
});
