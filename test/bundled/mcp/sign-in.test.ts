import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { McpBench, outcome, outcomeText } from "../../support/mcp-fixtures.ts";
import { OAuthServers } from "../../support/oauth-servers.ts";
import { reply, toolCall } from "../../support/scripted-replies.ts";
import { actAsUser, agreeableAnswer, browse } from "../../support/signing-user.ts";
import type { AgentUnderTest, Frame } from "../../support/spawn-agent.ts";

const TOOL = "mcp__far__echo";

let bench: McpBench;
let servers: OAuthServers;

beforeEach(async () => {
  bench = await McpBench.open();
  servers = await OAuthServers.start();
});

afterEach(async () => {
  await bench.close();
  servers.stop();
});

function start(options: { oauth?: object; args?: readonly string[] } = {}): AgentUnderTest {
  const { oauth, args = [] } = options;
  return bench.start({ servers: { far: { url: servers.url, oauth } }, args });
}

/** Starts an agent whose user wants everything, and lets it sign in. */
async function signedIn(): Promise<AgentUnderTest> {
  const agent = start();
  actAsUser(agent);
  await bench.callTool(agent, TOOL, { text: "hi" });
  return agent;
}

function requests(agent: AgentUnderTest, method: string): Frame[] {
  return agent.frames.filter((frame) => frame.type === "extension_ui_request" && frame.method === method);
}

function titles(agent: AgentUnderTest): unknown[] {
  return requests(agent, "select").map(({ title }) => title);
}

function errorsOf(agent: AgentUnderTest): string[] {
  return agent.frames.filter(({ type }) => type === "extension_error").map(({ error }) => String(error));
}

async function greet(agent: AgentUnderTest): Promise<void> {
  bench.model.enqueue(reply("hello"));
  await agent.run("hi");
}

function credentialsFile(agent: AgentUnderTest): string {
  return join(agent.agentDir, "mcp-credentials.json");
}

/** Answers the dialogs of `/mcp` with these options, in order. */
function choosing(...choices: string[]) {
  return ({ method, options }: Frame) => {
    if (method !== "select" || !Array.isArray(options)) return undefined;
    const next = options.find((option) => String(option).startsWith(choices[0] ?? "\0"));
    if (next === undefined) return undefined;
    choices.shift();
    return String(next);
  };
}

