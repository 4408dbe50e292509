import { readFile } from "node:fs/promises";

/** A line of the kernel's list of connections: a number, the own address and port, the other end, and the state. */
const LINE = /^\s*\d+: ([\dA-F]+):([\dA-F]{4}) [\dA-F]+:[\dA-F]{4} ([\dA-F]{2}) /;
const LISTENS = "0A";
/** The own addresses at which a server is reached from its machine, as the kernel writes them, and how to connect to them. */
const HOSTS: Readonly<Record<string, string>> = {
  "00000000": "127.0.0.1",
  "0100007F": "127.0.0.1",
  "00000000000000000000000000000000": "::1",
  "00000000000000000000000001000000": "::1",
  "0000000000000000FFFF00000100007F": "127.0.0.1",
};

/** Returns the ports on which servers listen in the network of a process, each with the address to connect to. Never rejects. */
export async function listeningPorts(pid: number): Promise<Map<number, string>> {
  const [four, six] = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/${pid}/net/${name}`, "utf8").catch(() => "")),
  );
  return portsIn(`${six}\n${four}`);
}

/** Returns the same for the text of such lists. Of several servers on a port, the last counts. */
export function portsIn(list: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const line of list.split("\n")) {
    const [, address = "", port = "", state] = LINE.exec(line) ?? [];
    const host = HOSTS[address];
    if (state === LISTENS && host !== undefined) found.set(Number.parseInt(port, 16), host);
  }
  return found;
}
