import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CustomModel, type CustomModelPart, ModelFailed } from "../../agent/client/custom-models.ts";
import type { HostModelRequest } from "../../agent/protocol/host-models.ts";
import { ClientBench } from "../support/client-bench.ts";

let bench: ClientBench;

beforeEach(async () => {
  bench = await ClientBench.open();
});

afterEach(() => bench.close());

/** A model that gives these answers one after the other. */
function fox(...answers: ((signal: AbortSignal) => AsyncIterable<CustomModelPart>)[]) {
  const requests: HostModelRequest[] = [];
  const model: CustomModel = {
    id: "fox",
    answer: (request, { signal }) => {
      requests.push(request);
      const answer = answers.shift();
      if (answer === undefined) throw new Error("The script is over.");
      return answer(signal);
    },
  };
  return { model, requests };
}

async function* parts(...all: CustomModelPart[]): AsyncGenerator<CustomModelPart> {
  yield* all;
}

async function start(model: CustomModel) {
  const tiller = await bench.start({ args: ["--no-session", "--host-provider", "mine"] });
  await tiller.setCustomModels("mine", [model]);
  await tiller.commands.setModel({ provider: "mine", modelId: "fox" });
  return tiller;
}

describe("setCustomModels", () => {
  it("asks the host's model, runs the tools that it calls, and reports the usage", async () => {
    const { model, requests } = fox(
      () => parts("Loo", "king.", { type: "toolCall", id: "c1", name: "pick", arguments: {} }),
      () => parts("Teal.", { type: "end", usage: { input: 50, output: 3 } }),
    );
    const tiller = await start(model);
    await tiller.setCustomTools([
      { name: "pick", description: "Picks a colour.", parameters: { type: "object" }, run: () => "teal" },
    ]);
    const { text, answer } = await tiller.promptAndWait("Which colour?");
    expect(text).toBe("Teal.");
    expect(answer).toMatchObject({ provider: "mine", model: "fox", usage: { input: 50, output: 3 } });
    expect(requests[1]?.messages).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Looking." },
          { type: "toolCall", name: "pick" },
        ],
      },
      { role: "toolResult", content: [{ type: "text", text: "teal" }] },
    ]);
  });

  it("fails with the error of a model, and with its kind if it has one", async () => {
    const { model } = fox(
      () => {
        throw new Error("No fox today.");
      },
      async function* () {
        yield "Half";
        throw new ModelFailed("quota", "The fox is tired.");
      },
    );
    const tiller = await start(model);
    const first = await tiller.promptAndWait("Hi");
    expect(first.answer).toMatchObject({ stopReason: "error", errorMessage: "No fox today." });
    const second = await tiller.promptAndWait("Hi");
    expect(second.answer).toMatchObject({
      stopReason: "error",
      errorMessage: "The fox is tired.",
      content: [{ type: "text", text: "Half" }],
    });
  });

  it("aborts the signal when the run is aborted", async () => {
    let aborted: Promise<unknown> | undefined;
    const { model } = fox(async function* (signal) {
      yield "Well";
      aborted = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      await aborted;
    });
    const tiller = await start(model);
    const run = tiller.promptAndWait("Hi");
    for await (const event of tiller.events()) if (event.type === "message_update") break;
    await tiller.commands.abort();
    await aborted;
    expect((await run).aborted).toBe(true);
  });

  it("fails for a model that the host does not have", async () => {
    const { model } = fox();
    const tiller = await start(model);
    await tiller.commands.setHostModels({ provider: "mine", models: [{ id: "fox" }, { id: "owl" }] });
    await tiller.commands.setModel({ provider: "mine", modelId: "owl" });
    const { answer } = await tiller.promptAndWait("Hi");
    expect(answer?.errorMessage).toBe('The host has no model "owl".');
  });
});
