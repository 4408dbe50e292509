/** A small project that the editor's own TypeScript service understands, by path. */
export const TYPESCRIPT_PROJECT = {
  "tsconfig.json": `{
  "compilerOptions": {
    "strict": true,
    "module": "nodenext",
    "target": "es2022",
    "noEmit": true,
    "allowImportingTsExtensions": true
  },
  "include": ["src"]
}
`,
  "src/events.ts": `export class EventEmitter {
  private readonly listeners: ((name: string) => void)[] = [];

  listen(listener: (name: string) => void): void {
    this.listeners.push(listener);
  }

  emit(name: string): void {
    for (const listener of this.listeners) listener(name);
  }
}
`,
  "src/store.ts": `import { EventEmitter } from "./events.ts";

/** Something that is kept by name. */
export interface Entry {
  name: string;
  value: number;
}

/** Keeps entries. */
export class Store extends EventEmitter {
  private readonly entries = new Map<string, Entry>();

  put(entry: Entry): void {
    this.entries.set(entry.name, entry);
    this.emit(entry.name);
  }

  total(): number {
    return sum([...this.entries.values()].map((entry) => entry.value));
  }
}

export function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
`,
  "src/main.ts": `import { Store, sum } from "./store.ts";

const store = new Store();
store.put({ name: "one", value: 1 });
console.log(store.total(), sum([1, 2]));
`,
};
