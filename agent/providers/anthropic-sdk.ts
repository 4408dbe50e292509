/** As much of the SDK as a streamed request needs. Named one by one, so that the build leaves the rest out. */
export { APIError, BaseAnthropic } from "@anthropic-ai/sdk";
