import { expect, it } from "vitest";
import { visitBrowser } from "../../../agent/bundled/mcp/auth/browser-visit.ts";
import { CallbackServer } from "../../../agent/bundled/mcp/auth/callback-server.ts";
import { SignInDesk } from "../../../agent/bundled/mcp/auth/sign-in-desk.ts";
import { deferred } from "../../../agent/util/deferred.ts";
import { OAuthServers } from "../../support/oauth-servers.ts";

const ANY_PORT = { port: undefined, isFixed: false };

interface Visit {
  limitMs?: number;
  signal?: AbortSignal;
  namesItself?: boolean;
  /** Called when the browser is to open the page. */
  open?(callback: string, state: string): unknown;
}

/** A visit of a page that `open` answers. @returns the codes that came, and the address of the callback. */
async function visit(options: Visit) {
  const { limitMs = 10_000, namesItself = false, open = () => undefined } = options;
  const { signal = new AbortController().signal } = options;
  const codes: string[] = [];
  let callback = "";
  const done = visitBrowser({
    server: { name: "far", url: "https://far.example/mcp" },
    port: ANY_PORT,
    limitMs,
    issuer: "https://auth.example",
    namesItself,
    ui: { select: async () => undefined },
    openUrl: (url) => open(callback, new URL(url).searchParams.get("state") ?? ""),
    signal,
    begin: ({ redirectUrl, state }, onPage) => {
      callback = redirectUrl;
      return async (code) => {
        if (code !== undefined) codes.push(code);
        else onPage(new URL(`https://auth.example/page?state=${state}`));
        return code === undefined ? "REDIRECT" : "AUTHORIZED";
      };
    },
  });
  const reason = await done.then(
    () => undefined,
    (error: unknown) => String(error),
  );
  return { codes, callback, reason };
}

it("a sign-in ends with the code, and its callback closes", async () => {
  const { codes, callback, reason } = await visit({
    open: (url, state) => fetch(`${url}?code=c1&state=${state}&iss=https://auth.example`),
  });
  expect({ codes, reason }).toEqual({ codes: ["c1"], reason: undefined });
  await expect(fetch(callback)).rejects.toThrow("fetch failed");
});

it("a sign-in that takes too long ends, and its callback closes", async () => {
  const { callback, reason } = await visit({ limitMs: 20 });
  expect(reason).toBe("SignInFailed: the sign-in took too long. To try again, run /mcp.");
  await expect(fetch(callback)).rejects.toThrow("fetch failed");
});

it("a sign-in ends when its server does, and its callback closes", async () => {
  const { callback, reason } = await visit({ signal: AbortSignal.timeout(20) });
  expect(reason).toBe("SignInFailed: the sign-in has ended.");
  await expect(fetch(callback)).rejects.toThrow("fetch failed");
});

it("a code of another service is not used", async () => {
  const { codes, reason } = await visit({
    open: (url, state) => fetch(`${url}?code=c1&state=${state}&iss=https://evil.example`),
  });
  expect({ codes, reason }).toEqual({
    codes: [],
    reason: "SignInFailed: another sign-in service has answered. To try again, run /mcp.",
  });
});

it("a code without the name of its service is not used if the service always gives it", async () => {
  const open = (url: string, state: string) => fetch(`${url}?code=c1&state=${state}`);
  expect((await visit({ open })).codes).toEqual(["c1"]);
  const { codes, reason } = await visit({ open, namesItself: true });
  expect({ codes, reason }).toEqual({
    codes: [],
    reason: "SignInFailed: another sign-in service has answered. To try again, run /mcp.",
  });
});

it("a sign-in that ended before its page was known opens nothing", async () => {
  const servers = await OAuthServers.start();
  const reading = deferred<undefined>();
  let isRead = false;
  const opened: string[] = [];
  const desk = new SignInDesk({
    name: "far",
    file: "/mcp.json",
    config: { kind: "http", url: servers.url, headers: {} },
    secrets: {
      read() {
        isRead = true;
        return reading.promise;
      },
      change: async () => undefined,
      remove: async () => undefined,
    },
    openUrl: (url) => opened.push(url),
    ui: () => ({ select: async () => undefined }),
  });
  const { signal } = new AbortController();
  const done = desk.signIn({ signal, isWanted: true }).catch((error: unknown) => String(error));
  await expect.poll(() => isRead).toBe(true);
  desk.end();
  reading.resolve(undefined);
  expect(await done).toContain("Abort");
  expect(opened).toEqual([]);
  servers.stop();
});

it("a callback takes another port only if it may", async () => {
  const first = await CallbackServer.open(ANY_PORT);
  const port = Number(new URL(first.url).port);
  const second = await CallbackServer.open({ port, isFixed: false });
  expect(second.url).not.toBe(first.url);
  const fixed = CallbackServer.open({ port, isFixed: true });
  await expect(fixed).rejects.toThrow(`port ${port}, its "callbackPort", is in use.`);
  first.close();
  second.close();
});
