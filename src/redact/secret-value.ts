/**
 * Whether a value under a secret key is a secret: placeholders, types, references, paths and sentences are not. Owns every
 * judgement about values that have no shape of their own. Pure; only called for keys that name a secret, so it may be slow,
 * but every pattern is linear. Must never see a value without its key's class.
 */

import { isPathOrVersion, isReference } from "./code-reference.ts";
import { KEY, type KeyClass } from "./key-class.ts";
import { isAboutTokens, isPlaceholder, SCHEME } from "./placeholder.ts";
import type { ValueForm } from "./value-form.ts";

/** A longer value is a secret (a key file, a certificate chain) without being read. */
const MAX_JUDGED = 4096;

/** What a sentence about a secret says, and what it says it of. */
const SAYS =
  /\b(?:must|should|required|invalid|incorrect|please|your|forgot(?:ten)?|at least|cannot|can't|too (?:short|weak|common|long)|do(?:es)? not|do(?:es)?n't|used (?:to|for|by|in|as)|optional|no longer|has been|will be|is (?:not|never|already)|not (?:set|found|provided|configured|available)|minimum|maximum)\b/i;
const OF =
  /\b(?:passw|token|keys?\b|secret|credential|character|field|value|login|log in|sign|account|short|blank|empty|match|confirm|expired|required|invalid|common|long|minimum|maximum|set\b)/i;
const DESCRIPTION =
  /^(?:(?:the|a|an|your|optional|api|access|user|database|db|bearer|client|personal|auth|authentication|admin|new|current|secret|private|login|github|openai) ){0,3}(?:password|token|key|secret|passphrase|credentials?|cookies?) \w/i;