describe("signing in to an MCP server", () => {
  it("asks, opens the browser, and keeps the token for the next agent", async () => {
    const agent = start();
    actAsUser(agent);
    expect(outcomeText(await bench.callTool(agent, TOOL, { text: "hi" }))).toBe("echo: hi");
    expect(titles(agent)[0]).toMatch(/^MCP server "far" asks you to sign in at 127\.0\.0\.1:\d+\.$/);
    const [page] = requests(agent, "open_url");
    expect(requests(agent, "notify")[0]?.message).toBe(`To sign in to MCP server "far", open ${page?.url}`);
    expect(servers.asked).toEqual(["register", "authorize read", "token authorization_code"]);
    expect(statSync(credentialsFile(agent)).mode & 0o777).toBe(0o600);
    await agent.end();
    servers.authorizations.length = 0;
    const next = start();
    expect(outcomeText(await bench.callTool(next, TOOL, { text: "again" }))).toBe("echo: again");
    expect(titles(next)).toEqual([]);
    expect(servers.authorizations).not.toContain(undefined);
  });

  it("does nothing when the user doesn't want to, and asks only once", async () => {
    const agent = start();
    actAsUser(agent, { answer: choosing("Not Now") });
    await greet(agent);
    await greet(agent);
    expect(errorsOf(agent)).toHaveLength(1);
    expect(errorsOf(agent)[0]).toContain("you aren't signed in. To sign in, run /mcp.");
    expect(titles(agent)).toHaveLength(1);
    expect(servers.asked).toEqual([]);
  });

  it("is possible later, and so is signing out, with /mcp", async () => {
    const agent = start();
    actAsUser(agent, { answer: choosing("Not Now", "far:", "Sign In", "far:", "Sign Out") });
    await greet(agent);
    await agent.call("prompt", { message: "/mcp" });
    await expect.poll(() => requests(agent, "notify").at(-1)?.message).toBe("far: running, 1 tool");
    expect(outcomeText(await bench.callTool(agent, TOOL, { text: "hi" }))).toBe("echo: hi");
    await agent.call("prompt", { message: "/mcp" });
    await expect.poll(() => requests(agent, "notify").at(-1)?.message).toBe("You have signed out of far.");
    expect(readFileSync(credentialsFile(agent), "utf8")).not.toContain("planted-");
    expect(outcome(await bench.callTool(agent, TOOL)).isError).toBe(true);
  });

  it("can be canceled, which closes the callback", async () => {
    const agent = start();
    actAsUser(agent, { answer: choosing("Sign In", "Cancel"), open: () => undefined });
    await greet(agent);
    expect(errorsOf(agent)[0]).toContain("you have canceled the sign-in. To sign in, run /mcp.");
    const callback = new URL(String(requests(agent, "open_url")[0]?.url)).searchParams.get("redirect_uri") ?? "";
    await expect(fetch(callback)).rejects.toThrow("fetch failed");
  });

  it("reports that the service refused", async () => {
    servers.behavior.refusal = "access_denied";
    const agent = start();
    actAsUser(agent);
    await greet(agent);
    expect(errorsOf(agent)[0]).toContain("the sign-in was refused (access_denied). To try again, run /mcp.");
  });

  it("takes no answer that isn't its own", async () => {
    const agent = start();
    const pages: string[] = [];
    actAsUser(agent, {
      async open(page) {
        const callback = new URL(page).searchParams.get("redirect_uri");
        for (const url of [`${callback}?code=stolen&state=guessed`, `${callback}?code=stolen`, `${callback}/x`]) {
          pages.push(await browse(url));
        }
        pages.push(await browse(page));
      },
    });
    expect(outcomeText(await bench.callTool(agent, TOOL, { text: "hi" }))).toBe("echo: hi");
    expect(pages.map((page) => page.replace(/.*<p>|<\/p>/g, ""))).toEqual([
      "This sign-in is unknown or over.",
      "This sign-in is unknown or over.",
      "There is nothing here.",
      "Tiller has received your sign-in. You can close this page.",
    ]);
  });

  it("says what to add when the service registers nobody", async () => {
    servers.behavior.hasFixedClients = true;
    const agent = start();
    actAsUser(agent);
    await greet(agent);
    expect(errorsOf(agent)[0]).toContain('Register one there, and add "oauth": { "clientId": "…" } to its entry in');
    expect(titles(agent)).toEqual([]);
  });

  it("is refused if the service doesn't say that it binds codes to sign-ins", async () => {
    servers.behavior.hidesPkce = true;
    const agent = start();
    actAsUser(agent);
    await greet(agent);
    expect(errorsOf(agent)[0]).toContain("doesn't say that it supports PKCE (S256), which MCP requires.");
    expect(requests(agent, "open_url")).toEqual([]);
  });

  it("works for two servers at one address at once", async () => {
    const agent = bench.start({ servers: { far: { url: servers.url }, near: { url: servers.url } } });
    const pages: string[] = [];
    actAsUser(agent, {
      async open(page) {
        pages.push(page);
        if (pages.length === 2) for (const one of pages) await browse(one);
      },
    });
    await greet(agent);
    expect(errorsOf(agent)).toEqual([]);
    expect(pages).toHaveLength(2);
  });

  it("uses the client of the entry", async () => {
    servers.behavior.hasFixedClients = true;
    const agent = start({ oauth: { clientId: "mine", scopes: ["unused"] } });
    actAsUser(agent);
    expect(outcomeText(await bench.callTool(agent, TOOL, { text: "hi" }))).toBe("echo: hi");
    expect(String(requests(agent, "open_url")[0]?.url)).toContain("client_id=mine");
  });

  it("never opens an unsafe page", async () => {
    servers.behavior.authorizationEndpoint = "http://auth.example/authorize";
    const agent = start();
    actAsUser(agent);
    await greet(agent);
    expect(errorsOf(agent)[0]).toContain("its sign-in service isn't safe: http://auth.example doesn't use https.");
    expect(requests(agent, "open_url")).toEqual([]);
  });

  it("doesn't ask in a headless run", async () => {
    bench.model.enqueue(reply("hello"));
    const agent = start({ args: ["--mode", "json", "hi"] });
    await agent.end();
    expect(agent.stderr).toContain("you aren't signed in");
    expect(servers.asked).toEqual([]);
  });
});

