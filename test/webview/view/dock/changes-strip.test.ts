import { describe, expect, it } from "vitest";
import { CONVERSATION } from "../../support/sample-items.ts";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();

describe("the line about changes to review", () => {
  it("counts files and lines, and reviews, keeps, and undoes all", async () => {
    const { page } = panel();
    await panel().snapshot([]);
    const strip = page.getByRole("region", { name: "Changes to review" });
    expect(await strip.count()).toBe(0);
    await panel().patch([], { changes: { files: 1, added: 4, removed: 0 } });
    expect(await strip.locator(".changes-words").textContent()).toBe("1 file changed");
    await panel().patch([], { changes: { files: 3, added: 12, removed: 4 } });
    expect(await strip.locator(".changes-facts").textContent()).toBe("3 files changed+12 −4");
    for (const name of ["Review", "Keep All", "Undo All"]) await strip.getByRole("button", { name }).click();
    const commands = (await panel().posts()).flatMap((post) => (post.type === "command" ? [post.command] : []));
    expect(commands).toEqual(["tiller.reviewChanges", "tiller.keepAllChanges", "tiller.undoAllChanges"]);
    await panel().patch([], { changes: undefined });
    expect(await strip.count()).toBe(0);
  });

  it("moves neither what is read nor what is typed when it comes", async () => {
    const { page } = panel();
    await panel().snapshot(CONVERSATION);
    const message = page.getByRole("textbox", { name: "Message" });
    await message.fill("One");
    await page.mouse.move(100, 200);
    await page.mouse.wheel(0, -300);
    await panel().settle();
    const places = async () => [
      (await message.boundingBox())?.y,
      await page.getByRole("log").evaluate("(node) => node.scrollTop"),
    ];
    const before = await places();
    await panel().patch([], { changes: { files: 3, added: 12, removed: 4 } });
    await page.getByRole("region", { name: "Changes to review" }).waitFor();
    expect(await places()).toEqual(before);
  });
});
