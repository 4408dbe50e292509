import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSecretName, secretFinder, secretsOfEnv, withoutSecrets } from "../../agent/util/secrets.ts";

const find = secretFinder([]);
const hidden = (text: string) => withoutSecrets(text, find);

const PEM = `-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA1c\nq7==\n-----END RSA PRIVATE KEY-----`;
const JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";

describe("a secret by its form", () => {
  test.each([
    ["use sk-ant-api03-abcDEF_123-xyz now", "use [redacted] now"],
    ["OPENAI sk-proj-abcdef0123456789", "OPENAI [redacted]"],
    ["sk-0123456789abcdef01", "[redacted]"],
    ["sk_live_0123456789abcdef", "[redacted]"],
    ["ghp_0123456789abcdefABCDEF0123456789abcd", "[redacted]"],
    ["github_pat_11ABCDEFG0_abcdefghijklmnop", "[redacted]"],
    ["glpat-0123456789abcdefghij", "[redacted]"],
    ["id AKIAIOSFODNN7EXAMPLE.", "id [redacted]."],
    ["AIzaSyA0123456789abcdefghijklmnopqrstuv", "[redacted]"],
    ["xoxb-123456789012-abcdef", "[redacted]"],
    ["npm_0123456789abcdefghijABCDEFGHIJ012345", "[redacted]"],
    ["hf_abcdefghijABCDEFGHIJ0123", "[redacted]"],
    [`token ${JWT} end`, "token [redacted] end"],
    [`a\n${PEM}\nb`, "a\n[redacted]\nb"],
    ["-----BEGIN PRIVATE KEY-----\nMIIEcut", "[redacted]"],
    ["Authorization: Bearer abc", "Authorization: Bearer [redacted]"],
    [
      "curl -H 'Authorization: Basic dXNlcjpwYXNz' https://a.b",
      "curl -H 'Authorization: Basic [redacted]' https://a.b",
    ],
    ['{"authorization": "Bearer x1"}', '{"authorization": "Bearer [redacted]"}'],
    ["x-api-key: 1234", "x-api-key: [redacted]"],
    ["Set-Cookie: sid=abc; Path=/", "Set-Cookie: [redacted]"],
    ["send bearer 0a1b2c3d4e", "send bearer [redacted]"],
    ["export ANTHROPIC_API_KEY=abcdef\nnext", "export ANTHROPIC_API_KEY=[redacted]\nnext"],
    ['AWS_SECRET_ACCESS_KEY="wJalrXUtnFEMI/K7MDENG"', 'AWS_SECRET_ACCESS_KEY="[redacted]"'],
    ["DB_PASSWORD: hunter2hunter", "DB_PASSWORD: [redacted]"],
    ["password = 'four'", "password = '[redacted]'"],
    ["client_secret=abc123def", "client_secret=[redacted]"],
    ["GET /v1?key=abcdefgh&x=1", "GET /v1?key=[redacted]&x=1"],
    ["postgres://me:pa55@db/x", "postgres://me:[redacted]@db/x"],
    [
      "DefaultEndpointsProtocol=https;AccountName=me;AccountKey=Zm9vYmFyYmF6cXV4/+Zm9v==;EndpointSuffix=core.windows.net",
      "DefaultEndpointsProtocol=https;AccountName=me;AccountKey=[redacted];EndpointSuffix=core.windows.net",
    ],
    ["Endpoint=sb://x/;SharedAccessKey=abcDEF0123+/=", "Endpoint=sb://x/;SharedAccessKey=[redacted]"],
    [
      "https://me.blob.core.windows.net/a?sv=2024&sig=aB%2Bc0123456789def%3D",
      "https://me.blob.core.windows.net/a?sv=2024&sig=[redacted]",
    ],
    ["sv=2024-11-04&sig=aBcDeFgHiJkLmNoPqRsT01234%3D&se=2026", "sv=2024-11-04&sig=[redacted]&se=2026"],
    ["abc8Q~abcdefghijklmnopqrstuvwxyz0123456", "[redacted]"],
    [
      "post to https://hooks.slack.com/services/T0001/B0001/abcDEF123456",
      "post to https://hooks.slack.com/services/[redacted]",
    ],
    [
      "https://discord.com/api/webhooks/123456789012/abcdefghijklmnopqrstuvwxyz-_",
      "https://discord.com/api/webhooks/123456789012/[redacted]",
    ],
    ["xoxe.xoxp-1-abcdefghijkl", "[redacted]"],
    ["xapp-1-A012-345-abcdef", "[redacted]"],
    ["SG.abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789_-ABCDE", "[redacted]"],
    ["token hvs.CAESIabcdefghijklmnop0123 ok", "token [redacted] ok"],
    ["VAULT s.abcdefGHIJKL0123456789ab", "VAULT [redacted]"],
    ["machine example.com login me password hunter2 # x", "machine example.com login me password [redacted] # x"],
    [
      "machine a.b\n  login me\n  password s3cret!\nmachine c",
      "machine a.b\n  login me\n  password [redacted]\nmachine c",
    ],
    ["default login anonymous password me@here", "default login anonymous password [redacted]"],
    ["//registry.npmjs.org/:_authToken=abcdefghij", "//registry.npmjs.org/:_authToken=[redacted]"],
    ["//r/:_password=aGk=", "//r/:_password=[redacted]"],
    ['{"auths":{"r.io":{"auth":"bWU6c2VjcmV0"}}}', '{"auths":{"r.io":{"auth":"[redacted]"}}}'],
    ["SK0123456789abcdef0123456789abcdef", "[redacted]"],
    ["rk_live_0123456789abcdef", "[redacted]"],
    ["pypi-AgEIcHlwaS5vcmcCJDU0", "[redacted]"],
    ["GOCSPX-abcdefghij0123456789", "[redacted]"],
    ["dckr_pat_abcdefghij0123456789", "[redacted]"],
    ["AGE-SECRET-KEY-1QQPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", "[redacted]"],
  ])("%s", (text, expected) => {
    expect(hidden(text)).toBe(expected);
  });

  test.each([
    "a task-list-with-many-hyphens-in-it",
    "MAX_TOKENS=4096",
    '{"inputTokens":120,"totalTokens":4000}',
    "The bearer of this letter is authentication itself",
    "type Options = { password: string; apiKey: string }",
    "const { apiKey } = process.env;",
    "https://example.com/a:b@c",
    "keyboard shortcuts, tokenizer, secretary",
    "git@github.com:org/repo.git",
    "0123456789abcdef0123456789abcdef01234567",
    "const text = s.replaceAllOfTheseWordsNow(x)",
    "s.substringOfTwentyFourNow",
    "the machine learning default password prompt",
    "see https://hooks.slack.com/docs and SG.md and hvs.ts",
    "sig=short and --sig=0",
    '{"auth":"none"}',
    "def _auth(self): return _auth",
  ])("is not: %s", (text) => {
    expect(hidden(text)).toBe(text);
  });

  test("takes linear time for a long run that looks like a signature", () => {
    const hostile = ["eyJ".repeat(200_000), "sk-".repeat(200_000), "Bearer ".repeat(100_000), "://:".repeat(100_000)];
    for (const text of hostile) hidden(text);
    hidden("-----BEGIN PRIVATE KEY-----".repeat(20_000));
    hidden("password=".repeat(100_000));
    hidden("\\u005c".repeat(100_000));
  });

  test.each([
    "SG.aaaaaaaaaaaaaaaaaaaa-",
    "SG.",
    "hvs.",
    "s.",
    "s.a",
    "machine ",
    "machine a login b account c ",
    "machine\t\n default ",
    "default password",
    "hooks.slack.com/services/",
    "discord.com/api/webhooks/1234567890/",
    "AccountKey=",
    "AccountKey = ",
    "sig=",
    "sig=aaaaaaaaaaaaaaaaaaaaaaaa",
    "8Q~",
    "abc8Q~",
    "~.-",
    "_auth=",
    '"auth":"AAAAAAAAAAAAAAAA',
    "AGE-SECRET-KEY-1",
    "SK0123456789abcdef",
    "a",
    "0",
    "/",
    " ",
  ])("takes linear time for a megabyte of %j", (piece) => {
    expect(hidden(piece.repeat(Math.ceil(1_000_000 / piece.length))).length).toBeGreaterThan(0);
  });
});

