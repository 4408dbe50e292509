import { config } from "zod";

/**
 * Imported first: zod would otherwise try `new Function` when it meets the first object schema, which the page's content
 * security policy refuses and reports.
 */
config({ jitless: true });
