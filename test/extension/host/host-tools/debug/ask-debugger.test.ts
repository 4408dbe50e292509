import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { askDebugger } from "../../../../../extension/host/host-tools/debug/ask-debugger.ts";
import { HostToolFailed } from "../../../../../extension/host/host-tools/host-tool.ts";

describe("askDebugger", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  const session = (customRequest: () => Promise<unknown>) => ({ name: "run.js", customRequest });

  it("gives up on a debugger that does not answer, and says what to do", async () => {
    const asked = askDebugger(
      session(() => new Promise(() => {})),
      "threads",
    );
    const failed = expect(asked).rejects.toThrow(
      'The debugger of run.js didn\'t answer "threads" within 10 s. Try again, or stop it with vscode_debug.',
    );
    await vi.advanceTimersByTimeAsync(10_000);
    await failed;
    await expect(asked).rejects.toBeInstanceOf(HostToolFailed);
  });

  it("waits for the given time, and leaves no timer behind", async () => {
    const answer = new Promise((resolve) => setTimeout(resolve, 30_000, { result: "1" }));
    const asked = askDebugger(
      session(() => answer),
      "evaluate",
      { expression: "1" },
      60_000,
    );
    await vi.advanceTimersByTimeAsync(30_000);
    await expect(asked).resolves.toEqual({ result: "1" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("passes on why a debugger refuses", async () => {
    await expect(
      askDebugger(
        session(() => Promise.reject(new Error("not stopped"))),
        "scopes",
      ),
    ).rejects.toThrow("not stopped");
    expect(vi.getTimerCount()).toBe(0);
  });
});
