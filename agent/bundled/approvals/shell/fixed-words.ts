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

/**
 * Returns the number of words that a rule fixes before it allows any others.
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
