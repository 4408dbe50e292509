import * as z from "zod";

const IdentityProvider = z.object({
  tokenEndpoint: z.string().min(1),
  clientId: z.string().min(1),
  idToken: z.string().min(1),
});

/** How to sign in to a server. Without it, everything comes from the server. */
export const OAuthConfig = z
  .object({
    clientId: z.string().min(1).optional(),
    clientSecret: z.string().min(1).optional(),
    /** A key in PEM form, which signs in place of the secret. */
    privateKey: z.string().min(1).optional(),
    algorithm: z.string().min(1).optional(),
    /** The address of a document that describes Tiller to the sign-in service; it is the client ID. */
    clientMetadataUrl: z.string().min(1).optional(),
    /** The only sign-in service that may get the client's credentials. */
    issuer: z.string().min(1).optional(),
    /** Requested if the server names none. */
    scopes: z.array(z.string()).optional(),
    callbackPort: z.int().min(1).max(65_535).optional(),
    grant: z.enum(["authorization_code", "client_credentials"]).optional(),
    /** The service at which the company's users sign in, and a token from it. */
    identityProvider: IdentityProvider.optional(),
  })
  .refine(({ clientId, ...config }) => clientId !== undefined || !isUnattended(config), {
    error: 'needs a "clientId".',
  })
  .refine(({ grant, clientSecret, privateKey }) => grant !== "client_credentials" || (clientSecret ?? privateKey), {
    error: 'needs a "clientSecret" or a "privateKey" for client credentials.',
  });
export type OAuthConfig = z.infer<typeof OAuthConfig>;

interface HowToGetTokens {
  grant?: string | undefined;
  identityProvider?: unknown;
}

/** True when a client gets its tokens without a browser. */
export function isUnattended({ grant, identityProvider }: HowToGetTokens): boolean {
  return grant === "client_credentials" || identityProvider !== undefined;
}

/** Returns the configuration with all texts mapped. */
export function mapOAuthTexts(config: OAuthConfig, map: (text: string) => string): OAuthConfig {
  const mapOptional = (text: string | undefined) => (text === undefined ? undefined : map(text));
  const { identityProvider } = config;
  return {
    ...config,
    clientId: mapOptional(config.clientId),
    clientSecret: mapOptional(config.clientSecret),
    privateKey: mapOptional(config.privateKey),
    clientMetadataUrl: mapOptional(config.clientMetadataUrl),
    issuer: mapOptional(config.issuer),
    scopes: config.scopes?.map(map),
    identityProvider: identityProvider && {
      tokenEndpoint: map(identityProvider.tokenEndpoint),
      clientId: map(identityProvider.clientId),
      idToken: map(identityProvider.idToken),
    },
  };
}
