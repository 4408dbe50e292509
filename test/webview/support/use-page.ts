import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { type OpenPage, type PageLab, startPageLab } from "./open-page.ts";

/** Gives each test of a file a page of its own, which at its end must not have reached for anything outside. */
export function usePage(): () => OpenPage {
  let lab: PageLab;
  let panel: OpenPage;
  beforeAll(async () => {
    lab = await startPageLab();
  });
  afterAll(() => lab.close());
  beforeEach(async () => {
    panel = await lab.open();
  });
  afterEach(async () => {
    const trespasses = await panel.trespasses();
    await panel.close();
    expect(trespasses).toEqual([]);
  });
  return () => panel;
}
