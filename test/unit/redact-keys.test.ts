import { describe, expect, test } from "vitest";
import { classifyKey, classifyName, KEY, splitWords } from "../../src/redact/key-class.ts";
import {
  ENV_KEYS,
  HEADER_KEYS,
  LEGACY_FRAGMENTS,
  NAME_KEYS,
  PHRASE_PAIRS,
  PHRASE_WORDS,
  SECRET_GROUP_WORDS,
  SECRET_PAIRS,
  SECRET_WORDS,
  TELLING_LETTERS,
} from "../../src/redact/key-words.ts";
import { redactJson } from "../../src/redact/redact.ts";
import { filler } from "../corpus/filler.ts";

const SECRET = `password passwd pwd PASSWORD userPassword user_password user-password db.password newPassword password2 dbpassword
  PGPASSWORD passphrase secret clientSecret client_secret clientsecret CLIENT_SECRET secretKey secret_access_key
  aws_secret_access_key SecretAccessKey apiKey api_key api-key API_KEY APIKey APIkey apikey x-api-key OPENAI_API_KEY
  accessKey access_key privateKey private_key encryptionKey signing_key masterKey account_key AccountKey SharedAccessKey
  authorization Authorization proxy-authorization token accessToken access_token refresh_token id_token authToken
  auth_token sessionToken csrfToken deviceToken bot_token oauth2Token bearerToken githubToken GITHUB_TOKEN _authToken
  tokenSecret secretToken passwordHash password_digest encrypted_password credential credentials cookie set-cookie cookies
  connectionString connection_string seedPhrase mnemonic keyStorePassword file_password url_password resetPasswordToken
  apiKeys secrets passwords authorizationCode basicAuth smtp_pass dbPass secret_id jwtSecret webhook_secret otp`;

const HARMLESS = `max_tokens maxTokens max_output_tokens total_tokens nextPageToken next_page_token pageToken page_token
  continuationToken NextContinuationToken nextToken NextToken progressToken syncToken nextSyncToken resumeToken cursor
  tokenCount token_count tokenizer tokenizers tokenType token_type token_endpoint tokenUrl tokenExpiry token_expires_at
  tokenLimit tokenBudget bos_token eos_token pad_token special_tokens stop_token designToken colorToken tokenId token_ids
  author authors authority secretary secretariat passwordLength passwordPolicy password_policy minPasswordLength
  hasPassword isPasswordSet requirePassword show_password forgotPassword passwordField password_label passwordPlaceholder
  passwordChangedAt password_updated_at passwordExpiry password_reset_url passwordless secretName secret_name secretRef
  secretKeyRef secret_arn SecretId imagePullSecretName cookieConsent cookiePolicy cookieName cookieMaxAge accessKeyId
  access_key_id private_key_id keyId publicKey public_key primaryKey foreign_key sortKey cacheKey idempotencyKey keyCode
  apiKeyName api_key_env privateKeyPath client_id authorizationUrl authorization_endpoint authorizationServers
  credentialsProvider compass passport bypass monkey keyboard donkey tokenSymbol token_address`;

describe("classes of keys", () => {
  test.each(SECRET.split(/\s+/))("%s names a secret", (key) => {
    expect(classifyKey(key, false)).toBeGreaterThanOrEqual(KEY.secret);
  });

  test.each(SECRET.split(/\s+/))("a value under %s is masked", (key) => {
    const value = `sid=${filler(key, 24)}`;
    const isCamel = /[a-z][A-Z]/.test(key);
    for (const written of isCamel ? [key] : [key, key.toUpperCase()]) {
      expect(redactJson(JSON.stringify({ [written]: value }))).toBe(JSON.stringify({ [written]: "[REDACTED:key]" }));
    }
  });

  test.each(HARMLESS.split(/\s+/))("a value under %s stays", (key) => {
    const text = JSON.stringify({ [key]: `a-${filler(key, 24)}` });
    expect(redactJson(text)).toBe(text);
  });

  test("every word that tells something has letters that let it be judged", () => {
    const telling = (word: string): boolean => TELLING_LETTERS.some((letters) => word.includes(letters));
    const words = [
      SECRET_WORDS,
      SECRET_GROUP_WORDS,
      PHRASE_WORDS,
      SECRET_PAIRS,
      PHRASE_PAIRS,
      ENV_KEYS,
      HEADER_KEYS,
      NAME_KEYS,
    ];
    const silent = [...words.flatMap((list) => list.all()), ...LEGACY_FRAGMENTS].filter((word) => !telling(word));
    expect(silent).toEqual([]);
  });

  test.each(HARMLESS.split(/\s+/))("%s does not", (key) => {
    expect(classifyKey(key, false)).toBeLessThan(KEY.secret);
  });

  test("env and headers are blocks, name is a name", () => {
    expect(["env", "environment", "Env", "environ"].map((key) => classifyKey(key, false))).toEqual(
      Array(4).fill(KEY.env),
    );
    expect(["headers", "requestHeaders", "response_headers"].map((key) => classifyKey(key, false))).toEqual(
      Array(3).fill(KEY.headers),
    );
    expect(["name", "Key", "element"].map((key) => classifyKey(key, false))).toEqual(Array(3).fill(KEY.name));
  });

  test("legacy keys need only contain a secret word", () => {
    for (const key of ["max_tokens", "tokenizer", "secretary", "passwordPolicy", "cookieConsent"])
      expect(classifyKey(key, true)).toBe(KEY.legacy);
    for (const key of ["author", "key", "env", "headers", "name"])
      expect(classifyKey(key, true)).toBe(classifyKey(key, false));
    expect(classifyKey("password", true)).toBe(KEY.secret);
  });

  test("a name of a field says what it holds", () => {
    for (const name of [
      "Password",
      "DB_PASSWORD",
      "Master password",
      "API key",
      "Enter your password",
      "/app/prod/db-password",
    ]) {
      expect(classifyName(name, false), name).toBeGreaterThanOrEqual(KEY.secret);
    }
    for (const name of ["Search", "Show password", "Forgot password?", "Email", "MAX_TOKENS", "Next"]) {
      expect(classifyName(name, false), name).toBe(KEY.plain);
    }
  });
});

test("keys are split at every boundary", () => {
  expect(splitWords("maxOutputTokens")).toEqual(["max", "output", "tokens"]);
  expect(splitWords("x-API-Key2.value_of")).toEqual(["x", "api", "key", "value", "of"]);
  expect(splitWords("OAuthToken")).toEqual(["o", "auth", "token"]);
  expect(splitWords("[REDACTED:github-token] x")).toEqual(["x"]);
});
