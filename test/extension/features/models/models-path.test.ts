import { expect, it } from "vitest";
import { modelsPath } from "../../../../extension/features/models/models-path.ts";

it("the user's models file has the path that the agent reads", () => {
  const path = (PI_CODING_AGENT_DIR?: string) => modelsPath("/work", { PI_CODING_AGENT_DIR }, "/home/$&");
  expect([undefined, "", "~", "~/own", "own", "/own"].map(path)).toEqual([
    "/home/$&/.tiller/agent/models.json",
    "/home/$&/.tiller/agent/models.json",
    "/home/$&/models.json",
    "/home/$&/own/models.json",
    "/work/own/models.json",
    "/own/models.json",
  ]);
});
