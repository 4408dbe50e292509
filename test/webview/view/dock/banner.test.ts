import { describe, expect, it } from "vitest";
import { usePage } from "../../support/use-page.ts";

const panel = usePage();
const action = { label: "Set Up a Model", command: "tiller.setUpModel" };
const DEMO = { banner: { text: "A demo", action, canDismiss: true }, modelLabel: "Demo" };
const line = () => panel().page.locator(".banner", { hasText: "A demo" });

describe("the banner of the demo", () => {
  it("offers to set up a model", async () => {
    await panel().snapshot([], DEMO);
    await panel().forgetPosts();
    await line().getByRole("button", { name: "Set Up a Model" }).click();
    expect(await panel().posts()).toEqual([{ type: "command", command: "tiller.setUpModel" }]);
  });

  it("stays away once it is dismissed, also after a reload, and comes back with the next demo", async () => {
    await panel().snapshot([], DEMO);
    await line().getByRole("button", { name: "Dismiss" }).click();
    expect(await line().isVisible()).toBe(false);
    await panel().reload();
    await panel().snapshot([], { modelLabel: "" });
    await panel().snapshot([], DEMO);
    expect(await line().isVisible()).toBe(false);
    await panel().patch([], { banner: undefined, modelLabel: "Claude" });
    await panel().patch([], DEMO);
    expect(await line().isVisible()).toBe(true);
  });

  it("can't be dismissed when there is no model at all", async () => {
    await panel().snapshot([], { banner: { text: "A demo", action }, modelLabel: "No model" });
    expect(await line().getByRole("button", { name: "Dismiss" }).count()).toBe(0);
  });
});
