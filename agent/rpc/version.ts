export { VERSION } from "../util/version.ts";
