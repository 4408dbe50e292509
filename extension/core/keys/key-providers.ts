/** A provider whose key the agent reads from its environment. */
export interface KeyProvider {
  readonly id: string;
  readonly name: string;
  /** The environment variable that the agent reads. */
  readonly variable: string;
  /** The prefix of its keys; empty where that says nothing. */
  readonly placeholder: string;
  /** True when the agent includes models of it; those of others are defined in `models.json` or by extensions. */
  readonly hasModels: boolean;
  /** A free endpoint that accepts only a valid key, relative to the base URL. */
  readonly check: { readonly baseUrl: string; readonly path: string; readonly headers: (key: string) => KeyHeaders };
}

type KeyHeaders = Readonly<Record<string, string>>;

const bearer = (key: string): KeyHeaders => ({ authorization: `Bearer ${key}` });

/** The providers that a key can be stored for, the one with models first. The variables are those that the agent reads. */
export const KEY_PROVIDERS: readonly KeyProvider[] = [
  {
    id: "anthropic",
    name: "Anthropic",
    variable: "ANTHROPIC_API_KEY",
    placeholder: "sk-ant-…",
    hasModels: true,
    check: {
      baseUrl: "https://api.anthropic.com",
      path: "/v1/models?limit=1",
      headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
    },
  },
  other("openai", "OpenAI", "OPENAI_API_KEY", "https://api.openai.com", "/v1/models"),
  {
    id: "google",
    name: "Google",
    variable: "GEMINI_API_KEY",
    placeholder: "",
    hasModels: false,
    check: {
      baseUrl: "https://generativelanguage.googleapis.com",
      path: "/v1beta/models?pageSize=1",
      headers: (key) => ({ "x-goog-api-key": key }),
    },
  },
  // Its list of models is public; this endpoint is not.
  other("openrouter", "OpenRouter", "OPENROUTER_API_KEY", "https://openrouter.ai", "/api/v1/key"),
  other("groq", "Groq", "GROQ_API_KEY", "https://api.groq.com", "/openai/v1/models"),
  other("xai", "xAI", "XAI_API_KEY", "https://api.x.ai", "/v1/models"),
  other("mistral", "Mistral", "MISTRAL_API_KEY", "https://api.mistral.ai", "/v1/models"),
  other("deepseek", "DeepSeek", "DEEPSEEK_API_KEY", "https://api.deepseek.com", "/models"),
];

function other(id: string, name: string, variable: string, baseUrl: string, path: string): KeyProvider {
  return {
    id,
    name,
    variable,
    placeholder: "",
    hasModels: false,
    check: { baseUrl, path, headers: bearer },
  };
}

/** Returns the name of a provider; its id when it has none here. */
export function providerName(id: string): string {
  return KEY_PROVIDERS.find((provider) => provider.id === id)?.name ?? id;
}
