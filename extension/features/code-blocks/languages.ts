/** Editor language ids for names written after a fence; all other names are the same. */
const EDITOR_LANGUAGES: Readonly<Record<string, string>> = {
  bash: "shellscript",
  "c++": "cpp",
  cjs: "javascript",
  cs: "csharp",
  fish: "shellscript",
  htm: "html",
  js: "javascript",
  jsx: "javascriptreact",
  md: "markdown",
  mjs: "javascript",
  mts: "typescript",
  patch: "diff",
  ps1: "powershell",
  pwsh: "powershell",
  py: "python",
  rb: "ruby",
  rs: "rust",
  sh: "shellscript",
  shell: "shellscript",
  ts: "typescript",
  tsx: "typescriptreact",
  yml: "yaml",
  zsh: "shellscript",
};

/** Returns the editor's id for the language that a fence names. The editor may not know it. */
export function editorLanguage(language: string): string {
  const name = language.toLowerCase();
  return (Object.hasOwn(EDITOR_LANGUAGES, name) ? EDITOR_LANGUAGES[name] : undefined) ?? name;
}
