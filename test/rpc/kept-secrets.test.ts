import { describe, expect, it } from "vitest";
import { KeptSecrets } from "../../agent/rpc/load/kept-secrets.ts";
import { HostSecretBridge } from "../../agent/rpc/wire/host-secrets.ts";

/** Secrets with a host whose calls of these actions fail, and a file. */
function open({ host = {}, file = {} }: { host?: Record<string, string>; file?: Record<string, string> } = {}) {
  const [atHost, inFile] = [new Map(Object.entries(host)), new Map(Object.entries(file))];
  const failing = new Set<string>();
  const hosted = async <T>(action: string, work: () => T) => {
    if (failing.has(action)) throw new Error("The keychain is locked.");
    return work();
  };
  const secrets = new KeptSecrets({
    host: {
      isOffered: true,
      get: (key) => hosted("get", () => atHost.get(key)),
      store: (key, value) => hosted("store", () => void atHost.set(key, value)),
      delete: (key) => hosted("delete", () => void atHost.delete(key)),
    },
    file: {
      read: async (key) => inFile.get(key),
      write: async (key, value) => void inFile.set(key, value),
      remove: async (key) => void inFile.delete(key),
    },
    warn: () => undefined,
  });
  return { secrets, atHost, inFile, failing };
}

describe("a secret that the host couldn't store", () => {
  it("is read from the file, since it is newer than the host's, and moves to the host once that can store it", async () => {
    const { secrets, atHost, inFile, failing } = open({ host: { far: "old" } });
    failing.add("store");
    await secrets.write("far", "new");
    expect(await secrets.read("far")).toBe("new");
    expect([atHost.get("far"), inFile.get("far")]).toEqual(["old", "new"]);
    failing.clear();
    expect(await secrets.read("far")).toBe("new");
    expect([atHost.get("far"), inFile.get("far")]).toEqual(["new", undefined]);
  });
});

describe("a secret that the host can't read for a moment", () => {
  it.each(["read", "write"] as const)("is the one of the last %s", async (way) => {
    const { secrets, failing } = open({ host: { far: "kept" } });
    if (way === "read") await secrets.read("far");
    else await secrets.write("far", "kept");
    failing.add("get");
    expect(await secrets.read("far")).toBe("kept");
    expect(await secrets.read("near")).toBeUndefined();
    await secrets.remove("far");
    expect(await secrets.read("far")).toBeUndefined();
  });
});

describe("a change of a secret that the host can't read for a moment", () => {
  const also = (more: string) => (before: string | undefined) => `${before ?? ""}${more}`;

  it("loses nothing of what the host has", async () => {
    const { secrets, atHost, inFile, failing } = open({ host: { far: "client" } });
    failing.add("get");
    await secrets.change("far", also("+tokens"));
    await secrets.change("far", also("+more"));
    expect([atHost.get("far"), inFile.get("far")]).toEqual(["client", "+tokens+more"]);
    expect(await secrets.read("far")).toBe("+tokens+more");
    failing.clear();
    expect(await secrets.read("far")).toBe("client+tokens+more");
    expect([atHost.get("far"), inFile.get("far")]).toEqual(["client+tokens+more", undefined]);
    expect(await secrets.read("far")).toBe("client+tokens+more");
  });

  it("is made to the last value that is known", async () => {
    const { secrets, atHost, failing } = open({ host: { far: "client" } });
    await secrets.read("far");
    failing.add("get");
    await secrets.change("far", also("+tokens"));
    expect(atHost.get("far")).toBe("client+tokens");
  });
});

describe("a secret that the host can't delete", () => {
  it("leaves the file, and its removal fails", async () => {
    const { secrets, inFile, failing } = open({ host: { far: "old" }, file: { far: "new" } });
    failing.add("delete");
    const failure = "The host couldn't delete the secret: The keychain is locked.";
    await expect(secrets.remove("far")).rejects.toThrow(failure);
    expect(inFile.size).toBe(0);
  });
});

describe("a host that doesn't answer", () => {
  it("is asked only once", async () => {
    const asked: object[] = [];
    const host = new HostSecretBridge((frame) => asked.push(frame), 1);
    host.offer();
    await expect(host.get("far")).rejects.toThrow("The host didn't answer in time.");
    await expect(host.store("far", "new")).rejects.toThrow("The host didn't answer in time.");
    expect(asked).toHaveLength(1);
  });
});
