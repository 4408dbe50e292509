/** The time when the extension's code began to run, as `performance.now()` counts. The module must be imported first. */
export const LOAD_STARTED_AT = performance.now();
