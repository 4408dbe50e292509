/** Put in by the build: the version of package.json. */
declare const TILLER_VERSION: string;

/** Our own version. */
export const VERSION: string = TILLER_VERSION;
