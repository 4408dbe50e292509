/** Settings of git that start programs while it only reads: `git config` knows what each does. */
const GIT_SETTINGS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
];

/**
 * Returns the environment for a command that runs without a question: git starts no program of the repository, asks for no password and
 * fetches nothing, and `cd` goes where its word says. Settings that the environment already has for git stay.
 */
export function forReading(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const given = Number(env.GIT_CONFIG_COUNT ?? 0);
  const first = Number.isInteger(given) && given > 0 ? given : 0;
  const settings = GIT_SETTINGS.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...env,
    ...Object.fromEntries(settings),
    GIT_CONFIG_COUNT: String(first + GIT_SETTINGS.length),
    GIT_PAGER: "cat",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    CDPATH: "",
  };
}
