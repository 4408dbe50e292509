import type { ServerFeatures } from "../server-features.ts";
import type { OfferingServer } from "./offer-book.ts";
import { type ResourceContent, readContents } from "./resource-content.ts";
import type { ResourcePlace } from "./resource-mentions.ts";

/** The maximum number of resources that are watched for changes. */
const MAX_FOLLOWED = 200;

/** Reads resources and subscribes to their changes, so that the model is told once when one has changed. */
export class ResourceReader {
  readonly #servers: () => readonly OfferingServer[];
  readonly #followed = new Map<string, ResourcePlace>();
  readonly #changed = new Map<string, ResourcePlace>();
  /** The URIs subscribed to on each connection. */
  readonly #asked = new WeakMap<ServerFeatures, Set<string>>();

  constructor(servers: () => readonly OfferingServer[]) {
    this.#servers = servers;
  }

  /** @throws Error for people. */
  async read(place: ResourcePlace, signal: AbortSignal): Promise<ResourceContent> {
    const server = this.#servers().find(({ name }) => name === place.server);
    if (server === undefined) throw new Error(`There is no MCP server "${place.server}".`);
    const contents = await server.request((features) => {
      this.#follow(place, features, signal);
      return features.read(place.uri, signal);
    }, signal);
    this.#changed.delete(keyOf(place));
    return readContents(contents);
  }

  /** Renews subscriptions, because a server may have been restarted. */
  followAgain(): void {
    for (const place of this.#followed.values()) {
      const server = this.#servers().find(({ name }) => name === place.server);
      const { signal } = new AbortController();
      const follow = async (features: ServerFeatures) => this.#follow(place, features, signal);
      server?.request(follow, signal).catch(() => undefined); // a server that doesn't run has nothing to say
    }
  }

  /** Records that a server has changed a resource, or part of one. */
  noteChange(server: string, uri: string): void {
    const places = [...this.#followed.values()].filter((one) => one.server === server && uri.startsWith(one.uri));
    const exact = places.find((one) => one.uri === uri);
    for (const place of exact === undefined ? places : [exact]) this.#changed.set(keyOf(place), place);
  }

  /** Returns, once, a line for each resource that has changed since it was read. */
  takeChanges(): string[] {
    const lines = [...this.#changed.values()].map(({ server, uri }) => `- server ${server}: ${uri}`);
    this.#changed.clear();
    return lines;
  }

  /** Forgets all resources that were read, because another conversation begins. */
  forget(): void {
    this.#followed.clear();
    this.#changed.clear();
  }

  #follow(place: ResourcePlace, features: ServerFeatures, signal: AbortSignal): void {
    const key = keyOf(place);
    if (!this.#followed.has(key) && this.#followed.size >= MAX_FOLLOWED) return;
    this.#followed.set(key, place);
    const asked = this.#asked.get(features) ?? new Set();
    this.#asked.set(features, asked);
    if (asked.has(place.uri)) return;
    asked.add(place.uri);
    // The resource can still be read without a subscription.
    features.subscribe(place.uri, signal).catch(() => asked.delete(place.uri));
  }
}

function keyOf({ server, uri }: ResourcePlace): string {
  return `${server}\n${uri}`;
}
