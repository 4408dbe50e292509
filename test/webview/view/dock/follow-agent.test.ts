import { describe, expect, it } from "vitest";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();

describe("the follow button", () => {
  it("is reached by Tab, shows its state, and asks the host on a key press", async () => {
    const { page } = panel();
    await panel().snapshot([], { follow: "off", contextTokens: 24_000, contextWindow: 200_000 });
    const eye = page.getByRole("button", { name: "Follow Agent", exact: true });
    expect(await eye.getAttribute("aria-pressed")).toBe("false");
    await page.locator(".meter").focus();
    await page.keyboard.press("Shift+Tab");
    expect(await page.locator(".follow-agent:focus").count()).toBe(1);
    await panel().forgetPosts();
    await page.keyboard.press("Space");
    expect(await panel().posts()).toContainEqual({ type: "command", command: "tiller.followAgent" });
    await panel().patch([], { follow: "on" });
    expect(await eye.getAttribute("aria-pressed")).toBe("true");
    expect(await page.locator(".follow-agent:focus").count()).toBe(1);
  });

  it("shows where the agent is while the user is working", async () => {
    await panel().snapshot([], { follow: "paused" });
    const eye = panel().page.getByRole("button", { name: "Follow Agent", exact: true });
    expect(await eye.getAttribute("aria-pressed")).toBe("true");
    expect(await eye.getAttribute("title")).toBe(
      "Following is paused while you work in its tab. It resumes with your next message.",
    );
  });

  it("is hidden when there is nothing to follow", async () => {
    await panel().snapshot([]);
    expect(await panel().page.locator(".follow-agent").isVisible()).toBe(false);
  });
});
