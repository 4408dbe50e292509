/** Put in by the build: the version of package.json. */
declare const TILLER_VERSION: string;

/** Our own version. */
export const VERSION: string = TILLER_VERSION;

/** The version of pi whose interface is spoken: command line, commands, events, and what extensions import. */
export const PI_VERSION = "1.5.2";
