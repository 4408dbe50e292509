import { connect } from "node:net";
import { basename } from "node:path";

const PERMISSIONS = "permissions that it doesn't have";
const NETWORK = "connecting to the network";
const WRITING = "writing outside the workspace or to a protected file";
const WRITING_AT_ALL = "writing, since commands may only read";
/** The words that programs print when the sandbox stops them, with what it refused. The first that matches is told. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/read-only file system|\bEROFS\b/i, WRITING],
  [
    /(cannot|can't|could not|couldn't|unable to) (move|remove|rename|write|lock)[^\n]*(device or resource busy|EBUSY)/i,
    "changing a protected file",
  ],
  [
    /could(n't| not) resolve|temporary failure in name resolution|name or service not known|nodename nor servname|network is unreachable|no address associated|failed to lookup address|dns error|\b(EAI_AGAIN|ENETUNREACH|ENOTFOUND)\b|getaddrinfo|dial (tcp|udp): lookup/i,
    NETWORK,
  ],
  [
    /received HTTP code 403 from proxy|CONNECT tunnel failed, response 403|tunneling socket could not be established|proxy[^\n]{0,60}\b403\b/i,
    NETWORK,
  ],
  [
    /cannot connect to the docker daemon|docker\.sock|podman\.sock|failed to connect to bus/i,
    "talking to a service of this machine",
  ],
  [
    /must be superuser|no new privileges|effective uid is not 0|(mount|ptrace|setns)[^\n]*operation not permitted/i,
    PERMISSIONS,
  ],
];
const DENIED = /permission denied|\bEACCES\b/i;
const NOT_PERMITTED = /operation not permitted|\bEPERM\b/i;
const ANYTHING = "writing outside the workspace, connecting, opening a port, or using a service of this machine";
/** A server of this machine, which has a network of its own, that did not answer. */
const LOCAL_PORT = /(?:127\.0\.0\.1|localhost|\[?::1\]?)\D{1,20}(\d{2,5})\b/g;
const MAX_PORTS = 5;
const CONNECT_MS = 300;

interface Refused {
  /** Hosts to which no connection was allowed while the command ran. */
  hosts: readonly string[];
  /** Files that it couldn't read. */
  hidden: readonly string[];
  /** True if it could write only temporary files. */
  isReadOnly: boolean;
  /** True in the sandbox of macOS, which answers everything in the same way. */
  isSeatbelt?: boolean;
}

/** Returns what a sandbox seems to have refused a command that failed; undefined if its failure looks like its own. */
export async function refusalIn(
  output: string,
  { hosts, hidden, isReadOnly, isSeatbelt = false }: Refused,
): Promise<string | undefined> {
  if (hosts.length > 0) return `connecting to ${[...new Set(hosts)].slice(0, 4).join(", ")}`;
  const sign = SIGNS.find(([words]) => words.test(output))?.[1];
  if (sign !== undefined) return sign === WRITING && isReadOnly ? WRITING_AT_ALL : sign;
  const isDenied = DENIED.test(output) || (isSeatbelt && NOT_PERMITTED.test(output));
  const file = isDenied ? hidden.find((path) => output.includes(basename(path))) : undefined;
  if (file !== undefined) return `reading ${basename(file)}, which may hold secrets`;
  if (isSeatbelt && NOT_PERMITTED.test(output)) return isReadOnly ? WRITING_AT_ALL : ANYTHING;
  const port = /refused/i.test(output) ? await openPort(output) : undefined;
  return port === undefined ? undefined : `connecting to port ${port} of this machine`;
}

/** Returns a port that the output names and at which a server answers outside. */
async function openPort(output: string): Promise<number | undefined> {
  const named = [...output.matchAll(LOCAL_PORT)].map(([, digits]) => Number(digits));
  const ports = [...new Set(named)].filter((port) => port < 65_536).slice(0, MAX_PORTS);
  const areOpen = await Promise.all(ports.map(isOpen));
  return ports.find((_, at) => areOpen[at]);
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, timeout: CONNECT_MS });
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket
      .once("connect", () => end(true))
      .once("error", () => end(false))
      .once("timeout", () => end(false));
  });
}
