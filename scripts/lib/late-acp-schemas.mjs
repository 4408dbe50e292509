import { readFile } from "node:fs/promises";

/** A schema of the SDK with fields of its own, from its name to the end of the statement. */
const SCHEMA =
  /^export const (z\w+) = ((?:z\s*\.(?:object|union|intersection)|preserveCustomPayload)\([\s\S]*?);\n(?=\/\*\*|export |\/\/#)/gm;

/**
 * Builds each schema of the SDK of the Agent Client Protocol when it is first used. The SDK builds all of them as it is loaded, which takes a
 * fifth of the time until the agent answers its first request, and that needs two of them.
 */
export const lateAcpSchemas = {
  name: "late-acp-schemas",
  setup(build) {
    build.onLoad(
      { filter: /@agentclientprotocol[\\/]sdk[\\/]dist[\\/]v1[\\/]schema[\\/]zod\.gen\.js$/ },
      async ({ path }) => {
        const text = await readFile(path, "utf8");
        const contents = text.replace(SCHEMA, (_, name, schema) => `export const ${name} = z.lazy(() => ${schema});\n`);
        if (contents.split("z.lazy(").length < 100) {
          throw new Error(`${path} isn't written as expected: change "late-acp-schemas".`);
        }
        return { contents };
      },
    );
  },
};
