/**
 * A shell command that looks for a key wherever a command of the model may look. The key comes from the file `$KEY_FILE`, so that the search
 * does not find itself.
 */
export const KEY_SEARCH = `{
  env; set; ps auxeww
  cat /proc/$PPID/environ /proc/$PPID/cmdline
  for process in /proc/[0-9]*; do cat "$process/environ" "$process/cmdline" 2>/dev/null; done
  printf '%s\\n' "$ANTHROPIC_API_KEY" "$OPENROUTER_API_KEY" "$TEAM_KEY"
} | tr '\\0' '\\n' > all.txt; printf 'found: '; grep -acF -f "$KEY_FILE" all.txt; grep -acF "$KEY_FILE" all.txt >/dev/null && echo searched`;

/** The output of `KEY_SEARCH` when the key is nowhere. */
export const NOTHING_FOUND = "found: 0\nsearched\n";
