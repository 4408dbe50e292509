/**
 * Escapes a text of the model or another party for a notification. The editor turns `[words](command:…)` into a link that runs a command; with a
 * zero-width character in it, it stays plain text.
 */
export function notificationText(text: string): string {
  return text.replaceAll("](", "]\u200b(");
}
