/**
 * What a key says about its value. Owns the rule of whole segments: a key names a secret when one of its segments (camel
 * case, snake, kebab, dots, spaces) is a secret word, and no companion before or after it makes the key an attribute, a
 * measure or a question. Pure and slow; key-cache.ts remembers its answers. Must never look at values.
 */

import {
  DESCRIPTOR_KEYS,
  ENV_KEYS,
  FORM_WORDS,
  HARMLESS_AFTER,
  HARMLESS_BEFORE,
  HEADER_KEYS,
  JOINED_QUALIFIERS,
  LEGACY_FRAGMENTS,
  NAME_KEYS,
  PHRASE_PAIRS,
  PHRASE_WORDS,
  SECRET_GROUP_WORDS,
  SECRET_KEY_QUALIFIERS,
  SECRET_PAIRS,
  SECRET_WORDS,
  TOKEN_HARMLESS_AFTER,
  TOKEN_HARMLESS_BEFORE,
  TYPED_KEYS,
  VALUE_KEYS,
  VENDOR_KEY_QUALIFIERS,
} from "./key-words.ts";
import { lazy, words } from "./lazy.ts";
import { replaceMarkers } from "./mask-list.ts";

/** Classes of keys; every class from `name` on makes the scan look at the value. */
export const KEY = {
  /** Says nothing. */
  plain: 0,
  /** Has a secret word but names no secret (`max_tokens`), or only describes one (`type`): left alone in a secret object. */
  exempt: 1,
  /** Names another thing, whose value is in a sibling member. */
  name: 2,
  env: 3,
  headers: 4,
  /** Its value is a secret whatever it looks like, placeholders and types apart. */
  secret: 5,
  /** As `secret`, in the plural: numbers are counts. */
  group: 6,
  /** As `secret`, and may be a sentence. */
  phrase: 7,
  /** An `Authorization` header: a scheme, then the secret. */
  authorization: 8,
  /** `token`: a secret unless the value is a word, a sentence or a count. */
  token: 9,
  /** Cookies: secret when they hold `name=value`. */
  cookie: 10,
  /** Secret only when the value looks random. */
  weak: 11,
  /** A secret word somewhere in the key, with `BIR_REDACT_LEGACY_KEYS=1`: any scalar is masked. */
  legacy: 12,
} as const;

export type KeyClass = (typeof KEY)[keyof typeof KEY];

const FOREIGN_PASSWORD = lazy(() => /пароль|密码|密碼|パスワード|비밀번호|contraseña/i);
const PASS_BEFORE = words(
  "db database smtp imap pop ldap mail email user ftp sftp ssh redis mysql pg postgres mongo mongodb admin root http proxy login auth basic wifi app amqp rabbitmq mqtt keystore key zip sudo",
);

/** Class of `key`; with `legacy`, any key that merely contains a secret word counts. */
export function classifyKey(key: string, legacy: boolean): KeyClass {
  const found = classify(key);
  if (legacy && found !== KEY.env && found !== KEY.headers && (found < KEY.secret || found >= KEY.token)) {
    const flat = replaceMarkers(key, "")
      .toLowerCase()
      .replace(/[^a-z]/g, "");
    if (LEGACY_FRAGMENTS.some((fragment) => flat.includes(fragment))) return KEY.legacy;
  }
  return found;
}

/** Class of a value that names something, such as `DB_PASSWORD` or `Password input`, whose secret a sibling holds. */
export function classifyName(name: string, legacy: boolean): KeyClass {
  const bare = name.length > 80 ? [] : splitWords(name).filter((word) => !FORM_WORDS.has(word));
  const found = bare.length > 0 && bare.length <= 8 ? classifyKey(bare.join("_"), legacy) : KEY.plain;
  return found >= KEY.secret ? found : KEY.plain;
}

/** True for a key whose string is the secret when `nameKey`, its sibling, names one. */
export function isValueKey(key: string, nameKey: string): boolean {
  const flat = key.toLowerCase().replace(/[^a-z]/g, "");
  return VALUE_KEYS.has(flat) || ((nameKey === "element" || nameKey === "selector") && TYPED_KEYS.has(flat));
}

/** The segments of a key in lower case, digits dropped. */
export function splitWords(key: string): string[] {
  // What was masked in a key says nothing: its marker may well read `github-token`.
  return replaceMarkers(key, "_")
    .replace(/API(?=[A-Za-z])/g, "Api_")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
}

