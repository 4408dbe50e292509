const { connect } = require("node:net");
const { createInterface } = require("node:readline");
const { runInThisContext } = require("node:vm");
const vscode = require("vscode");

exports.activate = (context) => {
  const socket = connect(process.env.TILLER_TEST_BRIDGE);
  context.subscriptions.push({ dispose: () => socket.destroy() });
  createInterface({ input: socket }).on("line", (line) => answer(socket, JSON.parse(line)));
};

async function answer(socket, { id, source, argument }) {
  const reply = { id };
  try {
    const run = runInThisContext(`(${source})`);
    reply.value = await run(vscode, argument);
  } catch (error) {
    reply.error = error?.stack ?? String(error);
  }
  socket.write(`${JSON.stringify(reply)}\n`);
}
