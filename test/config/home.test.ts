import { describe, expect, it } from "vitest";
import { settleHome } from "../../agent/config/home.ts";

describe("the home folder", () => {
  it.each(["", "home", "./home"])("comes from the system when HOME is %j", (home) => {
    const env = { HOME: home, USER: "ada" };
    expect(settleHome(env, () => "/home/ada")).toBe(true);
    expect(env).toEqual({ USER: "ada" });
  });

  it("comes from HOME when it is absolute", () => {
    const env = { HOME: "/srv/ada" };
    expect(settleHome(env, () => env.HOME)).toBe(true);
    expect(env).toEqual({ HOME: "/srv/ada" });
  });

  it("is missing when neither HOME nor the system names one", () => {
    const unknownUser = () => {
      throw new Error("A system error occurred: uv_os_homedir returned ENOENT (no such file or directory)");
    };
    expect(settleHome({}, unknownUser)).toBe(false);
    expect(settleHome({}, () => "")).toBe(false);
  });
});
