import { run } from "./processes.mjs";
import { ExpectedError } from "./report.mjs";

/** Codes of npm and Node for problems that the user can fix, with advice. */
const ADVICE = [
  [
    /could not be started: .*ENOENT/,
    "npm comes with Node from https://nodejs.org; Debian has it as a package: apt-get install npm.",
  ],
  [/\bENOSPC\b/, "The disk is full. Free about 2 GB."],
  [/\b(EROFS|EACCES|EPERM)\b/, "The folder is not writable. Give it to your user (chown), or use a copy of your own."],
  [
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/,
    "Couldn't reach the npm registry. Check your network. If you use a proxy or a private registry, set npm's `proxy`, `https-proxy` or `registry` in ~/.npmrc.",
  ],
  [
    /\b(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT)\b/,
    "The registry's certificate is not trusted. Name your organization's: npm config set cafile /path/to/ca.pem, or set NODE_EXTRA_CA_CERTS.",
  ],
  [/\b(E401|E403|ENEEDAUTH)\b/, "The npm registry wants you to log in: npm login."],
];

/** Runs npm to its end. If it fails, the message says why and gives the command to run by hand. */
export async function runNpm(args, { byHand, ...options }) {
  try {
    await run("npm", args, options);
  } catch (error) {
    const said = error.message.split("\n").filter((line) => !isDump(line));
    const advice = ADVICE.find(([code]) => code.test(error.message))?.[1];
    throw new ExpectedError(
      [...said, ...(advice ? [advice] : []), `To try by hand, then run the same command again:\n  ${byHand}`].join(
        "\n",
      ),
    );
  }
}

/** True for a line of a system error that npm prints as Node prints objects. */
function isDump(line) {
  return /^npm error\s+((errno|code|syscall|path|dest): .*|[{}]?)$/.test(line);
}
