import { t } from "../../../webview/l10n.ts";

/** A provider that the agent can sign in to without an API key. */
export interface SignIn {
  readonly id: string;
  readonly name: string;
  /** The environment variable of a key that the agent accepts as well. */
  readonly variable: string;
  /** Returns the instructions for signing in. */
  readonly advice: () => string;
}

/** The providers whose credentials come from the environment. */
export const SIGN_INS: readonly SignIn[] = [
  {
    id: "amazon-bedrock",
    name: "Amazon Bedrock",
    variable: "AWS_BEARER_TOKEN_BEDROCK",
    advice: () => t("Set AWS_PROFILE to a profile of `aws configure sso`, or AWS_BEARER_TOKEN_BEDROCK to a key"),
  },
  {
    id: "azure",
    name: "Azure OpenAI",
    variable: "AZURE_OPENAI_API_KEY",
    advice: () => t("Set AZURE_OPENAI_RESOURCE_NAME, and run `az login` or set AZURE_OPENAI_API_KEY"),
  },
  {
    id: "google-vertex",
    name: "Google Vertex AI",
    variable: "GOOGLE_CLOUD_API_KEY",
    advice: () => t("Set GOOGLE_CLOUD_PROJECT, and run `gcloud auth application-default login`"),
  },
];
