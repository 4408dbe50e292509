// Parts of Node that are loaded at their first use: an import would cost every start milliseconds.

/** Returns `node:crypto`. */
export function crypto() {
  return process.getBuiltinModule("node:crypto");
}

/** Returns `node:vm`. */
export function vm() {
  return process.getBuiltinModule("node:vm");
}
