/** When the code of the extension began to run, as `performance.now()` counts. Whoever imports this first has the time before all else. */
export const LOAD_STARTED_AT = performance.now();
