import { existsSync } from "node:fs";
import { type CommandView, hasLong } from "./command-view.ts";
import { pathsOf } from "./folders.ts";

/** Tools of a trade with the subcommands that one rule may allow with whatever follows; `*` for any arguments of the tool itself. */
const WILD: Record<string, string> = {
  npm: "run run-script test t start ci audit outdated",
  pnpm: "run test build lint start audit",
  yarn: "run test build lint start",
  bun: "run test build",
  deno: "test lint fmt check task",
  cargo: "build b check c test t clippy fmt doc run r bench tree metadata nextest",
  go: "build test vet fmt run mod generate list doc",
  git: "add commit fetch pull stash switch merge cherry-pick revert",
  dotnet: "build test format restore run",
  mvn: "compile test verify package",
  gradle: "build test check assemble",
  "./gradlew": "build test check assemble",
  "./mvnw": "compile test verify package",
  swift: "build test",
  mix: "test format compile",
  flutter: "test analyze format",
  dart: "test analyze format",
  terraform: "plan validate fmt",
  kubectl: "get describe logs top",
  docker: "build logs pull",
  bazel: "build test query",
  ruff: "check format",
};
const WILD_TOOLS =
  "pytest vitest jest mocha ava eslint prettier stylelint tsc biome oxlint knip black isort mypy pyright flake8 pylint rubocop rspec phpunit phpstan gofmt goimports golangci-lint rustfmt clang-format clang-tidy shfmt webpack rollup vite esbuild turbo playwright cypress storybook tap madge depcheck svelte-check vue-tsc ninja".split(
    " ",
  );
const WILD_MODULES = "pytest unittest mypy black ruff flake8 pylint isort compileall doctest".split(" ");
const WILD_SECOND: Record<string, string> = { gh: "view list status diff checks" };
/** Words by which one tool runs another. */
const RUNNERS = [
  ["npx"],
  ["bunx"],
  ["pnpm", "exec"],
  ["yarn", "exec"],
  ["uv", "run"],
  ["poetry", "run"],
  ["pipenv", "run"],
  ["bundle", "exec"],
  ["pdm", "run"],
  ["hatch", "run"],
  ["rye", "run"],
];

const READ_SUBCOMMANDS: Record<string, string> = {
  npm: "ls list ll la view info show explain why root prefix bin help",
  pnpm: "list ls why root bin",
  yarn: "list why info",
  pip: "list show freeze check",
  pip3: "list show freeze check",
  go: "version",
  docker: "ps images version info inspect top port diff history",
  brew: "list info",
  rustup: "show",
  nvm: "ls list current",
};
const VERSION_TOOLS = new Set(
  "node python python3 ruby perl php java javac gcc g++ cc clang make cmake rustc rustup kubectl helm gh pip pip3 uv poetry brew bundle gem mix elixir swift rg curl wget docker tar zip unzip jq".split(
    " ",
  ),
);
/** Options that make a tool run something else than the project has it run. */
const RUNS_ELSE: Record<string, RegExp> = {
  go: /^--?(exec|toolexec|vettool|overlay|modfile)\b|extld|^[^-].*@/,
  cargo: /^--config\b/,
  docker: /^--(privileged|pid|userns|device|cap-add)\b/,
  kubectl: /^--(kubeconfig|server|token|user|as|context|cluster|username|password|insecure)|^-s/,
  bazel: /^--(run_under|shell_executable|override_|\w*_base|\w*root)/,
  ninja: /^-f/,
  pip: /^--(log|python|target|root|prefix)|^-t/,
  pip3: /^--(log|python|target|root|prefix)|^-t/,
};
/** Settings of `npm` and its like that do the same, also shortened. */
const NPM_SETTINGS =
  "script-shell shell shell-emulator node-options userconfig globalconfig prefix cache git editor viewer logs-dir init-module local-prefix onload-script".split(
    " ",
  );
/** Options by which tools are told where to work or to write. */
const PLACE_OPTION =
  /^(-C|-o|--(prefix|cwd|dir|directory|project|manifest-path|target-dir|out|outdir|out-dir|outDir|outfile|output|output-dir|output-file|rootdir|basetemp|work-tree|chdir|install-dir|destdir))(?:=([\s\S]*))?$/;

/** Whether a known tool only tells something. */
export function isTelling({ name, args }: CommandView): boolean {
  const [first, ...others] = args.map(({ value }) => value);
  if (name.includes("/")) return false; // a file of the workspace may be anything
  const isKnown = Object.hasOwn(WILD, name) || WILD_TOOLS.includes(name) || VERSION_TOOLS.has(name);
  if (isKnown && others.length === 0 && /^(--version|-V|-v|version|--help|-h)$/.test(first ?? "")) return true;
  const subcommands = Object.hasOwn(READ_SUBCOMMANDS, name) ? READ_SUBCOMMANDS[name] : undefined;
  const isPlain = others.every(
    (value) =>
      value !== undefined && !/^--?(g|global|prefix|C|script|format.*exec)/.test(value) && !runsOther(name, value),
  );
  return subcommands?.split(" ").includes(first ?? "") === true && isPlain;
}

