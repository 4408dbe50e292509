/** Words that carry no meaning in a query. */
const EMPTY = new Set(
  "a an and any are as at be by can could do for from has have how i in into is it its me my need of on or our please so some tell that the their them there these this tool tools to us use using want we what when which who will with would you your".split(
    " ",
  ),
);

/** Synonyms in the names of tools. */
const ALIKE = [
  "create add new open make file insert start register",
  "delete remove drop destroy clear discard",
  "get read show fetch view describe retrieve see display detail details",
  "list all enumerate",
  "search find query look lookup",
  "update edit change modify set rename adjust patch",
  "send post write publish notify",
  "run execute trigger launch start invoke",
  "stop cancel abort halt end shutdown terminate",
  "issue ticket bug",
  "repository repo",
  "pull pr",
  "database db",
  "message msg",
  "dm direct private",
  "user member person people",
  "comment reply note",
  "log logs output",
  "instance server machine vm",
  "who author blame",
  "channel room",
  "merge land",
  "meeting appointment event",
];

const alike = new Map<string, Set<string>>();
for (const group of ALIKE) {
  const words = group.split(" ").map(stem);
  for (const word of words) alike.set(word, new Set([...(alike.get(word) ?? []), ...words]));
}

/** Returns the words of a text in a normal form, which is the same for `createIssues`, `create_issue`, and `creating issues`. */
export function toolWords(text: string): string[] {
  const words = text
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).filter((word) => !EMPTY.has(word)).map(stem);
}

/** Returns the synonyms of a word. */
export function wordsLike(word: string): string[] {
  return [...(alike.get(word) ?? [])].filter((other) => other !== word);
}

/** Removes the ending of an English word, so that its forms become equal. */
function stem(word: string): string {
  const singular = word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word;
  const plain = singular.replace(/ie$/, "y");
  const root = plain.length > 5 ? plain.replace(/(?:ing|ed)$/, "") : plain;
  const single = root.replace(/([bdglmnprt])\1$/, "$1");
  return single.length > 3 ? single.replace(/e$/, "") : single;
}