describe("the token for an MCP server", () => {
  it("is refreshed once for all calls that find it expired", async () => {
    const agent = await signedIn();
    servers.expire();
    servers.asked.length = 0;
    bench.model.enqueue(reply([toolCall(TOOL, { text: "a" }), toolCall(TOOL, { text: "b" })]), reply("ok"));
    const frames = await agent.run("go");
    expect(frames.filter(({ type, isError }) => type === "tool_execution_end" && isError !== false)).toEqual([]);
    expect(servers.asked).toEqual(["token refresh_token"]);
  });

  it("is asked for again when it can't be refreshed", async () => {
    const agent = await signedIn();
    servers.expire();
    servers.behavior.refusesRefresh = true;
    servers.asked.length = 0;
    expect(outcomeText(await bench.callTool(agent, TOOL, { text: "hi" }))).toBe("echo: hi");
    // The client is still registered.
    expect(servers.asked).toEqual(["token refresh_token", "authorize read", "token authorization_code"]);
  });

  it("is refreshed also by a service that grants less than the server names", async () => {
    servers.behavior.namedScope = "read write";
    const agent = await signedIn();
    servers.expire();
    servers.asked.length = 0;
    expect(outcomeText(await bench.callTool(agent, TOOL, { text: "hi" }))).toBe("echo: hi");
    expect(servers.asked).toEqual(["token refresh_token"]);
  });

  it("with more scopes is asked for once, if the user doesn't want it", async () => {
    const agent = start();
    let answer = agreeableAnswer;
    actAsUser(agent, { answer: (question) => answer(question) });
    await bench.callTool(agent, TOOL, { text: "hi" });
    servers.behavior.callScope = "write";
    answer = ({ method }) => (method === "select" ? "Not Now" : undefined);
    const before = titles(agent).length;
    for (let call = 0; call < 2; call += 1) expect(outcome(await bench.callTool(agent, TOOL)).isError).toBe(true);
    expect(titles(agent)).toHaveLength(before + 1);
  });

  it("stays when the user cancels signing in again", async () => {
    const agent = start();
    let answer = agreeableAnswer;
    actAsUser(agent, { answer: (question) => answer(question), open: (url) => (isOpening ? browse(url) : undefined) });
    let isOpening = true;
    await bench.callTool(agent, TOOL, { text: "hi" });
    isOpening = false;
    answer = choosing("far:", "Sign In Again", "Cancel");
    await agent.call("prompt", { message: "/mcp" });
    await expect.poll(() => requests(agent, "notify").at(-1)?.message).toBe("far: running, 1 tool");
    expect(outcomeText(await bench.callTool(agent, TOOL, { text: "hi" }))).toBe("echo: hi");
  });

  it("gets more scopes in one sign-in for all calls that need them", async () => {
    const agent = await signedIn();
    servers.behavior.callScope = "write";
    servers.asked.length = 0;
    bench.model.enqueue(reply([toolCall(TOOL, { text: "a" }), toolCall(TOOL, { text: "b" })]), reply("ok"));
    const frames = await agent.run("go");
    expect(frames.filter(({ type, isError }) => type === "tool_execution_end" && isError !== false)).toEqual([]);
    expect(servers.asked).toEqual(["authorize write read", "token authorization_code"]);
  });

  it("that another agent got is used without a second browser", async () => {
    const [agent, other] = [start(), start()];
    const questions: Frame[] = [];
    actAsUser(other, { answer: (question) => void questions.push(question) });
    bench.model.enqueue(reply("hello"));
    const waiting = other.run("hi");
    await expect.poll(() => questions.length).toBe(1);
    actAsUser(agent);
    await bench.callTool(agent, TOOL, { text: "hi" });
    other.send({ type: "extension_ui_response", id: questions[0]?.id, value: "Sign In" });
    await waiting;
    expect(outcomeText(await bench.callTool(other, TOOL, { text: "too" }))).toBe("echo: too");
    expect(requests(other, "open_url")).toEqual([]);
  });

  it("goes to no server that the right one redirects to", async () => {
    const agent = await signedIn();
    const other = await OAuthServers.start();
    servers.behavior.redirect = other.url;
    expect(outcome(await bench.callTool(agent, TOOL)).isError).toBe(true);
    expect(other.authorizations).toEqual([]);
    other.stop();
  });

  it("isn't asked of a service that the right one redirects to", async () => {
    const other = await OAuthServers.start();
    servers.behavior.tokenRedirect = other.url;
    const agent = start();
    actAsUser(agent);
    await greet(agent);
    expect(errorsOf(agent)[0]).toContain("signing in failed: HTTP 307");
    expect(other.authorizations).toEqual([]);
    other.stop();
  });

  it("is in no frame, log, or session file", async () => {
    const sessions = join(bench.folder, "sessions");
    const agent = start({ args: ["--verbose", "--session-dir", sessions] });
    actAsUser(agent);
    await bench.callTool(agent, TOOL, { text: "hi" });
    servers.expire();
    servers.behavior.refusesRefresh = true; // with an answer that repeats the request
    servers.behavior.refusesCodes = true;
    await bench.callTool(agent, TOOL, { text: "hi" });
    servers.behavior.refusal = "planted-refusal";
    await bench.callTool(agent, TOOL, { text: "hi" });
    await agent.end();
    expect(readFileSync(credentialsFile(agent), "utf8")).toContain("planted-access");
    const told = Buffer.concat(agent.stdout).toString() + agent.stderr + contentOf(sessions);
    expect(told).toContain("planted-refusal");
    expect(told.match(/planted-(?!refusal)[\w-]+/g)).toBeNull();
  });

  it("of a broken file is none, and the file stays", async () => {
    const agent = start();
    const file = credentialsFile(agent);
    await agent.end();
    writeFileSync(file, '{"planted-access": ');
    const next = start();
    actAsUser(next, { answer: agreeableAnswer });
    expect(outcomeText(await bench.callTool(next, TOOL, { text: "hi" }))).toBe("echo: hi");
    expect(readFileSync(file, "utf8")).toBe('{"planted-access": ');
    expect(next.stderr).toContain(`${file} is skipped: it isn't a file of Tiller's.`);
    expect(next.stderr).not.toContain("planted-");
  });
});

function contentOf(folder: string): string {
  if (!existsSync(folder)) return "";
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")).join("\n");
}
