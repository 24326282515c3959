/**
 * The vocabulary of keys: which words name a secret, and which companions make such a key harmless. Lists only; how they
 * are combined is in key-class.ts. Every word is lower case and one whole segment of a key (`maxOutputTokens` is `max`,
 * `output`, `tokens`).
 */

import { words } from "./lazy.ts";

/** Words that name a secret by themselves. */
export const SECRET_WORDS = words(`
  password passwd pwd passcode pswd passwrd secret psk apikey apitoken apisecret accesskey secretkey privatekey
  authkey secretaccesskey accountkey sharedaccesskey sharedkey subscriptionkey tokensecret masterkey signingkey encryptionkey credential creds authcode otp cvv cvc kennwort passwort senha contrasena
  motdepasse wachtwoord sharedaccesssignature phpsessid jsessionid
`);

/** Plurals: lists and counters more often than values. */
export const SECRET_GROUP_WORDS = words("passwords secrets credentials apikeys");

/** Words for secrets that are sentences or lines and may hold spaces. */
export const PHRASE_WORDS = words("passphrase mnemonic connectionstring");

/** The word before `key` that makes the pair a secret (`api_key`, `PRIVATE-KEY`). */
export const SECRET_KEY_QUALIFIERS = words(`
  api secret private access encryption encrypt decryption decrypt signing signature master account auth authorization
  shared subscription service admin root session hmac aes webhook storage integration bot license deploy
  wallet write management provisioning consumer primarykey jwt cipher crypto
`);

/** Vendors whose `VENDOR_KEY` is an API key, if the value looks like one. */
export const VENDOR_KEY_QUALIFIERS = words(`
  openai anthropic claude gemini mistral groq cohere deepseek openrouter perplexity tavily serper exa brave replicate
  huggingface hf pinecone stripe sendgrid mailgun mailchimp twilio resend postmark aws gcp azure google firebase supabase
  algolia datadog dd app application sentry newrelic honeycomb grafana github gitlab linear notion slack discord telegram
  cloudflare cf vercel netlify heroku digitalocean render fly mapbox here maps weather openweather newsapi rapidapi shodan
  virustotal figma airtable asana trello jira shopify square paypal plaid dropbox box zoom hubspot salesforce server client
`);

/** Pairs of words that name a secret together. */
export const SECRET_PAIRS = words(
  "recovery_code recovery_codes backup_codes verification_code mfa_code auth_code authorization_code " +
    "basic_auth key_data session_cookie secret_string secret_binary string_data jaas_config",
);

/** Pairs of words for secrets that may hold spaces. */
export const PHRASE_PAIRS = words(
  "connection_string seed_phrase recovery_phrase conn_string connection_uri secret_phrase",
);

/** One-word keys that join the two (`accesstoken`, `clientsecret`, `dbpassword`): what may stand before the secret word. */
export const JOINED_QUALIFIERS = words(`
  access api auth app admin aws azure bearer bot ci client csrf xsrf custom database db deploy device discord dropbox gcp gh
  git github gitlab google hf id identity jwt key keystore login mail my mysql new npm oauth oauthaccess old openai personal
  pg postgres private proxy push redis refresh refreshtoken rest root secret security service session shared slack smtp ssh
  sso super truststore tunnel user userauth vault web webhook x http https ftp
`);

/** Words before a secret word that turn the key into a question, a switch or a measure (`hasPassword`, `minTokenAge`). */
export const HARMLESS_BEFORE = words(`
  is has have use uses using enable enables disable show hide toggle require requires required allow allows needs need
  should can no without skip forgot forgotten min max minimum maximum num number count total supports support missing
  invalid validate verify check checksum sha
`);

/** Words after a secret word that make it an attribute of the secret, not the secret (`passwordPolicy`, `secretName`). */
export const HARMLESS_AFTER = words(`
  age alg algo algorithm allowed arn arns at attempts attribute attributes audience authentication banner button
  cache challenge changed character characters check checker class classname column columns complexity confirmed
  consent context count counts created ctx date days decimals desc description detail details dialog digits dir
  directory disabled domain duration email enabled encoder encoding encryption endpoint env environ envvar error errors
  exception exists exp expiration expire expired expires expiry feature field fields file filename files flag flags
  flow folder form format generator grant group groups handler header headers help hint history hours icon id ids in
  index info input interval invalid is issuer jar kind label last latency len length level lib library lifetime
  limit link location manager match max meta metadata method methods middleware min minutes mismatch missing mode
  modified module name names needed notice option optional options owner page parser path paths pattern placeholder
  plugin policies policy port position preference preferences prefix present prompt properties property protected
  protection provider pull quality ref reference references refs regex regexp required requirement requirements
  reset retries rotated rotation route rule rules samesite schema scheme scope scopes score screen seconds secure
  server servers set settings size source state status store strength style styles suffix support supported table
  tables template test tests time timeout timestamp title tooltip ttl type types updated uri uris url urls usage
  username uuid valid validated validation validator var variable variables verified version versions view
  visibility visible warning window
`);

