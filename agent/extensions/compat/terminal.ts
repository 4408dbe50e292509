/** Stands for any component of a terminal: it can be made, extended and called, and shows nothing. */
class Inert {
  constructor() {
    // biome-ignore lint/correctness/noConstructorReturn: whatever an author calls on a component has to be there
    return new Proxy(this, {
      get: (target, name) => (name === "then" || name in target ? Reflect.get(target, name) : () => undefined),
    });
  }

  render(): string[] {
    return [];
  }
}

const HELPERS: Record<string, unknown> = {
  Key: new Proxy({}, { get: (_, name) => String(name) }),
  matchesKey: () => false,
  isKeyRelease: () => false,
  visibleWidth: (text: string) => text.length,
  truncateToWidth: (text: string, width: number) => text.slice(0, width),
  wrapTextWithAnsi: (text: string) => [text],
};

/** A module in which every name exists: those given, and for all others a component that does nothing. */
export function withInertNames(known: Record<string, unknown>): Record<string, unknown> {
  return new Proxy(known, {
    get: (target, name) => {
      if (Reflect.has(target, name)) return Reflect.get(target, name);
      return typeof name === "string" && /^[A-Z]/.test(name) ? Inert : undefined;
    },
  });
}

/** The terminal library that extensions may import although there is no terminal. */
export const terminalModule = withInertNames(HELPERS);
