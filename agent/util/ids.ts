/** A UUIDv7: sorts by time of creation. No secret, as it can be guessed. @param now Unix time in milliseconds. */
export function uuidv7(now = Date.now()): string {
  const bytes = looseBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Eight hex digits that are not yet `isTaken`. */
export function entryId(isTaken: (id: string) => boolean): string {
  for (;;) {
    const id = looseBytes(4).toString("hex");
    if (!isTaken(id)) return id;
  }
}

/** Loading Node's generator for secrets would take a twentieth of the agent's start. */
function looseBytes(count: number): Buffer {
  return Buffer.from(Array.from({ length: count }, () => Math.floor(Math.random() * 256)));
}