/** More of them for `token` alone, which is also a word of parsers, language models and paging. */
export const TOKEN_HARMLESS_BEFORE = words(`
  accepted added additional all audio available average avg base begin billable block bos budget byte cache cached
  cancel cancellation candidate changes cls code color colour completion consistency consumed context
  continuation continue cost css cursor dedup delta design dimension discriminator draft eod eom eos eot erc erc20
  estimated export fencing fill fim first fits font gas generated generic governance idempotency ids image injection
  input keep lang language layout lexer list llm lookahead lp lut mask max min model next nft number opaque
  output pad page paginate pagination paging parse peek per prediction prev previous progress prompt quote
  reasoning rejected remaining resume reward scroll semantic sent sep sequence sequencing shadow
  skip snapshot space spacing special start starting stop stream subword sum sync syntax text theme
  thinking thought timestamp thoughts total typography ui unk unused usage used video vision vocab word
`);

/** More of them after `token`. */
export const TOKEN_HARMLESS_AFTER = words(`
  address amount auth authorization balance bucket budget budgets bytes capacity classification classifier color cost costs dimension
  efficiency embedding embeddings end estimate estimates exchange filter filters hashes holder holders introspection
  list logprob logprobs map metrics number offset offsets overhead overlap overrides per pos price pricing prob
  probabilities probability quota rate ratio refresh request response revocation span start stats str strategy stream
  summary supply symbol text threshold usages use used
`);

/** Keys of a secret object that only describe it (`"credential": {"type": "basic", …}`). */
export const DESCRIPTOR_KEYS = words(`
  type kind name id in source resolved integrity description title label scheme format domain path expires samesite httponly secure url uri href
  created createdat created_at updated updatedat updated_at expiresat expires_at expiry version versionid version_id
  arn status state scope scopes region namespace apiversion tokentype token_type
`);

/** Keys whose object is a block of environment variables. */
export const ENV_KEYS = words(
  "env environment environ envs envvars envvariables environmentvariables processenv extraenv",
);

/** Keys whose object or list of pairs is a block of headers. */
export const HEADER_KEYS = words(`
  headers requestheaders responseheaders httpheaders rawheaders extraheaders defaultheaders customheaders
  additionalheaders upstreamheaders reqheaders resheaders requestheader responseheader
`);

/** Keys whose value names a thing, the secret being in a sibling called one of VALUE_KEYS. */
export const NAME_KEYS = words(
  "name key field label element selector header param parameter parametername variable varname",
);

export const VALUE_KEYS = words("value val newvalue currentvalue secretvalue parametervalue");

/** The same for what is typed into a form (`{"element": "Password input", "text": …}`). */
export const TYPED_KEYS = words("value text content");

/** Words of a form that say nothing about what the field holds (`Password input`). */
export const FORM_WORDS = words("field input textbox box text edit entry the your enter for a confirm current of new");

/**
 * Three letters in a row of which every key has some that is not plain (`ecr` of `secret`, `iel` of `field`), upper and
 * lower case alike: what lets most keys pass without being judged. Rare ones: `uth` tells less than `aut`, of `auto`.
 */
export const TELLING_LETTERS: readonly string[] = (
  "ecr eds ede key pas pwd swd psk otp cvv cvc uth enh wac nnw ras hps jse dac phr mne onn cov cku rif mfa gda g_d jaa " +
  "tok jwt bea coo dsn env hea nam iel abe lem lec ara var"
).split(" ");

/** What `BIR_REDACT_LEGACY_KEYS=1` looks for anywhere in a key. */
export const LEGACY_FRAGMENTS: readonly string[] = [
  "password",
  "passwd",
  "passphrase",
  "secret",
  "token",
  "apikey",
  "accesskey",
  "privatekey",
  "credential",
  "authorization",
  "cookie",
];
