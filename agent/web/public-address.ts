import { BlockList, isIP } from "node:net";

/**
 * IPv4 addresses that don't lead to the internet, and those of cloud services that give machines their credentials.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 */
const NOT_PUBLIC_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
];

/** The net of all public IPv6 addresses except those of NAT64. Loopback, local, multicast, and mapped addresses are outside it. */
const PUBLIC_V6 = ["2000::/3"];
/**
 * Parts of that net that lead elsewhere, such as tunnels to an IPv4 address.
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const NOT_PUBLIC_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];

/** The prefix of NAT64, with which networks without IPv4 reach IPv4-only servers: the last two parts contain the IPv4 address. */
const NAT64 = "64:ff9b::";

let lists: { notV4: BlockList; v6: BlockList; notV6: BlockList } | undefined;

/** True for a public IP address; false for one of this machine or a private network, and for a text that isn't an IP address. */
export function isPublicAddress(address: string): boolean {
  lists ??= {
    notV4: blockList(NOT_PUBLIC_V4, "ipv4"),
    v6: blockList(PUBLIC_V6, "ipv6"),
    notV6: blockList(NOT_PUBLIC_V6, "ipv6"),
  };
  const { notV4, v6, notV6 } = lists;
  const [plain = ""] = address.split("%"); // the part behind it names a network card
  const family = isIP(plain);
  if (family === 4) return !notV4.check(plain, "ipv4");
  const behind = family === 6 ? behindNat64(plain) : undefined;
  if (behind !== undefined) return !notV4.check(behind, "ipv4");
  return family === 6 && v6.check(plain, "ipv6") && !notV6.check(plain, "ipv6");
}

/** @returns undefined if it isn't a NAT64 address. */
function behindNat64(address: string): string | undefined {
  const shortest = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const parts = shortest.startsWith(NAT64) ? shortest.slice(NAT64.length).split(":") : [];
  if (parts.length < 1 || parts.length > 2) return undefined;
  const [low = 0, high = 0] = parts.reverse().map((part) => Number.parseInt(part || "0", 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}

function blockList(nets: readonly string[], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const net of nets) {
    const [address = "", bits] = net.split("/");
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
