/**
 * What stands in the place of a secret: nothing, a mask, a reference to where it is kept, a type, an instruction. Owns the
 * lists; pure, every pattern linear. Must never take a value for a placeholder because it is short or simple.
 */

import { classifyKey, KEY, splitWords } from "./key-class.ts";
import { lazy, words } from "./lazy.ts";
import { MARKER, replaceMarkers } from "./mask-list.ts";

/** Words for a hidden or missing value, or for a type. */
const NO_SECRETS = words(
  `string str number num integer int boolean bool object array any unknown null none nil undefined void never text bytes
  uuid varchar true false yes no on off optional required mandatory readonly missing invalid valid expired hidden masked
  redacted encrypted hashed filtered removed omitted sanitized protected private unchanged changed set unset notset empty
  default disabled enabled prompt ask env environment keychain keyring vault n/a na tbd todo placeholder sensitive
  confidential changeme change_me change-me replaceme replace_me replace-me fixme oauth oauth2 basic bearer digest
  apikey api_key api-key jwt saml oidc ldap sso anonymous public pkce implicit username
  securestring secretstr inherit await new this self function async return include omit same-origin read write
  pass passed fail failed ok skip skipped success error`,
);

const PLACEHOLDERS = lazy(() => [
  /^\[[A-Za-z][A-Za-z _:-]{0,60}\]$/, // [REDACTED], [your token]
  new RegExp(`^${MARKER}$`),
  /^<[^<>]{1,100}>$/, // <your-token>
  /^\((?:[a-z][a-z ]{1,30})\)$/i, // (hidden)
  /^\{\{[^{}]{0,200}\}\}$/, // {{ token }}
  /^\{[A-Za-z_][\w.-]{0,80}\}$/, // {token}
  /^\$\{\{?[^{}]{0,200}\}?\}$/, // ${TOKEN}, ${{ secrets.TOKEN }}
  /^#\{[^{}]{0,200}\}$/,
  /^\$\([^()]{0,200}\)$/, // $(cat file)
  /^\$(?:env:)?(?:[A-Z_][A-Z0-9_]*|[a-z_][A-Za-z_.]*)$/, // $TOKEN
  /^%[A-Za-z_]\w*%$/,
  /^%[sdvqr]$/,
  /^@[A-Za-z_]+@?$/,
  /^:[a-z_]+$/, // :password in SQL
  /^(?:\?|\$\d+|@?p?\d{1,2})$/,
  /^__[A-Z_]+__$/,
  /^[^\p{L}\p{N}]{1,4}$/u, // punctuation, a symbol
  /^#[0-9a-f]{3,8}$/i, // a colour
  /^![01]$/, // true and false, minified
  /^[*•●·…xX._#?~-]+$/, // ***, xxxx, ....
  /^.{0,12}(?:x{6,}|X{6,}|\*{3,}|•{3,}|\.{3}|…).{0,6}$/, // sk-xxxxxxxx, abc***, ghp_...
  /^(?:your|insert|enter|paste|put|replace|add)(?:[-_ ].{0,60})?[-_ ](?:here|token|key|secret|password|value)$/i,
  /^your[-_ ]?[a-z][a-z_ -]{0,60}$/i,
  /[-_ ](?:here|goes-here|goes_here)$/i,
  /^(?:op|vault|secret|ref|env|file|keychain|ssm|aws-sm|awssm|gcp-sm|akv|azkv|doppler|bws|infisical|chezmoi)(?::\/\/|\+|:[A-Za-z_/])/,
  /^(?:required|nullable|sometimes|bail|filled|present|string|confirmed)\|/, // rules of a form
  /^arn:aws[\w-]*:/,
  /^projects\/[^/\s]+\/secrets\//,
  /^!(?:vault|secret|Ref|GetAtt|Sub|env_var|ENV|reference)\b/,
  /^\{\{resolve:/,
]);

/** A default in the reference is a value: `${DB_PASSWORD:-hunter2}`. */
const REFERENCE_WITH_DEFAULT = /^\$\{[A-Za-z_]\w*:?[-=?+][^}]{3,}\}$/;

/** The scheme of an `Authorization` header and the space after it. */
export const SCHEME =
  /^(?:Bearer|Basic|Token|Digest|ApiKey|Api-Key|Negotiate|NTLM|Bot|Key|AWS4-HMAC-SHA256|GoogleLogin|OAuth|Splunk|SSWS|PVEAPIToken)\s+/i;

/** True for a word that follows `Bearer` in a text about it. */
export function isAboutTokens(v: string): boolean {
  return /^(?:my[-_ ]?token|tokens?|authentication|auth|access[-_ ]?token|jwt|realm=?|credentials?|scheme)$/i.test(v);
}

/** True for what stands in the place of a secret: nothing, a mask, a reference, a type, the key's own name. */
export function isPlaceholder(v: string, key: string): boolean {
  if (v.length === 0) return true;
  if (v.length > 200) return false;
  const lower = v.toLowerCase();
  if (NO_SECRETS.has(lower)) return true;
  if (REFERENCE_WITH_DEFAULT.test(v)) return false;
  if (isOwnName(v, key)) return true;
  if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(v) && /PASS|SECRET|TOKEN|KEY|CRED|AUTH/.test(v)) return true;
  return PLACEHOLDERS().some((pattern) => pattern.test(v));
}

/** True for an empty string, a marker or a bare reference (`${TOKEN}`, `Bearer <token>`): what a block may show. */
export function isEmptyOrReference(value: string): boolean {
  const v = replaceMarkers(value.trim().replace(SCHEME, ""), "");
  return v === "" || /^(?:\$\{\{?[\w .:-]+\}?\}|\$[A-Z_]+|%[A-Z_]+%|\{\{[^{}]+\}\}|<[^<>]+>|\*{3,})$/.test(v);
}

/** True when `v` is the key's name or the part of it that names the secret (`db_password: password`). */
function isOwnName(v: string, key: string): boolean {
  if (v.length > 40 || /\d/.test(v)) return false;
  const words = splitWords(v).join(" ");
  return words !== "" && ` ${splitWords(key).join(" ")} `.includes(` ${words} `) && classifyKey(v, false) >= KEY.secret;
}
