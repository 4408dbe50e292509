/** Most digits of a key are not needed: one that occurs in the message is never taken. */
const TAIL = /\n<\/attached ([0-9a-f]{16})>$/;

/**
 * Parts what was written from what a host has put behind it: `<attached key="K">`, lines of any kind, `</attached K>`, where K is 16
 * hexadecimal digits that occur nowhere else in the message. `attached` begins with the blank line before it, so that both together are the message.
 */
export function splitAttached(message: string): { text: string; attached: string } {
  const key = TAIL.exec(message)?.[1];
  const start = key === undefined ? -1 : message.indexOf(`<attached key="${key}">\n`);
  if (start === -1) return { text: message, attached: "" };
  const end = message.slice(0, start).endsWith("\n\n") ? start - 2 : start;
  return { text: message.slice(0, end), attached: message.slice(end) };
}