describe("known secrets", () => {
  test("are found everywhere, also as part of an address", () => {
    const known = secretFinder(["p w/d+0123", "short"]);
    expect(withoutSecrets("a p w/d+0123 b p%20w%2Fd%2B0123 short", known)).toBe("a [redacted] b [redacted] short");
  });

  test("come from variables with names for secrets", () => {
    const env = {
      A_KEY: "one",
      GITHUB_TOKEN: "two",
      my_secret: "three",
      DB_PASSWORD: "four",
      PATH: "/bin",
      EMPTY_KEY: "",
    };
    expect(secretsOfEnv(env)).toEqual(["one", "two", "three", "four"]);
  });
});

test.each([
  "authorization",
  "Proxy-Authorization",
  "apiKey",
  "api_key",
  "x-api-key",
  "accessToken",
  "refresh_token",
  "ANTHROPIC_API_KEY",
  "clientSecret",
  "password",
  "dbPassword",
  "set-cookie",
])("a field called %s may hold a secret", (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each(["key", "inputTokens", "tokens", "contextTokens", "type", "maxTokens", "stopReason", "placeholder", "keyId"])(
  "a field called %s holds no secret",
  (name) => {
    expect(isSecretName(name)).toBe(false);
  },
);

const SECRETS = [
  "sk-ant-api03-Zz9_aBcDeFgHiJkLmNoP",
  "ghp_0123456789abcdefABCDEF0123456789abcd",
  "AKIAIOSFODNN7EXAMPLE",
  JWT,
  'odd "value"/with\\signs',
];

test("a secret is found behind any number of escapes, as in JSON within JSON", () => {
  const known = secretFinder([SECRETS[4] ?? ""]);
  const around = fc.string({ unit: fc.constantFrom("a", " ", "\n", '"', "\\", "{", "é", ":", ",") });
  fc.assert(
    fc.property(
      fc.constantFrom(...SECRETS),
      around,
      around,
      fc.nat(3),
      fc.infiniteStream(fc.boolean()),
      (secret, before, behind, depth, coins) => {
        const escaped = (text: string) =>
          [...JSON.stringify(text)]
            .map((letter) => (/[A-Za-z0-9_]/.test(letter) && coins.next().value ? code(letter) : letter))
            .join("");
        let text = `${before} ${secret} ${behind}`;
        // A letter behind a backslash is part of an escape already, so only the outermost layer gets more of them.
        for (let layer = 0; layer < depth; layer += 1) text = JSON.stringify({ inner: text });
        const wire = depth === 0 ? text : text.replace(secret, escaped(secret).slice(1, -1));
        expect(undone(withoutSecrets(wire, known))).not.toContain(secret);
      },
    ),
    { numRuns: 500 },
  );
});

function code(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The text with its escapes undone, layer by layer. */
function undone(text: string): string {
  let all = text;
  let next = text;
  for (let layer = 0; layer < 5; layer += 1) {
    next = next.replace(/\\(?:u([0-9a-f]{4})|(.))/gis, (_, hex: string | undefined, letter = "") =>
      hex === undefined ? letter : String.fromCharCode(Number.parseInt(hex, 16)),
    );
    all += `\0${next}`;
  }
  return all;
}
