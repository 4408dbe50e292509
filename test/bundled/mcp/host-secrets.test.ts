import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { traceable } from "../../../extension/core/trace/trace-agent.ts";
import { McpBench, outcomeText } from "../../support/mcp-fixtures.ts";
import { OAuthServers } from "../../support/oauth-servers.ts";
import { keepSecrets } from "../../support/secret-host.ts";
import { actAsUser } from "../../support/signing-user.ts";
import type { AgentUnderTest } from "../../support/spawn-agent.ts";

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

function start(): AgentUnderTest {
  return bench.start({ servers: { far: { url: servers.url } } });
}

async function echo(agent: AgentUnderTest): Promise<string> {
  return outcomeText(await bench.callTool(agent, TOOL, { text: "hi" }));
}

function credentialsFile(agent: AgentUnderTest): string {
  return join(agent.agentDir, "mcp-credentials.json");
}

function filed(agent: AgentUnderTest): string {
  return existsSync(credentialsFile(agent)) ? readFileSync(credentialsFile(agent), "utf8") : "";
}

describe("a host that keeps secrets", () => {
  it("gets the tokens of a sign-in, and the next agent needs none", async () => {
    const secrets = new Map<string, string>();
    const agent = start();
    actAsUser(agent);
    await keepSecrets(agent, { secrets });
    expect(await echo(agent)).toBe("echo: hi");
    expect(existsSync(credentialsFile(agent))).toBe(false);
    expect([...secrets.keys()]).toEqual([servers.url]);
    const next = start();
    await keepSecrets(next, { secrets });
    servers.asked.length = 0;
    expect(await echo(next)).toBe("echo: hi");
    expect(servers.asked).toEqual([]);
  });

  it("takes over the tokens of the file", async () => {
    const alone = start();
    actAsUser(alone);
    await echo(alone);
    expect(filed(alone)).toContain("planted-");
    await alone.end();
    const secrets = new Map<string, string>();
    const agent = start();
    await keepSecrets(agent, { secrets });
    servers.asked.length = 0;
    expect(await echo(agent)).toBe("echo: hi");
    expect(servers.asked).toEqual([]);
    expect(secrets.get(servers.url)).toContain("planted-");
    expect(filed(agent)).not.toContain("planted-");
  });

  it("shares a refreshed token among agents that run at once", async () => {
    const secrets = new Map<string, string>();
    const agents = [start(), start()];
    for (const agent of agents) {
      actAsUser(agent);
      await keepSecrets(agent, { secrets });
      await echo(agent);
    }
    servers.expire();
    servers.asked.length = 0;
    for (const agent of agents) expect(await echo(agent)).toBe("echo: hi");
    expect(servers.asked).toEqual(["token refresh_token"]);
  });

  /** Starts an agent whose user signs in, and out with `/mcp`. */
  function startForSignOut(): AgentUnderTest {
    const agent = start();
    const choices = ["far:", "Sign Out"];
    actAsUser(agent, {
      answer({ method, options }) {
        if (method !== "select" || !Array.isArray(options) || options.includes("Cancel")) return undefined;
        if (options.includes("Not Now")) return "Sign In";
        const next = options.find((option) => String(option).startsWith(choices[0] ?? "\0"));
        if (next !== undefined) choices.shift();
        return next;
      },
    });
    return agent;
  }

  it("forgets them after a sign-out", async () => {
    const secrets = new Map<string, string>();
    const agent = startForSignOut();
    await keepSecrets(agent, { secrets });
    await echo(agent);
    expect(secrets.size).toBe(1);
    await agent.call("prompt", { message: "/mcp" });
    await expect.poll(() => secrets.size).toBe(0);
  });

  it("that can't forget them says so", async () => {
    const agent = startForSignOut();
    const fails = (action: string) => (action === "delete" ? "The keychain is locked." : undefined);
    await keepSecrets(agent, { secrets: new Map(), fails });
    await echo(agent);
    const from = agent.frames.length;
    await agent.call("prompt", { message: "/mcp" });
    const told = await agent.waitFor(({ method }) => method === "notify", from);
    expect(told.message).toBe("Couldn't sign out of far: The host couldn't delete the secret: The keychain is locked.");
  });

  it("that fails leaves them to the file", async () => {
    const agent = start();
    actAsUser(agent);
    await keepSecrets(agent, { secrets: new Map(), fails: () => "The keychain is locked." });
    expect(await echo(agent)).toBe("echo: hi");
    expect(filed(agent)).toContain("planted-");
    expect(statSync(credentialsFile(agent)).mode & 0o777).toBe(0o600);
    expect(agent.stderr).toContain("The keychain is locked.");
  });

  it("leaves no secret in a log or in its trace of the wire", async () => {
    const secrets = new Map<string, string>();
    const agent = start();
    actAsUser(agent);
    await keepSecrets(agent, { secrets });
    await echo(agent);
    await agent.end();
    const next = start();
    await keepSecrets(next, { secrets });
    await echo(next);
    const frames = [...agent.frames, ...next.frames];
    expect(frames.filter(({ action }) => action === "store").length).toBeGreaterThan(0);
    const answer = { type: "host_secret_result", id: "1", secret: secrets.get(servers.url) };
    const wire = [...frames, answer, { id: "2", type: "host_secret_result", secret: "planted-other" }];
    expect(JSON.stringify(wire)).toContain("planted-");
    const traced = wire.map((frame) => traceable(JSON.stringify(frame)));
    expect(traced.join("\n")).not.toContain("planted-");
    expect(traceable('{"type":"host_secret_result","id":"1","secret":"planted-cut')).not.toContain("planted-");
    expect(agent.stderr + next.stderr).not.toContain("planted-");
  });
});
