import { describe, expect, it } from "vitest";
import { Lanes } from "../../agent/rpc/wire/lanes.ts";
import { deferred } from "../../agent/util/deferred.ts";

function started() {
  const log: string[] = [];
  const work = (name: string, until: Promise<void> = Promise.resolve()) => {
    return () => {
      log.push(name);
      return until;
    };
  };
  return { log, work };
}

describe("lanes of commands", () => {
  it("start everything at once while nothing is being replaced", () => {
    const { log, work } = started();
    const lanes = new Lanes();
    for (const lane of ["now", "after", "query", "lane"] as const) void lanes.run(lane, work(lane));
    expect(log).toEqual(["now", "after", "query", "lane"]);
  });

  it("hold back setters and prompts until the session is replaced, but not aborts", async () => {
    const { log, work } = started();
    const lanes = new Lanes();
    const replaced = deferred<void>();
    void lanes.run("replace", work("replace", replaced.promise));
    const setter = lanes.run("after", work("setter"));
    const prompt = lanes.run("lane", work("prompt"));
    void lanes.run("now", work("abort"));
    expect(log).toEqual(["replace", "abort"]);
    expect(lanes.isReplacing).toBe(true);
    replaced.resolve();
    await Promise.all([setter, prompt]);
    expect(log.slice(2).sort()).toEqual(["prompt", "setter"]);
    expect(lanes.isReplacing).toBe(false);
  });

  it("hold back only prompts while a compaction runs or waits", async () => {
    const { log, work } = started();
    const lanes = new Lanes();
    const first = deferred<void>();
    const second = deferred<void>();
    void lanes.run("compact", work("first", first.promise));
    const last = lanes.run("compact", work("second", second.promise));
    for (const lane of ["now", "after", "query"] as const) void lanes.run(lane, work(lane));
    expect(log).toEqual(["first", "now", "after", "query"]);
    first.resolve();
    await lanes.compaction;
    expect(lanes.isHolding).toBe(true);
    second.resolve();
    await last;
    expect([lanes.isHolding, lanes.compaction]).toEqual([false, undefined]);
  });

  it("let a query continue after a second", async () => {
    const { log, work } = started();
    const lanes = new Lanes();
    void lanes.run("replace", work("replace", new Promise<void>(() => undefined)));
    await lanes.run("query", work("query"));
    expect(log).toEqual(["replace", "query"]);
  });
});
