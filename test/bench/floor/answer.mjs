// The least that a Node program can do to answer one line with one line.
process.stdin.once("data", () => {
  process.stdout.write('{"type":"response","command":"get_state","success":true}\n');
  process.stdin.destroy();
});
