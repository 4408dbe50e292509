/**
 * A text of the model's or of anybody else's for a notification. The editor makes `[words](command:…)` a link that runs a command: with a mark
 * of no width in it, it stays what it looks like.
 */
export function notificationText(text: string): string {
  return text.replaceAll("](", "]\u200b(");
}
