/**
 * Values that are code or point elsewhere: an expression (`process.env.X`, `getToken()`, `config["token"]`), a type, a path,
 * a version. Owns these shapes; pure, every pattern linear.
 */

import type { ValueForm } from "./value-form.ts";

const PATH =
  /^(?:~|\.{1,2}|[A-Za-z]:|\/(?:etc|run|var|home|usr|tmp|opt|mnt|root|dev|proc|secrets?|Users|data|app|workspace|private|srv|vault)(?=\/)|\/[a-z][a-z_-]{0,19}(?=\/))[\\/][\w.@~ \\/-]*$/;
const FILE =
  /^[\w./-]+\.(?:pem|key|crt|cer|p12|pfx|jks|json|ya?ml|txt|env|toml|ini|conf|properties|kdbx?|pub|ts|js|py|go|md)$/i;
const VERSION = /^[\^~<>=v]{0,3}\d{1,4}\.\d{1,4}\.\d{1,5}(?:[-+][\w.]{1,30})?$/;
const CODE_CALL =
  /^(?:await\s+|new\s+|!|&|\*|\()?[A-Za-z_$][\w$]*(?:(?:\?|!)?(?:\.|::|->)#?[A-Za-z_$][\w$]*)*(?:<[\w,[\] ]*>)?[([]/;
const CODE_PATH =
  /^[A-Za-z_$][\w$]*(?:\(\))?(?:(?:\?|!)?(?:\.|::|->)#?[A-Za-z_$][\w$]*|\[\s*\\*["'`]?[\w$.-]*\\*["'`]?\]?)+[!?]?$/;
const CODE_ROOT =
  /^(?:process|import|os|sys|env|ENV|config|configs?|cfg|settings?|options?|opts|args?|argv|params?|props|req|request|res|response|ctx|context|this|self|state|data|body|input|event|user|account|session|secrets|vars?|local|module|vault|credentials?|creds|auth|client|server|app|cookies?|headers?|query|form|formData|payload|values|Values|values?|System|Environment|std|z|Joi|yup|t|v|Type|types|schema|Schema|Schemas|jwt|crypto|bcrypt|faker|Deno|Bun|viper|inputs|steps|github|row|rows|result|results|node|parser|lexer|tokenizer|tokens|token|match|item|obj|model|field|fields)\b/;
const SECRET_MEMBER =
  /(?:token|secret|pass(?:word|wd|phrase)?|key|credentials?|cookie|auth(?:orization)?)s?\d?[\])"'`\\!?]*$/i;
const TYPE_EXPRESSION =
  /^(?:&(?:'\w+ )?|\*|\?)?(?:readonly )?(?:string|String|number|boolean|bool|str|bytes|Buffer|Uint8Array|Bytes|Vec|Option|Optional|Maybe|Promise|Record|Partial|Array|List|Map|Set|Union|Literal|Annotated|SecretStr|SecretString|SecureString|CharSequence|char|byte|varchar|VARCHAR|TEXT|text|null|undefined|None|any|unknown|never|Nullable|Secret|Ref|Observable|Result|dict|Dict|tuple|object|Object|int|Int|ID)(?:$|[<[|?!;,&*()= ]|\s)/;
const TYPE_NAME =
  /^_?[A-Z][A-Za-z]*(?:Token|Str|String|Password|Secret|Key|Type|Schema|Config|Options|Credentials?|Provider|Header|Cookie|Input|Field|Result)s?$/;
const CONSTANT = /^_?[A-Z]+(?:_[A-Z]+)+$/;
const TEMPLATE = /%\(?\w*\)?[sdr]|\{[\w.!:]*\}|\$\{/;
/** A variable of several words, one of which is of the trade: `user_pass`, `authorization_header`. */
const VARIABLE = /^[A-Za-z$]*_[A-Za-z_$]*$|^[a-z$]+(?:[A-Z][a-z]+)+$/;
const TRADE = /pass|secret|token|key|cred|auth|cookie/i;

/** True for code that says where the secret comes from (`process.env.X`, `getToken()`, `config["token"]`) or its type. */
export function isReference(v: string, form: ValueForm): boolean {
  if (CODE_PATH.test(v) && SECRET_MEMBER.test(v)) return true;
  if (form.code && (TEMPLATE.test(v) || TYPE_NAME.test(v))) return true;
  if (form.quoted) return form.code && /[A-Za-z_]=$/.test(v) && !/^\S{12,}$/.test(v); // "Token auth=" + x
  if (CODE_CALL.test(v) || TYPE_EXPRESSION.test(v)) return true;
  if (/^[A-Za-z_$]{1,2}(?:\.[A-Za-z_$]{1,2})+$/.test(v)) return true; // minified
  if (/\d/.test(v.replaceAll("$1", ""))) return false;
  if (form.verbatim) return CODE_PATH.test(v) && CODE_ROOT.test(v);
  if (/^!+[A-Za-z_$(]/.test(v) || CONSTANT.test(v)) return true;
  if (/^[a-z]+(?:[A-Z][a-z]+)+[!?]?$/.test(v) || TYPE_NAME.test(v)) return !form.assigned;
  if ((form.code || form.spaced) && VARIABLE.test(v) && TRADE.test(v)) return true;
  return CODE_PATH.test(v);
}

/** True for a path, a file, a web address or a version: where a secret is kept, or what it belongs to. */
export function isPathOrVersion(key: string, v: string): boolean {
  if (PATH.test(v) && (v.length < 100 || /pwd$/i.test(key))) return true;
  return FILE.test(v) || /^https?:\/\//.test(v) || VERSION.test(v);
}
