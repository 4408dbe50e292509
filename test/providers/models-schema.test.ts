import { expect, test } from "vitest";
import * as z from "zod";
import { ProviderEntry } from "../../agent/providers/models-file.ts";

const APIS = [
  "anthropic-messages",
  "openai-completions",
  "openai-responses",
  "bedrock-converse-stream",
  "azure-openai-responses",
];

test("the editor checks models.json with the schema that the agent uses", async () => {
  const ModelsFile = z.object({ providers: z.record(z.string(), ProviderEntry) });
  const schema = z.toJSONSchema(ModelsFile, {
    target: "draft-7",
    io: "input",
    override({ jsonSchema }) {
      const { properties } = jsonSchema;
      if (properties === undefined) return;
      jsonSchema.additionalProperties = false; // what the agent passes over is a mistake of the writer
      const { api } = properties;
      if (typeof api === "object") api.enum = APIS;
    },
  });
  // After a change of the schema `npx vitest run test/providers/models-schema.test.ts -u` writes it anew.
  await expect(
    `${JSON.stringify({ ...schema, allowComments: true, allowTrailingCommas: true }, null, 2)}\n`,
  ).toMatchFileSnapshot("../../media/models.schema.json");
});
