import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import * as z from "zod";

const Definition = z.looseObject({ "x-method": z.string().optional(), "x-side": z.string().optional() });
const Schema = z.object({ $defs: z.record(z.string(), Definition) });
const Message = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});
/** A message of the protocol. */
export type AcpMessage = z.infer<typeof Message>;

export type Sender = "agent" | "client";

const SCHEMA_ID = "acp";

/** The schema of the whole first version of the protocol: with what clients ask for that is not stable yet. */
const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
const definitions = addSchema();
const validators = new Map<string, ValidateFunction>();

function addSchema() {
  const path = "../../node_modules/@agentclientprotocol/sdk/schema/v1/schema.unstable.json";
  const schema: unknown = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
  ajv.addSchema({ ...z.looseObject({}).parse(schema), $id: SCHEMA_ID });
  return Object.entries(Schema.parse(schema).$defs);
}

/** Checks every message of the agent, and notes what doesn't fit the schema. The client may write what it likes. */
export class AcpChecker {
  readonly problems: string[] = [];
  readonly #methods = new Map<string, string>();

  check(from: Sender, value: unknown): AcpMessage {
    const message = Message.parse(value);
    const { id, method, params, result, error } = message;
    if (method !== undefined) {
      if (id !== undefined) this.#methods.set(`${from} ${id}`, method);
      if (from === "agent") this.#fit(from, method, method, id === undefined ? "Notification" : "Request", params);
    } else if (from === "client" || id === null) {
      return message;
    } else if (error !== undefined) {
      this.#validate("an error", "Error", error);
    } else {
      const asked = this.#methods.get(`client ${id}`);
      if (asked === undefined) this.problems.push(`The agent answered ${id}, which nobody asked.`);
      else this.#fit("client", `the answer to ${asked}`, asked, "Response", result);
    }
    return message;
  }

  #fit(caller: Sender, what: string, method: string, kind: string, value: unknown): void {
    const side = caller === "agent" ? "client" : "agent";
    const found = definitions.find(
      ([name, definition]) =>
        name.endsWith(kind) && definition["x-method"] === method && (definition["x-side"] ?? side) !== caller,
    );
    if (found !== undefined) this.#validate(what, found[0], value);
    else if (caller === "agent") this.problems.push(`The protocol has no ${method}.`);
  }

  #validate(what: string, name: string, value: unknown): void {
    const validate = validatorOf(name);
    if (!validate(value)) this.problems.push(`${what}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value)}`);
  }
}

/** Fields that the schema doesn't have are allowed only in `_meta`. */
function validatorOf(name: string): ValidateFunction {
  const known = validators.get(name);
  if (known !== undefined) return known;
  const closed = (definition: string) => ({ $ref: `${SCHEMA_ID}#/$defs/${definition}`, unevaluatedProperties: false });
  const update = name === "SessionNotification" ? { properties: { update: closed("SessionUpdate") } } : {};
  const validate = ajv.compile({ allOf: [closed(name), update] });
  validators.set(name, validate);
  return validate;
}
