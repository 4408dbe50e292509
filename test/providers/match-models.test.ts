import { expect, test } from "vitest";
import { knownModels } from "../../agent/providers/known-models.ts";
import { matchModels } from "../../agent/providers/match-models.ts";

test("a pattern asks once for each provider whether it is preferred", () => {
  const asked: string[] = [];
  const found = matchModels("gpt-6.1-sol", knownModels(), (provider) => {
    asked.push(provider);
    return provider === "azure";
  });
  expect(found[0]?.model.provider).toBe("azure");
  expect(found.length).toBeGreaterThan(1);
  expect(asked.length).toBe(new Set(asked).size);
});
