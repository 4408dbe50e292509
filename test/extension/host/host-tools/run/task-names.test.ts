import { describe, expect, it } from "vitest";
import { findTasks } from "../../../../../extension/host/host-tools/run/task-names.ts";

const TASKS = [
  { shown: "build (api)", names: ["build"], isHere: false },
  { shown: "build (web)", names: ["build"], isHere: true },
  { shown: "npm: test (api)", names: ["npm: test", "test"], isHere: false },
  { shown: "npm: test (lib)", names: ["npm: test", "test"], isHere: false },
  { shown: "lint (api)", names: ["lint"], isHere: false },
];

describe("a task is found", () => {
  it.each([
    ["build (api)", ["build (api)"]],
    ["build", ["build (web)"]],
    ["lint", ["lint (api)"]],
    ["npm: test", ["npm: test (api)", "npm: test (lib)"]],
    ["test", ["npm: test (api)", "npm: test (lib)"]],
    ["deploy", []],
  ])("by %s: %j", (wanted, found) => {
    expect(findTasks(TASKS, wanted).map(({ shown }) => shown)).toEqual(found);
  });
});