/** What some segment of every key has that names a secret: spares the others the splitting. */
const STEM = lazy(
  () =>
    /secret|token|pass|pwd|pswd|psk|key|auth|cred|cookie|mnemonic|phrase|conn|otp|cv[vc]|jwt|bearer|dsn|code|jaas|data|sessid|wort|woord|senha|contrasena|[^\0-\x7f]/i,
);

function classify(key: string): KeyClass {
  const joined = key.replace(/[^A-Za-z]/g, "").toLowerCase();
  if (ENV_KEYS.has(joined)) return KEY.env;
  if (HEADER_KEYS.has(joined)) return KEY.headers;
  if (NAME_KEYS.has(joined)) return KEY.name;
  return (STEM().test(key) ? classOfSegments(key) : undefined) ?? descriptorOrPlain(key);
}

function descriptorOrPlain(key: string): KeyClass {
  return DESCRIPTOR_KEYS.has(key.toLowerCase()) ? KEY.exempt : KEY.plain;
}

/** Class of a key by its segments, undefined when none of them names a secret. */
function classOfSegments(key: string): KeyClass | undefined {
  if (FOREIGN_PASSWORD().test(key)) return KEY.secret;
  // Text between two quotes of code is no key.
  if (/[{};=<>,]|\($/.test(key) || key.split("[").length !== key.split("]").length) return KEY.plain;
  // Vault's `secret_id` is a secret; the `SecretId` of AWS is a name.
  if (key === "secret_id" || key === "SECRET_ID") return KEY.secret;
  const segments = splitWords(key);
  for (let i = segments.length - 1; i >= 0; i--) {
    const found = classOfWord(segments, i);
    if (found !== KEY.plain) return exempts(segments, i, found) ? KEY.exempt : found;
  }
  return undefined;
}

/** Class of the segment at `at`, alone or with the one before it. */
function classOfWord(words: readonly string[], at: number): KeyClass {
  const word = words[at] ?? "";
  const before = words[at - 1] ?? "";
  const pair = `${before}_${word}`;
  if (SECRET_WORDS.has(word) || SECRET_PAIRS.has(pair)) return KEY.secret;
  if (SECRET_GROUP_WORDS.has(word)) return KEY.group;
  if (PHRASE_WORDS.has(word) || PHRASE_PAIRS.has(pair)) return KEY.phrase;
  if (word === "authorization") return KEY.authorization;
  if (word === "token" || word === "bearer") return KEY.token;
  if (word === "cookie" || word === "cookies") return KEY.cookie;
  if (word === "tokens" || word === "auth" || word === "jwt" || word === "dsn") return KEY.weak;
  if (word === "pass" && PASS_BEFORE.has(before)) return KEY.secret;
  if (word === "pass" && words.length === 1) return KEY.token;
  if (word === "key" || word === "keys") return classOfKeyWord(words, at);
  return classOfJoined(word);
}

function classOfKeyWord(words: readonly string[], at: number): KeyClass {
  const before = words[at - 1];
  const plural = words[at] === "keys";
  if (before === undefined || before === "public") return KEY.plain;
  if (SECRET_KEY_QUALIFIERS.has(before)) return plural ? KEY.weak : KEY.secret;
  return VENDOR_KEY_QUALIFIERS.has(before) ? KEY.weak : KEY.plain;
}

/** Class of a lower-case compound (`dbpassword`, `accesstoken`). */
function classOfJoined(word: string): KeyClass {
  const match = /^([a-z]+?)(password|passwd|passphrase|secret|token|credentials?)$/.exec(word);
  if (match === null) return /^password(?:hash|confirm|confirmation|digest|again)$/.test(word) ? KEY.secret : KEY.plain;
  const [, before = "", base = ""] = match;
  if (base === "token") return JOINED_QUALIFIERS.has(before) ? KEY.token : KEY.exempt;
  if (base === "secret" || base.startsWith("credential"))
    return JOINED_QUALIFIERS.has(before) ? KEY.secret : KEY.exempt;
  return HARMLESS_BEFORE.has(before) ? KEY.exempt : KEY.secret;
}

/** True when a companion of the secret word at `at` makes the key harmless. */
function exempts(words: readonly string[], at: number, found: KeyClass): boolean {
  const isToken = found === KEY.token || words[at] === "tokens";
  const after = words.slice(at + 1);
  if (after.some((word) => HARMLESS_AFTER.has(word) || (isToken && TOKEN_HARMLESS_AFTER.has(word)))) return true;
  const before = words.slice(0, at);
  return before.some((word) => HARMLESS_BEFORE.has(word) || (isToken && TOKEN_HARMLESS_BEFORE.has(word)));
}
