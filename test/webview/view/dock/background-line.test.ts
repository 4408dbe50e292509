import { describe, expect, it } from "vitest";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();

describe("the line about what runs in the background", () => {
  it("is hidden while nothing does, counts the processes, and stops them", async () => {
    const { page } = panel();
    await panel().snapshot([]);
    const line = page.locator(".background-line");
    expect(await line.isVisible()).toBe(false);
    await panel().patch([], { background: ["node server.js"] });
    expect(await line.locator(".banner-text").textContent()).toBe("1 running in the background");
    await panel().patch([], { background: ["node server.js", "vite"] });
    expect(await line.locator(".banner-text").textContent()).toBe("2 running in the background");
    expect(await line.locator(".banner-text").getAttribute("title")).toBe("node server.js\nvite");
    await panel().forgetPosts();
    await line.getByRole("button", { name: "Stop" }).click();
    expect(await panel().posts()).toContainEqual({ type: "stopBackground" });
    await panel().patch([], { background: undefined });
    expect(await line.isVisible()).toBe(false);
  });
});
