import * as z from "zod";
import type { SearchService } from "../config/web-settings.ts";
import { addressBelow } from "../util/server-address.ts";

/** A search result. */
export interface Found {
  title: string;
  url: string;
  snippet: string;
}

interface SearchRequest {
  url: URL;
  init: RequestInit;
}

/** The requests and responses of a search service. */
interface Service {
  /** @param key the user's key; undefined for a service without one. */
  request(query: string, count: number, key: string | undefined): SearchRequest;
  found(answer: unknown): Found[];
}

const text = z.string().catch("");

/** @see https://docs.searxng.org/dev/search_api.html */
function searxng(address: string): Service {
  const Answer = z.object({ results: z.array(z.object({ title: text, url: text, content: text })) });
  return {
    request: (query) => {
      const url = new URL(addressBelow(address, "/search"));
      url.search = new URLSearchParams({ q: query, format: "json" }).toString();
      return { url, init: {} };
    },
    found: (answer) =>
      Answer.parse(answer).results.map(({ title, url, content }) => ({ title, url, snippet: content })),
  };
}

/** @see https://api-dashboard.search.brave.com/app/documentation/web-search/get-started */
function brave(address = "https://api.search.brave.com"): Service {
  const Result = z.object({ title: text, url: text, description: text });
  const Answer = z.object({ web: z.object({ results: z.array(Result) }).nullish() });
  return {
    request: (query, count, key = "") => {
      const url = new URL(addressBelow(address, "/res/v1/web/search"));
      url.search = new URLSearchParams({ q: query, count: String(count), text_decorations: "false" }).toString();
      return { url, init: { headers: { "x-subscription-token": key } } };
    },
    found: (answer) =>
      (Answer.parse(answer).web?.results ?? []).map(({ title, url, description }) => ({
        title,
        url,
        snippet: description,
      })),
  };
}

/** @see https://docs.tavily.com/documentation/api-reference/endpoint/search */
function tavily(address = "https://api.tavily.com"): Service {
  const Answer = z.object({ results: z.array(z.object({ title: text, url: text, content: text })) });
  return {
    request: (query, count, key = "") => ({
      url: new URL(addressBelow(address, "/search")),
      init: {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ query, max_results: count }),
      },
    }),
    found: (answer) =>
      Answer.parse(answer).results.map(({ title, url, content }) => ({ title, url, snippet: content })),
  };
}

/** Returns the service that a setting names. */
export function serviceOf({ service, url }: SearchService): Service {
  switch (service) {
    case "searxng":
      return searxng(url);
    case "brave":
      return brave(url);
    case "tavily":
      return tavily(url);
  }
}