/** Looks for what takes a tool out of the workspace. */
export function judgeTool(view: CommandView): void {
  view.raise("changes");
  const { name, args } = view;
  const end = args.findIndex(({ value }) => value === "--");
  for (const [index, word] of args.entries()) {
    const { value } = word;
    if (value === undefined || (end !== -1 && index > end && /^(npm|pnpm)$/.test(name))) continue;
    if (runsOther(name, value)) view.cannot(`${value} decides what ${name} runs`);
    const [, , , inline] = PLACE_OPTION.exec(value) ?? [];
    const place = inline === undefined ? args[index + 1] : { ...word, value: inline };
    if (PLACE_OPTION.test(value) && place !== undefined && place.value !== "-") judgePlace(view, place);
  }
  if (fixedWords([name, ...args.map(({ value }) => value)]) !== undefined) judgeNamedPaths(view);
  const { options } = view.parse();
  if (
    /^(npm|pnpm|bun)$/.test(name) &&
    (options.includes("g") || hasLong(options, "global", 4) || options.includes("location"))
  ) {
    view.never("writes outside the workspace: packages for all projects");
  }
  if (/^(yarn|cargo|go|gem|pipx)$/.test(name) && /^(global|install)$/.test(args[0]?.value ?? "")) {
    view.never(`writes outside the workspace: programs of ${name}`);
  }
  if (name === "brew" || name === "port" || name === "nix-env") view.never("changes the system");
  if (name === "docker") judgeVolumes(view);
}

/** A rule with a star would allow whatever paths a tool is given. */
export function judgeNamedPaths(view: CommandView): void {
  const { places } = view.judge;
  for (const word of view.args) {
    const [, path] = /^(?:--?[\w-]+=)?((?:\/|~\/|\.\.(?:\/|$))\S*)$/.exec(word.value ?? "") ?? [];
    if (path === undefined || (path.startsWith("/") && !existsSync(`/${path.split("/")[1]}`))) continue;
    const home = path.startsWith("~/") ? `${places.home}${path.slice(1)}` : path;
    for (const one of pathsOf({ ...word, value: home }, view.folders) ?? []) {
      const place = places.locate(one);
      const shown = places.show(place);
      if (place.kind === "outside") view.never(`names what is outside the workspace: ${shown}`);
      if (place.kind === "guarded") view.never(`names a protected file: ${shown}`);
      if (place.kind === "temporary") view.raise("temporary", `names what is outside the workspace: ${shown}`);
    }
  }
}

/** Whether an option makes a tool run something else than it would. */
function runsOther(name: string, value: string): boolean {
  if (Object.hasOwn(RUNS_ELSE, name) && RUNS_ELSE[name]?.test(value) === true) return true;
  const option = /^--([^=]{2,})/.exec(value)?.[1];
  if (option === undefined || !/^(npm|pnpm)$/.test(name) || /^--(prefix|dir)(=|$)/.test(value)) return false;
  return option.startsWith("config.") || NPM_SETTINGS.some((one) => one.startsWith(option));
}

function judgePlace(view: CommandView, place: Parameters<CommandView["write"]>[0]): void {
  if (pathsOf(place, view.folders) !== undefined) view.write(place);
}

/** Folders that a container gets. */
function judgeVolumes(view: CommandView): void {
  const { values } = view.parse("v e p w u volume mount env publish name workdir user network entrypoint");
  const volume = values.get("v") ?? values.get("volume");
  const mount = /(?:^|,)(?:source|src)=([^,]*)/.exec(values.get("mount")?.value ?? "")?.[1];
  const host = volume?.value?.split(":", 1)[0] ?? mount;
  if (volume !== undefined && volume.value === undefined) view.cannot(`${volume.source} is known only when it runs`);
  if (host?.includes("/") || host?.startsWith(".")) view.write({ value: host, isGlob: false, source: host });
}

/**
 * How many words of a command a rule may keep before it allows any others behind them.
 * @returns undefined when the rule has to be the whole command.
 */
export function fixedWords(words: readonly (string | undefined)[]): number | undefined {
  const start = words.findIndex((word) => word === undefined || !/^[A-Za-z_]\w*=/.test(word));
  const command = words.slice(start);
  const runner = RUNNERS.find((one) => one.every((word, index) => command[index] === word));
  if (runner !== undefined) {
    const inner = fixedWords(command.slice(runner.length));
    return inner === undefined ? undefined : start + runner.length + inner;
  }
  const fixed = fixedOf(command);
  return fixed === undefined ? undefined : start + fixed;
}

function fixedOf([name, first, second]: readonly (string | undefined)[]): number | undefined {
  if (name === undefined) return undefined;
  if (WILD_TOOLS.includes(name)) return 1;
  if (first === undefined) return undefined;
  if (Object.hasOwn(WILD, name) && WILD[name]?.split(" ").includes(first)) return 2;
  if (/^python[\d.]*$/.test(name) && first === "-m" && second !== undefined && WILD_MODULES.includes(second)) return 3;
  if (second !== undefined && Object.hasOwn(WILD_SECOND, name) && WILD_SECOND[name]?.split(" ").includes(second))
    return 3;
  return undefined;
}
