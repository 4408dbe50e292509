import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { containedEnv } from "../../agent/sandbox/contained-env.ts";
import { refusalIn } from "../../agent/sandbox/refusals.ts";

const hidden = ["/work/.env"];

it.each([
  ["touch: cannot touch '/etc/x': Read-only file system", "writing outside the workspace or to a protected file"],
  ["mv: cannot move '.git' to 'x': Device or resource busy", "changing a protected file"],
  ["npm error code EAI_AGAIN", "connecting to the network"],
  ["fatal: unable to access 'https://x/': Could not resolve host: x", "connecting to the network"],
  ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock", "talking to a service of this machine"],
  ["cat: .env: Permission denied", "reading .env, which may hold secrets"],
  ["bash: ./run.sh: Permission denied", undefined],
  ["1 test failed: expected EPERM", undefined],
  ["Error: Cannot find module 'x' (ERR_MODULE_NOT_FOUND)", undefined],
])("of %j is %j", async (output, refused) => {
  expect(await refusalIn(output, { hosts: [], hidden, isReadOnly: false })).toBe(refused);
});

it("are those of hosts first, and those of servers of this machine that answer outside", async () => {
  expect(await refusalIn("anything", { hosts: ["a.test", "a.test"], hidden, isReadOnly: false })).toBe(
    "connecting to a.test",
  );
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const output = `Error: connect ECONNREFUSED 127.0.0.1:${port}`;
  expect(await refusalIn(output, { hosts: [], hidden, isReadOnly: false })).toBe(
    `connecting to port ${port} of this machine`,
  );
  server.close();
  await once(server, "close");
  expect(await refusalIn(output, { hosts: [], hidden, isReadOnly: false })).toBeUndefined();
});

it("don't concern variables that are no secrets and lead to no service", () => {
  const secrets = { DB_PASS: "x", GITHUB_TOKEN: "x", MY_API_KEY: "x", URL: "postgres://u:longpassword@h/x" };
  const services = { SSH_AUTH_SOCK: "/s", DOCKER_HOST: "x", VSCODE_IPC_HOOK_CLI: "x", https_proxy: "http://outside" };
  const plain = { PATH: "/bin", KEYBOARD: "de", NODE_ENV: "test", COMPASS: "n" };
  const env = containedEnv({ ...secrets, ...services, ...plain }, undefined);
  expect(env).toEqual({ ...plain, TMPDIR: "/tmp", TILLER_SANDBOX: "1" });
  expect(containedEnv({}, "127.0.0.1:9")).toMatchObject({ https_proxy: "http://127.0.0.1:9", NODE_USE_ENV_PROXY: "1" });
});
