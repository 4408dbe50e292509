import { plainName } from "../../util/secret-files.ts";

/**
 * Two kinds of names are kept from edits that nobody is asked about. The line is drawn where a file works without anybody asking for the
 * project to be run: what an editor, git, an agent, a package manager, a version manager or a server runs or obeys by itself. Sources, tests,
 * `Makefile`, `package.json` and the settings of compilers and linters are the project itself, and are free.
 */

/** These files decide what the agent, git or the editor may do: no rule allows changing them. */
const NEVER_NAMES: ReadonlySet<string> = new Set([
  ".git",
  ".githooks",
  ".gitmodules",
  ".gitattributes",
  ".gitconfig",
  ".husky",
  ".tiller",
  ".pi",
  ".agents",
  ".claude",
  ".claude.json",
  ".codex",
  ".cursor",
  ".gemini",
  ".mcp.json",
  ".vscode",
  ".idea",
  ".zed",
  ".devcontainer",
  ".devcontainer.json",
]);
/** The folder of `.github` whose commands agents run. */
const HOOKS_IN_GITHUB = "hooks";
const NEVER_FORMS = /^(\.env.*|\.vscode[-.].*|.*\.code-workspace)$/;

/** Other tools run or obey these files by themselves: only a rule that names the file itself allows changing it. */
const RUN_LATER_NAMES: ReadonlySet<string> = new Set([
  ".npmrc",
  ".pnpmfile.cjs",
  ".pnp.cjs",
  ".pnp.loader.mjs",
  ".yarn",
  ".config",
  ".cargo",
  ".bundle",
  ".mvn",
  ".bazelrc",
  ".bazelversion",
  ".tool-versions",
  ".mise",
  ".mise.toml",
  "mise.toml",
  ".pre-commit-config.yaml",
  ".lefthook.yml",
  "lefthook.yml",
  ".circleci",
  ".buildkite",
  ".drone.yml",
  ".travis.yml",
  ".gitlab-ci.yml",
  ".gitlab",
  ".woodpecker.yml",
  ".woodpecker",
  ".gitea",
  ".forgejo",
  "azure-pipelines.yml",
  "bitbucket-pipelines.yml",
  "jenkinsfile",
]);
const RUN_LATER_FORMS = /^(\.yarnrc.*|\.pip\.conf|pip\.conf|sitecustomize\.py|usercustomize\.py)$/;
/** Folders of `.github` that servers read; the rest of it is for people. */
const RUN_LATER_IN_GITHUB: ReadonlySet<string> = new Set(["workflows", "actions"]);

/** True for a path whose names say that no rule may allow changing it. */
export function isNeverChanged(path: string): boolean {
  const names = namesOf(path);
  return names.some(
    (name, at) =>
      NEVER_NAMES.has(name) || NEVER_FORMS.test(name) || (name === ".github" && names[at + 1] === HOOKS_IN_GITHUB),
  );
}

/** True for a path whose names say that other tools run or obey it by themselves. */
export function runsLater(path: string): boolean {
  const names = namesOf(path);
  return names.some(
    (name, at) =>
      RUN_LATER_NAMES.has(name) ||
      RUN_LATER_FORMS.test(name) ||
      (name === ".github" && RUN_LATER_IN_GITHUB.has(names[at + 1] ?? "")),
  );
}

/** Many file systems ignore case. */
function namesOf(path: string): string[] {
  return path.toLowerCase().split(/[\\/]/).map(plainName);
}