/** A long run of letters and digits: the usual secret, known without trying what else it could be. */
const OBVIOUS = /^[A-Za-z0-9][A-Za-z0-9+_-]{19,199}={0,2}$/;
/** A type or a call where a sentence would be. */
const CODE_START = /^(?:(?:string|String|str)\b\s*(?:[|,;)=]|$)|[A-Za-z_$][\w$.]*[([])/;
const ELIDED = /x{4}|your|here|[-_](?:key|token|secret|password)|example/i;

/** True when `value`, under the key `key` of class `found`, is to be masked. `value` is the raw text, without its quotes. */
export function isSecretValue(found: KeyClass, key: string, value: string, form: ValueForm): boolean {
  const trimmed = value.length > 400 ? value : value.trim();
  const v = found === KEY.authorization || found === KEY.token ? trimmed.replace(SCHEME, "") : trimmed;
  if (v.length > MAX_JUDGED) return found !== KEY.weak && !(found === KEY.token && /\s/.test(v));
  if ((form.quoted || !v.includes("_")) && OBVIOUS.test(v) && !ELIDED.test(v) && /\d/.test(v) && /[A-Za-z]/.test(v))
    return true;
  if (isPlaceholder(v, key)) return false;
  // HTML's `accesskey="n"`.
  if (v.length < 3 && /key$/i.test(key)) return false;
  switch (found) {
    case KEY.phrase:
      return isSecretPhrase(key, v, form);
    case KEY.legacy:
      return true;
    case KEY.weak:
      if (!form.quoted && isReference(v, form)) return false;
      return looksRandom(v) || isUserAndPassword(v) || /^\S*\d\S*$/.test(SCHEME.test(v) ? v.replace(SCHEME, "") : "");
    case KEY.cookie:
      return /^[\w.-]+=./.test(v) || looksRandom(v);
    case KEY.token:
      if (/^\d{1,9}$/.test(v)) return false;
      if (/\s/.test(v === trimmed ? value : v) || /^[A-Z]+$/.test(v) || !isLikeToken(v, form)) return false;
      return isSolidSecret(key, v, form);
    case KEY.group:
      if (!form.quoted && !form.assigned && /^[A-Za-z_]+[.,;]*$/.test(v)) return false;
      return isSolidSecret(key, v, form);
    case KEY.authorization:
      return !isAboutTokens(v) && isSolidSecret(key, v, form);
    default:
      return isSolidSecret(key, v, form);
  }
}

/** True for a value that looks random: no word, name, path, date or address is. */
export function looksRandom(v: string): boolean {
  if (v.length < 8 || v.length > 4096 || !/^[\w+/=.~!@#$%^&*:|-]+$/.test(v)) return false;
  if (/^(?:https?:|\/|\.\/|~\/|data:)/.test(v) || /^\d{4}-\d\d-\d\d/.test(v) || /^[\d.:+-]+$/.test(v)) return false;
  if (/^[\w.+-]+@[\w-]+\.[\w.]+$/.test(v)) return false;
  if (/^[0-9a-f]{16,}$/.test(v)) return /[0-9]/.test(v) && /[a-f]/.test(v);
  let changes = 0;
  let last = 0;
  for (let i = 0; i < v.length; i++) {
    const kind = kindOf(v.charCodeAt(i));
    if (kind !== last && !(last === 2 && kind === 1)) changes++;
    last = kind;
  }
  return changes >= Math.max(4, v.length / 5) && /\d/.test(v);
}

/** 1 lower case, 2 upper case, 3 digit, 4 other. */
function kindOf(c: number): number {
  if (c >= 0x61 && c <= 0x7a) return 1;
  if (c >= 0x41 && c <= 0x5a) return 2;
  return c >= 0x30 && c <= 0x39 ? 3 : 4;
}

/** False for the pieces of text that code calls tokens: words, punctuation. */
function isLikeToken(v: string, form: ValueForm): boolean {
  if (!form.quoted) return form.assigned || !/^[A-Za-z_]+[.,;]*$/.test(v);
  if (!form.code) return true;
  return /[A-Za-z0-9][\w.-]{3}/.test(v) && (/\d/.test(v) ? v.length >= 6 : form.assigned && /^[\w.-]{8,}$/.test(v));
}

/** A secret that may be a sentence: the whole line, or what is quoted. */
function isSecretPhrase(key: string, v: string, form: ValueForm): boolean {
  if (!form.quoted) return isSolidSecret(key, v, form);
  if (form.verbatim) return !isReference(v, form);
  if (/^(?:0x)?[\da-f]{1,8}\b\W*$/i.test(v)) return false;
  return !CODE_START.test(v) && !isReference(v, { ...form, quoted: false }) && !isDescription(v);
}

/** True for three words or more that say something about a secret. */
function isDescription(v: string): boolean {
  return /\s\S+\s/.test(v) && ((SAYS.test(v) && OF.test(v)) || DESCRIPTION.test(v));
}

function isSolidSecret(key: string, v: string, form: ValueForm): boolean {
  if (isPathOrVersion(key, v)) return false;
  if (/\s/.test(v) && v.length < 400) return form.quoted && !isDescription(v);
  if (isReference(v, form)) return false;
  if (form.quoted) return true;
  if (/^\d*\*/.test(v)) return false; // a grammar
  if (/^v?\d+(?:\.\d+){1,3}$/.test(v) || /^[A-Z]{2,6}-?\d{1,4}$/.test(v) || /^\d+-[a-z]+$/i.test(v))
    return form.assigned;
  if (/^0x[\da-f]{1,8}$/i.test(v)) return false;
  if (/^[\d.,:/-]+[kKmMgG%]?$/.test(v)) return /^\d{4,}$/.test(v) && (form.assigned || form.alone || v.length >= 6);
  if (/^[A-Za-z]+(?:['’-][A-Za-z]+)*[.,:;!?…]*$/.test(v))
    return v.length >= 3 && (form.assigned || (form.alone && !form.code && v.length >= 4));
  return true;
}

/** True for the base64 of `user:password`, as in Docker's `auth`. */
export function isUserAndPassword(v: string): boolean {
  if (v.length > 1024 || !/^[A-Za-z0-9+/]{6,}={0,2}$/.test(v)) return false;
  try {
    return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{0,500}$/.test(atob(v));
  } catch {
    return false;
  }
}
