import { expect, it } from "vitest";
import { containedEnv } from "../../agent/sandbox/contained-env.ts";

const TOKEN = `ghp_${"a1B2".repeat(9)}`;

it("leaves out what looks like a secret, also in a variable that was harmless before, and the ways to services", () => {
  const env = {
    HOME: "/home/me",
    NOTE: "plain",
    API_KEY: "x",
    SSH_AUTH_SOCK: "/run/agent",
    HTTPS_PROXY: "http://me:x@p",
  };
  const kept = { HOME: "/home/me", TMPDIR: "/tmp", TILLER_SANDBOX: "1" };
  expect(containedEnv(env, undefined)).toEqual({ ...kept, NOTE: "plain" });
  expect(containedEnv({ ...env, NOTE: TOKEN }, undefined)).toEqual(kept);
  expect(containedEnv(env, undefined)).toEqual({ ...kept, NOTE: "plain" });
});
