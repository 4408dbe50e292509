import { describe, expect, it } from "vitest";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();

describe("the line about comments", () => {
  it("is hidden while there are none, counts them, and sends or discards them", async () => {
    const { page } = panel();
    await panel().snapshot([]);
    const line = page.locator(".line-comments");
    expect(await line.isVisible()).toBe(false);
    await panel().patch([], { lineComments: 1 });
    expect(await line.locator(".banner-text").textContent()).toBe("1 comment on a line");
    await panel().patch([], { lineComments: 3 });
    expect(await line.locator(".banner-text").textContent()).toBe("3 comments on lines");
    await panel().forgetPosts();
    await line.getByRole("button", { name: "Send" }).click();
    await line.getByRole("button", { name: "Discard" }).click();
    expect(await panel().posts()).toEqual([
      { type: "command", command: "tiller.sendLineComments" },
      { type: "command", command: "tiller.discardLineComments" },
    ]);
    await panel().patch([], { lineComments: 0 });
    expect(await line.isVisible()).toBe(false);
  });
});
