/**
 * Tokens that are recognised by their shape. Owns the table: one entry a kind. To add a provider, add an entry; the tests
 * build its sample and check that it is masked in every context.
 *
 * Every pattern must be linear: character classes with one quantifier each, separated by characters outside the class.
 */

import { isPlaceholder } from "./placeholder.ts";
import { isUserAndPassword } from "./secret-value.ts";

export interface TokenRule {
  /** What the marker says, and what the token is. */
  kind: string;
  /** Every match starts with one of these; matched as written. */
  literals: readonly string[];
  /** What follows the literal, as the source of a regular expression. */
  rest: string;
  /** A second look at the whole match. */
  accepts?: (match: string) => boolean;
  /** How much of the match stays readable. */
  keeps?: (match: string) => number;
  /** An example, `{36}` standing for that many letters and digits, `{h32}` for hexadecimal, `{A16}` for capitals and digits. */
  sample: string;
}

const WORD_END = "(?![A-Za-z0-9])";

export const TOKEN_RULES: readonly TokenRule[] = [
  { kind: "anthropic-key", literals: ["sk-ant-"], rest: "[A-Za-z0-9_-]{16,}", sample: "sk-ant-api03-{80}" },
  { kind: "openai-key", literals: ["sk-"], rest: "[A-Za-z0-9_-]{16,}", accepts: isKeyNotSlug, sample: "sk-proj-{48}" },
  {
    kind: "stripe-key",
    literals: ["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
    rest: "[A-Za-z0-9]{10,}",
    sample: "sk_live_{24}",
  },
  { kind: "stripe-webhook", literals: ["whsec_"], rest: "[A-Za-z0-9+/=]{20,}", sample: "whsec_{32}" },
  { kind: "api-key", literals: ["sk_"], rest: `[a-f0-9]{40,}${WORD_END}`, sample: "sk_{h48}" },
  {
    kind: "github-token",
    literals: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    rest: "[A-Za-z0-9]{30,}",
    sample: "ghp_{36}",
  },
  { kind: "github-token", literals: ["github_pat_"], rest: "[A-Za-z0-9_]{36,}", sample: "github_pat_{22}_{59}" },
  {
    kind: "gitlab-token",
    literals: [
      "glpat-",
      "gldt-",
      "glrt-",
      "glcbt-",
      "glptt-",
      "glft-",
      "glimt-",
      "glagent-",
      "gloas-",
      "glsoat-",
      "glffct-",
    ],
    rest: "[A-Za-z0-9_-]{16,}(?:\\.[A-Za-z0-9_-]{2,40}){0,2}",
    sample: "glpat-{20}",
  },
  {
    kind: "slack-token",
    literals: ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xoxe.xoxp-", "xoxe.xoxb-"],
    rest: "[A-Za-z0-9%-]{10,}",
    sample: "xoxb-123456789012-123456789012-{24}",
  },
  {
    kind: "slack-token",
    literals: ["xapp-"],
    rest: "\\d-[A-Za-z0-9-]{10,}",
    sample: "xapp-1-{A11}-123456789012-{h64}",
  },
  {
    kind: "slack-webhook",
    literals: ["hooks.slack.com/"],
    rest: "(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}",
    keeps: afterSecondSlash,
    sample: "hooks.slack.com/services/T{A8}/B{A8}/{24}",
  },
  {
    kind: "discord-webhook",
    literals: ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
    rest: "\\d{15,22}/[A-Za-z0-9_-]{40,}",
    keeps: (match) => match.lastIndexOf("/") + 1,
    sample: "discord.com/api/webhooks/123456789012345678/{68}",
  },
  {
    kind: "teams-webhook",
    literals: ["webhook.office.com/webhookb2/"],
    rest: "[A-Za-z0-9@/-]{40,}",
    keeps: afterSecondSlash,
    sample: "webhook.office.com/webhookb2/{h36}@{h36}/IncomingWebhook/{h32}",
  },
  { kind: "aws-key", literals: ["AKIA", "ASIA", "ABIA", "ACCA"], rest: `[A-Z0-9]{16}${WORD_END}`, sample: "AKIA{A16}" },
  { kind: "aws-bedrock-key", literals: ["ABSK"], rest: "[A-Za-z0-9+/]{90,}={0,2}", sample: "ABSK{110}" },
  { kind: "google-key", literals: ["AIza"], rest: "[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])", sample: "AIza{35}" },
  { kind: "google-token", literals: ["ya29."], rest: "[A-Za-z0-9_.-]{20,}", sample: "ya29.{60}" },
  { kind: "google-token", literals: ["GOCSPX-"], rest: "[A-Za-z0-9_-]{20,}", sample: "GOCSPX-{28}" },
  { kind: "google-token", literals: ["1//0"], rest: "[A-Za-z0-9_-]{30,}", accepts: isMixed, sample: "1//0{60}" },
  { kind: "sendgrid-key", literals: ["SG."], rest: "[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}", sample: "SG.{22}.{43}" },
  { kind: "twilio-key", literals: ["SK"], rest: `[0-9a-f]{32}${WORD_END}`, sample: "SK{h32}" },
  { kind: "npm-token", literals: ["npm_"], rest: "[A-Za-z0-9]{30,}", sample: "npm_{36}" },
  { kind: "pypi-token", literals: ["pypi-Ag"], rest: "[A-Za-z0-9_-]{30,}", sample: "pypi-Ag{100}" },
  { kind: "huggingface-token", literals: ["hf_"], rest: "[A-Za-z0-9]{30,}", sample: "hf_{34}" },
  {
    kind: "digitalocean-token",
    literals: ["dop_v1_", "doo_v1_", "dor_v1_"],
    rest: "[a-f0-9]{40,}",
    sample: "dop_v1_{h64}",
  },
  {
    kind: "shopify-token",
    literals: ["shpat_", "shpca_", "shppa_", "shpss_"],
    rest: "[a-fA-F0-9]{32}",
    sample: "shpat_{h32}",
  },
  { kind: "square-token", literals: ["sq0atp-", "sq0csp-"], rest: "[A-Za-z0-9_-]{22,}", sample: "sq0csp-{43}" },
  {
    kind: "square-token",
    literals: ["EAAA"],
    rest: "[A-Za-z0-9_-]{60}(?![A-Za-z0-9_+/=-])",
    accepts: isMixed,
    sample: "EAAA{60}",
  },
  { kind: "linear-key", literals: ["lin_api_", "lin_oauth_"], rest: "[A-Za-z0-9]{32,}", sample: "lin_api_{40}" },
  { kind: "figma-token", literals: ["figd_", "figo_"], rest: "[A-Za-z0-9_-]{30,}", sample: "figd_{40}" },
  {
    kind: "notion-token",
    literals: ["ntn_", "secret_"],
    rest: "[A-Za-z0-9]{40,}",
    accepts: isMixed,
    sample: "ntn_{46}",
  },
  {
    kind: "discord-token",
    literals: ["MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"],
    rest: "[A-Za-z0-9_-]{21,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,45}(?![A-Za-z0-9_-])",
    sample: "MT{24}.{6}.{38}",
  },
  { kind: "databricks-token", literals: ["dapi"], rest: `[a-f0-9]{32}(?:-\\d)?${WORD_END}`, sample: "dapi{h32}" },
  { kind: "vault-token", literals: ["hvs.", "hvb.", "hvr."], rest: "[A-Za-z0-9_-]{24,}", sample: "hvs.{90}" },
  {
    kind: "doppler-token",
    literals: ["dp."],
    rest: "(?:pt|st|ct|sa|scim|audit|said)\\.[A-Za-z0-9_.-]{32,}",
    sample: "dp.pt.{43}",
  },
  {
    kind: "planetscale-token",
    literals: ["pscale_"],
    rest: "(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}",
    sample: "pscale_tkn_{43}",
  },
  { kind: "supabase-token", literals: ["sbp_"], rest: `(?:v0_)?[a-f0-9]{40}${WORD_END}`, sample: "sbp_{h40}" },
  { kind: "supabase-token", literals: ["sb_secret_"], rest: "[A-Za-z0-9_-]{20,}", sample: "sb_secret_{31}" },
  { kind: "cloudflare-key", literals: ["v1.0-"], rest: "[a-f0-9]{24}-[a-f0-9]{100,}", sample: "v1.0-{h24}-{h146}" },
  { kind: "age-key", literals: ["AGE-SECRET-KEY-"], rest: "1[A-Z0-9]{50,}", sample: "AGE-SECRET-KEY-1{A58}" },
  { kind: "groq-key", literals: ["gsk_"], rest: "[A-Za-z0-9]{40,}", sample: "gsk_{52}" },
  { kind: "xai-key", literals: ["xai-"], rest: "[A-Za-z0-9]{60,}", sample: "xai-{80}" },
  { kind: "replicate-token", literals: ["r8_"], rest: "[A-Za-z0-9]{30,}", sample: "r8_{37}" },
  { kind: "perplexity-key", literals: ["pplx-"], rest: "[A-Za-z0-9]{40,}", sample: "pplx-{48}" },
  { kind: "tavily-key", literals: ["tvly-"], rest: "(?:dev-|prod-)?[A-Za-z0-9]{24,}", sample: "tvly-{32}" },
  {
    kind: "brave-key",
    literals: ["BSA"],
    rest: "[A-Za-z0-9_-]{28}(?![A-Za-z0-9_+/=-])",
    accepts: isMixed,
    sample: "BSA{28}",
  },
  { kind: "firecrawl-key", literals: ["fc-"], rest: `[a-f0-9]{32}${WORD_END}`, sample: "fc-{h32}" },
  { kind: "nvidia-key", literals: ["nvapi-"], rest: "[A-Za-z0-9_-]{40,}", sample: "nvapi-{64}" },
  { kind: "pinecone-key", literals: ["pcsk_"], rest: "[A-Za-z0-9_]{40,}", sample: "pcsk_{70}" },
  {
    kind: "langsmith-key",
    literals: ["lsv2_"],
    rest: "(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}",
    sample: "lsv2_pt_{h32}_{h10}",
  },
  {
    kind: "resend-key",
    literals: ["re_"],
    rest: `[A-Za-z0-9]{8}_[A-Za-z0-9]{24}${WORD_END}`,
    accepts: isMixed,
    sample: "re_{8}_{24}",
  },
  { kind: "apify-token", literals: ["apify_api_"], rest: "[A-Za-z0-9]{30,}", sample: "apify_api_{36}" },
  { kind: "e2b-key", literals: ["e2b_"], rest: `[a-f0-9]{40}${WORD_END}`, sample: "e2b_{h40}" },
  { kind: "atlassian-token", literals: ["ATATT3", "ATCTT3"], rest: "[A-Za-z0-9_=-]{50,}", sample: "ATATT3{180}" },
  { kind: "grafana-token", literals: ["glsa_"], rest: "[A-Za-z0-9]{32}_[a-f0-9]{8}", sample: "glsa_{32}_{h8}" },
  { kind: "grafana-token", literals: ["glc_"], rest: "[A-Za-z0-9+/=]{32,}", sample: "glc_{60}" },
  { kind: "newrelic-key", literals: ["NRAK-", "NRII-"], rest: "[A-Za-z0-9_-]{27,}", sample: "NRAK-{A27}" },
  { kind: "sentry-token", literals: ["sntrys_", "sntryu_"], rest: "[A-Za-z0-9_+/=-]{50,}", sample: "sntrys_{120}" },
  { kind: "posthog-key", literals: ["phx_"], rest: "[A-Za-z0-9]{40,}", sample: "phx_{43}" },
  { kind: "postman-key", literals: ["PMAK-"], rest: "[a-f0-9]{24}-[a-f0-9]{34}", sample: "PMAK-{h24}-{h34}" },
  { kind: "mailgun-key", literals: ["key-"], rest: `[a-f0-9]{32}${WORD_END}`, sample: "key-{h32}" },
  { kind: "docker-token", literals: ["dckr_pat_", "dckr_oat_"], rest: "[A-Za-z0-9_-]{24,}", sample: "dckr_pat_{27}" },
  {
    kind: "fly-token",
    literals: ["fm2_", "fo1_"],
    rest: "[A-Za-z0-9+/=_-]{40,}",
    accepts: isMixed,
    sample: "fm2_{120}",
  },
  { kind: "heroku-key", literals: ["HRKU-"], rest: "[A-Za-z0-9_-]{36,}", sample: "HRKU-{60}" },
  { kind: "netlify-token", literals: ["nfp_"], rest: "[A-Za-z0-9]{36,}", sample: "nfp_{40}" },
  { kind: "render-key", literals: ["rnd_"], rest: `[A-Za-z0-9]{28,}${WORD_END}`, accepts: isMixed, sample: "rnd_{32}" },
  { kind: "rubygems-key", literals: ["rubygems_"], rest: `[a-f0-9]{48}${WORD_END}`, sample: "rubygems_{h48}" },
  { kind: "pulumi-token", literals: ["pul-"], rest: `[a-f0-9]{40}${WORD_END}`, sample: "pul-{h40}" },
  { kind: "contentful-token", literals: ["CFPAT-"], rest: "[A-Za-z0-9_-]{40,}", sample: "CFPAT-{43}" },
  {
    kind: "tailscale-key",
    literals: ["tskey-"],
    rest: "[a-z]{2,10}-[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}",
    sample: "tskey-auth-{12}-{32}",
  },
  { kind: "onepassword-token", literals: ["ops_eyJ"], rest: "[A-Za-z0-9_-]{80,}", sample: "ops_eyJ{200}" },
  {
    kind: "jwt",
    literals: ["eyJ"],
    rest: "[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*){2,4}",
    accepts: (match) => match.length >= 36,
    sample: "eyJ{33}.eyJ{60}.{43}",
  },
  {
    kind: "bearer",
    literals: ["Bearer ", "bearer ", "BEARER "],
    rest: " {0,4}[A-Za-z0-9._~+/=-]{8,}",
    accepts: (match) => isBearer(match.slice(7).trim()),
    keeps: (match) => match.search(/\S+$/),
    sample: "Bearer {32}",
  },
  {
    kind: "basic",
    literals: ["Basic ", "basic ", "BASIC "],
    rest: "[A-Za-z0-9+/]{6,}={0,2}",
    accepts: (match) => isUserAndPassword(match.slice(6)),
    keeps: () => 6,
    sample: "Basic {basic}",
  },
  {
    kind: "sql-password",
    literals: ["PASSWORD '", "password '", "Password '", "IDENTIFIED BY '", "identified by '"],
    rest: `[^'"\\\\\\s;]{3,200}(?=')`,
    accepts: (match) => !isPlaceholder(match.slice(match.indexOf("'") + 1), "password"),
    keeps: (match) => match.indexOf("'") + 1,
    sample: "PASSWORD '{14}'",
  },
  {
    kind: "sql-password",
    literals: ["PASSWORD FOR "],
    rest: `[^=\\r\\n"]{1,100}= ?'[^'"\\\\\\s;]{3,200}(?=')`,
    keeps: (match) => match.indexOf("'", match.indexOf("=")) + 1,
    sample: "PASSWORD FOR root = '{14}'",
  },
  {
    kind: "php-constant",
    literals: ["define('"],
    rest: "[A-Z_]{0,40}(?:PASSWORD|SECRET|TOKEN|KEY|SALT)[A-Z_]{0,40}'[ \\t]{0,8},[ \\t]{0,8}'[^'\"\\\\\\r\\n]{3,200}(?=')",
    accepts: (match) => !isPlaceholder(match.slice(ofConstant(match)), "password"),
    keeps: ofConstant,
    sample: "define('DB_PASSWORD', '{14}'",
  },
  {
    kind: "quoted-password",
    literals: ["password `", "Password `", "passphrase `", "token `", "secret `"],
    rest: "[^`\\s\"'\\\\(){}<>]{6,128}(?=`)",
    accepts: (match) => isWordWithDigits(match.slice(match.indexOf("`") + 1)),
    keeps: (match) => match.indexOf("`") + 1,
    sample: "password `{14}`",
  },
  {
    kind: "netrc-password",
    literals: ["login "],
    rest: "[^\\s\"'\\\\]{1,128}(?:[ \\t\\r\\n]{1,40}|\\\\{1,64}[nrt][ \\t]{0,40})password[ \\t]+[^\\s\"'\\\\]+",
    accepts: (match) => !isPlaceholder(match.slice(match.search(/\S+$/)), "password"),
    keeps: (match) => match.search(/\S+$/),
    sample: "login ci password {20}",
  },
];

/** Shapes with a body of `x`, dots or `your`: what documentation shows. */
export function isDocumented(match: string): boolean {
  return (
    /x{6,}|X{6,}|\*{3}|\.{3}|your[-_]|[-_]here\b|1234567890123456/i.test(match) &&
    !/[A-Za-z0-9]{40,}$/.test(match.replace(/x{6,}|X{6,}/g, "-"))
  );
}

/** A key, not a name such as `sk-fading-circle-container`. */
function isKeyNotSlug(match: string): boolean {
  return (
    /^sk-(?:proj|svcacct|admin|or|None)-/.test(match) ||
    /[A-Za-z0-9]{32,}/.test(match) ||
    (/[A-Za-z0-9]{16,}/.test(match) && /\d/.test(match))
  );
}

/** Digits and letters of both cases: base64 of something random, not a word. */
function isMixed(match: string): boolean {
  return /[0-9]/.test(match) && /[a-z]/.test(match) && /[A-Z]/.test(match);
}

/** What follows `Bearer` and is no word of a sentence about it. */
function isBearer(value: string): boolean {
  if (isPlaceholder(value, "token") || /^(?:[a-z_]+=|https?:)/.test(value)) return false;
  const token = value.replace(/[.,]+$/, "");
  return (token.length >= 8 && /\d/.test(token)) || (token.length >= 24 && /[A-Z]/.test(token) && /[a-z]/.test(token));
}

/** Letters and digits in one word: no name of an option, type or version has both. */
function isWordWithDigits(value: string): boolean {
  return (
    /\d/.test(value) && /[A-Za-z]/.test(value) && !/^[\w.-]*[=:/]/.test(value) && !isPlaceholder(value, "password")
  );
}

/** Where the value of PHP's `define` starts. */
function ofConstant(match: string): number {
  return match.indexOf("'", match.indexOf(",")) + 1;
}

function afterSecondSlash(match: string): number {
  return match.indexOf("/", match.indexOf("/") + 1) + 1;
}
