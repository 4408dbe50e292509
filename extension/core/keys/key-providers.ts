import { SIGN_INS } from "./sign-ins.ts";

/** A provider whose key the agent reads from its environment. */
export interface KeyProvider {
  readonly id: string;
  readonly name: string;
  /** The environment variable that the agent reads. */
  readonly variable: string;
  /** The variable that it reads if that one isn't set. */
  readonly otherVariable?: string;
  /** The environment variable with another address for the provider's requests. */
  readonly addressVariable?: string;
  /** The prefix of its keys; empty where that says nothing. */
  readonly placeholder: string;
  /** The page on which people get a key. */
  readonly keysUrl: string;
  /** The address of its chat completions, for models that are added to `models.json` because the agent doesn't know any; absent without them. */
  readonly chatUrl?: string;
  /** A free endpoint that accepts only a valid key, relative to the base URL. */
  readonly check: { readonly baseUrl: string; readonly path: string; readonly headers: (key: string) => KeyHeaders };
}

type KeyHeaders = Readonly<Record<string, string>>;

const bearer = (key: string): KeyHeaders => ({ authorization: `Bearer ${key}` });

/** The providers that a key can be stored for. The variables are those that the agent reads. */
export const KEY_PROVIDERS: readonly KeyProvider[] = [
  {
    id: "anthropic",
    name: "Anthropic",
    variable: "ANTHROPIC_API_KEY",
    addressVariable: "ANTHROPIC_BASE_URL",
    placeholder: "sk-ant-…",
    keysUrl: "https://console.anthropic.com/settings/keys",
    check: {
      baseUrl: "https://api.anthropic.com",
      path: "/v1/models?limit=1",
      headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
    },
  },
  other({
    id: "openai",
    name: "OpenAI",
    variable: "OPENAI_API_KEY",
    addressVariable: "OPENAI_BASE_URL",
    keysUrl: "https://platform.openai.com/api-keys",
    chatUrl: "https://api.openai.com/v1",
  }),
  {
    id: "google",
    name: "Google",
    variable: "GEMINI_API_KEY",
    otherVariable: "GOOGLE_API_KEY",
    placeholder: "",
    keysUrl: "https://aistudio.google.com/apikey",
    chatUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    check: {
      baseUrl: "https://generativelanguage.googleapis.com",
      path: "/v1beta/models?pageSize=1",
      headers: (key) => ({ "x-goog-api-key": key }),
    },
  },
  {
    ...other({
      id: "openrouter",
      name: "OpenRouter",
      variable: "OPENROUTER_API_KEY",
      keysUrl: "https://openrouter.ai/settings/keys",
      chatUrl: "https://openrouter.ai/api/v1",
    }),
    // Its list of models is public; this endpoint is not.
    check: { baseUrl: "https://openrouter.ai", path: "/api/v1/key", headers: bearer },
  },
  other({
    id: "groq",
    name: "Groq",
    variable: "GROQ_API_KEY",
    keysUrl: "https://console.groq.com/keys",
    chatUrl: "https://api.groq.com/openai/v1",
  }),
  other({
    id: "xai",
    name: "xAI",
    variable: "XAI_API_KEY",
    keysUrl: "https://console.x.ai",
    chatUrl: "https://api.x.ai/v1",
  }),
  other({
    id: "mistral",
    name: "Mistral",
    variable: "MISTRAL_API_KEY",
    keysUrl: "https://console.mistral.ai/api-keys",
    chatUrl: "https://api.mistral.ai/v1",
  }),
  other({
    id: "deepseek",
    name: "DeepSeek",
    variable: "DEEPSEEK_API_KEY",
    keysUrl: "https://platform.deepseek.com/api_keys",
    chatUrl: "https://api.deepseek.com",
  }),
  other({
    id: "fireworks",
    name: "Fireworks",
    variable: "FIREWORKS_API_KEY",
    keysUrl: "https://app.fireworks.ai/settings/users/api-keys",
    chatUrl: "https://api.fireworks.ai/inference/v1",
  }),
  other({
    id: "together",
    name: "Together",
    variable: "TOGETHER_API_KEY",
    keysUrl: "https://api.together.ai/settings/api-keys",
    chatUrl: "https://api.together.ai/v1",
  }),
  other({
    id: "cerebras",
    name: "Cerebras",
    variable: "CEREBRAS_API_KEY",
    keysUrl: "https://cloud.cerebras.ai",
    chatUrl: "https://api.cerebras.ai/v1",
  }),
];

/** A provider that speaks chat completions, and whose list of models shows whether a key is valid. */
function other(
  provider: Pick<KeyProvider, "id" | "name" | "variable" | "addressVariable" | "keysUrl"> & {
    readonly chatUrl: string;
  },
): KeyProvider {
  const { origin, pathname } = new URL(provider.chatUrl);
  const path = `${pathname.replace(/\/$/, "")}/models`;
  return { ...provider, placeholder: "", check: { baseUrl: origin, path, headers: bearer } };
}

/** Returns the name of a provider; its id when it has none here. */
export function providerName(id: string): string {
  return [...KEY_PROVIDERS, ...SIGN_INS].find((provider) => provider.id === id)?.name ?? id;
}

/** True if a provider's key may be sent to an address: one of the provider's own servers, or the gateway that the user set for it. */
export function isAddressOf({ check, chatUrl }: KeyProvider, address: string, gateway?: string): boolean {
  const origin = originOf(address);
  return origin !== undefined && [check.baseUrl, chatUrl, gateway].some((own) => origin === originOf(own));
}

function originOf(address: string | undefined): string | undefined {
  return address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined;
}
