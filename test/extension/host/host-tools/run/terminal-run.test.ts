import { describe, expect, it } from "vitest";
import { createCancellation } from "../../../../../extension/host/host-tools/cancellation.ts";
import { outcomeOf, type RunEnd, RunOutput } from "../../../../../extension/host/host-tools/run/terminal-run.ts";

/** A command that ends when the test ends it, or never. */
function runThat(end?: RunEnd) {
  const stopped: string[] = [];
  const ended = end === undefined ? new Promise<RunEnd>(() => {}) : Promise.resolve(end);
  return { ended, cwd: () => undefined, stop: () => void stopped.push("stopped"), stopped };
}

const { token } = createCancellation();

describe("the result of a command in a terminal", () => {
  it("is its exit code, when the shell reports it", async () => {
    expect(await outcomeOf(runThat({ isClosed: false, exitCode: 3 }), 60, token)).toBe("Ended with exit code 3.");
    expect(await outcomeOf(runThat({ isClosed: false }), 60, token)).toBe("Ended without an exit code.");
  });

  it("says that it still runs, when it takes longer than its time", async () => {
    const run = runThat();
    expect(await outcomeOf(run, 0.01, token)).toBe(
      "Still running after 0.01 seconds; it continues in the terminal. So far:",
    );
    expect(run.stopped).toEqual([]);
  });

  it("says that the terminal was closed", async () => {
    await expect(outcomeOf(runThat({ isClosed: true }), 60, token)).rejects.toThrow("The terminal was closed before");
  });

  it("is nothing when the call is cancelled, which stops the command", async () => {
    const run = runThat();
    const cancellation = createCancellation();
    const outcome = outcomeOf(run, 60, cancellation.token);
    cancellation.cancel();
    await expect(outcome).rejects.toThrow("Canceled");
    await expect(outcomeOf(run, 60, cancellation.token)).rejects.toThrow("Canceled");
    expect(run.stopped).toEqual(["stopped", "stopped"]);
  });
});

it("output in a terminal is shown as it comes, and not after the end of the call", async () => {
  const updates: string[] = [];
  const output = new RunOutput((text) => updates.push(text));
  output.add("one\n");
  output.add("two\n");
  await expect.poll(() => updates).toEqual(["one\ntwo"]);
  output.add("three\n");
  output.end();
  output.add("four\n");
  expect(output.text()).toBe("one\ntwo\nthree");
});
