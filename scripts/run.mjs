// The one way in: `node scripts/run.mjs <job> [arguments]`. It needs nothing but Node, installs what is missing and goes on with
// the Node that the lock file pins. This file stays readable for old versions of Node, so that they can print the message.
const MINIMUM_NODE = [20, 18];

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor < MINIMUM_NODE[1])) {
  console.error(
    "Tiller needs Node " +
      MINIMUM_NODE.join(".") +
      " or later, and this is " +
      process.versions.node +
      ". Get one from https://nodejs.org.",
  );
  process.exit(1);
}
const { main } = await import("./lib/main.mjs");
process.exitCode = await main(process.argv.slice(2));
