/** What programs print when the sandbox stops them, and what it refused in words. The first that matches is told. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/read-only file system|\bEROFS\b/i, "writing outside the workspace or to a protected file"],
  [
    /(cannot|can't|could not|couldn't|unable to) (move|remove|rename|write|lock)[^\n]*(device or resource busy|EBUSY)/i,
    "changing a protected file",
  ],
  [
    /could(n't| not) resolve|temporary failure in name resolution|name or service not known|nodename nor servname|network is unreachable|no address associated|failed to lookup address|dns error|\b(EAI_AGAIN|ENETUNREACH|ENOTFOUND)\b|getaddrinfo|dial (tcp|udp)\b/i,
    "connecting to the network",
  ],
  [
    /received HTTP code 403 from proxy|CONNECT tunnel failed, response 403|tunneling socket could not be established|proxy[^\n]{0,60}\b403\b/i,
    "connecting to the network",
  ],
  [
    /cannot connect to the docker daemon|docker\.sock|podman\.sock|dbus\S* socket|failed to connect to bus/i,
    "talking to a service of this machine",
  ],
  [
    /operation not permitted|\bEPERM\b|must be superuser|no new privileges|effective uid is not 0|setuid root/i,
    "permissions that it doesn't have",
  ],
  [/permission denied|\bEACCES\b/i, "reading a file that may hold secrets, or permissions that it doesn't have"],
];

/**
 * Returns what a sandbox seems to have refused a command that failed; undefined if its failure looks like its own.
 * @param hosts to which no connection was allowed while it ran.
 */
export function refusalIn(output: string, hosts: readonly string[]): string | undefined {
  if (hosts.length > 0) return `connecting to ${[...new Set(hosts)].slice(0, 4).join(", ")}`;
  return SIGNS.find(([sign]) => sign.test(output))?.[1];
}
