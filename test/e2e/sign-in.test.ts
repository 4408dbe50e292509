import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OAuthServers } from "../support/oauth-servers.ts";
import { useWorkbench } from "./support/workbench.ts";

const workbench = useWorkbench({ hasKey: false });
let servers: OAuthServers;

beforeAll(async () => {
  servers = await OAuthServers.start();
  // The web editor opens addresses of this machine through a proxy, which changes their query.
  servers.behavior.ignoresResource = true;
});
afterAll(() => servers.stop());

test("an MCP server that asks for a sign-in gets one in the browser", async () => {
  const folder = join(workbench().server.home, ".tiller", "agent");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { far: { url: servers.url } } }));
  const opened = await workbench().openChat();
  await opened.send("help");
  const asked = opened.question(/^MCP server "far" asks you to sign in at 127\.0\.0\.1:\d+\.$/);
  await asked.waitFor();
  await workbench().screenshot(opened.page, "sign-in-asked");
  const [page] = await Promise.all([
    opened.page.context().waitForEvent("page"),
    asked.getByRole("button", { name: "Sign In", exact: true }).click(),
  ]);
  await page.getByText("Tiller has received your sign-in.").waitFor();
  await opened.chat.getByText("No longer needed").waitFor();
  await opened.chat.getByText("I'm Tiller's demo, not a language model.").waitFor();
  await workbench().screenshot(opened.page, "sign-in-done");
  expect(await opened.chat.getByText("code_challenge").count()).toBe(0);
  expect(servers.asked).toEqual(["register", "authorize read", "token authorization_code"]);
  // Its tokens are in the editor's secret storage.
  expect(existsSync(join(folder, "mcp-credentials.json"))).toBe(false);
});

test("a sign-in that was declined begins with a click on its notice", async () => {
  const folder = join(workbench().server.home, ".tiller", "agent");
  writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { second: { url: servers.url } } }));
  const opened = await workbench().newChat();
  await opened.send("help");
  const asked = opened.question(/^MCP server "second" asks you to sign in/);
  await asked.getByRole("button", { name: "Not Now", exact: true }).click();
  await opened.chat.getByText("You aren't signed in to MCP server second").waitFor();
  await opened.chat.getByRole("button", { name: "Sign In", exact: true }).click();
  await asked.waitFor();
  await workbench().screenshot(opened.page, "sign-in-again");
});
