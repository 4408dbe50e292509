import type { McpResource as FoundResource } from "../../../protocol/mcp.ts";
import { suggestedValues } from "./completions.ts";
import type { OfferingServer } from "./offer-book.ts";
import type { McpTemplate } from "./read-offers.ts";
import { fitTemplate, fixedStart } from "./uri-template.ts";

const MAX_FOUND = 50;
const MAX_COMPLETIONS = 20;
/** The maximum number of templates whose values are requested at once. */
const MAX_ASKED = 5;

/** Finds resources whose server, URI, or name matches the typed text; servers complete the variables of templates. */
export async function findResources(
  query: string,
  servers: readonly OfferingServer[],
  signal: AbortSignal,
): Promise<FoundResource[]> {
  const named = servers.filter(({ name }) => query.startsWith(`${name}:`));
  const found = named.length === 0 ? [] : await Promise.all(named.map((server) => findIn(server, query, signal)));
  const wanted = query.toLowerCase();
  const listed = servers.flatMap((server) => listedIn(server).filter((one) => textOf(one).includes(wanted)));
  const unique = new Map([...found.flat(), ...listed].map((one) => [`${one.server}\n${one.uri}`, one]));
  return [...unique.values()].slice(0, MAX_FOUND);
}

function listedIn({ name: server, offers }: OfferingServer): FoundResource[] {
  const whole = offers.resources.map((resource) => ({ server, ...resource, isPartial: false }));
  return [...whole, ...offers.templates.map((template) => begun(server, template))];
}

function begun(server: string, { uriTemplate, ...template }: McpTemplate): FoundResource {
  const description = [uriTemplate, template.description].filter(Boolean).join(" – ");
  return { server, ...template, uri: fixedStart(uriTemplate), description, isPartial: true };
}

async function findIn(server: OfferingServer, query: string, signal: AbortSignal): Promise<FoundResource[]> {
  const typed = query.slice(server.name.length + 1);
  const fitting = server.offers.templates.flatMap((template) => {
    const fit = typed.startsWith(fixedStart(template.uriTemplate))
      ? fitTemplate(template.uriTemplate, typed)
      : undefined;
    return fit === undefined ? [] : [{ template, fit }];
  });
  const completed = await Promise.all(
    fitting.slice(0, MAX_ASKED).map(async ({ template, fit: { open } }) => {
      if (open === undefined) return [];
      const { name, value } = open;
      const place = { ref: { type: "ref/resource" as const, uri: template.uriTemplate }, argument: { name, value } };
      const values = await suggestedValues(server, place, signal);
      return values.slice(0, MAX_COMPLETIONS).map((given) => {
        const { uri, isWhole } = open.complete(given);
        return { server: server.name, name: template.name, uri, isPartial: !isWhole };
      });
    }),
  );
  const typedWhole = fitting
    .filter(({ fit }) => fit.isWhole)
    .map(({ template: { name } }) => ({ server: server.name, name, uri: typed, isPartial: false }));
  return [...completed.flat(), ...typedWhole];
}

function textOf({ server, uri, name }: FoundResource): string {
  return `${server}:${uri} ${name}`.toLowerCase();
}
