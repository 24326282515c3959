// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts hold references such as ${TOKEN}.

/**
 * Texts with secrets in them, in the contexts in which tools are given and return them. Every value that looks like a token
 * is made at run time. `gone` must not occur in the redacted text; `stays` must.
 */

import { TOKEN_RULES } from "../../src/redact/token-rules.ts";
import { expand, filler, pemLine } from "./filler.ts";

export interface SecretCase {
  name: string;
  text: string;
  /** The text is one JSON value, to be given to `redactJson`. */
  json?: boolean;
  gone: string[];
  stays?: string[];
}

const pw = (seed: string, length = 14): string => `${filler(seed, length - 2, "base62")}!9`;
const hex = (seed: string, length: number): string => filler(seed, length, "hex");
const b62 = (seed: string, length: number): string => filler(seed, length);
const b64 = (seed: string, length: number): string => filler(seed, length, "base64");
const json = (name: string, value: unknown, gone: string[], stays: string[] = []): SecretCase => ({
  name,
  text: JSON.stringify(value),
  json: true,
  gone,
  stays,
});
const text = (name: string, content: string, gone: string[], stays: string[] = []): SecretCase => ({
  name,
  text: content,
  gone,
  stays,
});
const result = (content: string): unknown => ({ content: [{ type: "text", text: content }], isError: false });

function pem(label: string, seed: string, lines = 6): string {
  const body = Array.from({ length: lines }, (_, i) => b64(`${seed}${i}`, 64)).join("\n");
  return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
}

/** Every token rule in one of many contexts. */
const CONTEXTS: ((token: string) => { text: string; json?: boolean })[] = [
  (t) => ({ text: JSON.stringify({ query: `find usages of ${t}`, limit: 10 }), json: true }),
  (t) => ({ text: `2026-03-01T10:22:31Z ERROR request failed, key=${t} status=401` }),
  (t) => ({ text: JSON.stringify(result(JSON.stringify({ rows: [{ id: 1, note: t }] }))), json: true }),
  (t) => ({ text: `line one\n${t}\nline three` }),
  (t) => ({ text: JSON.stringify({ text: `line one\n${t}\nline three` }), json: true }),
  (t) => ({ text: JSON.stringify({ command: `deploy.sh '${t}' --dry-run` }), json: true }),
  (t) => ({ text: `| name | value |\n|---|---|\n| ci | \`${t}\` |` }),
  (t) => ({ text: `\u001b[32m${t}\u001b[0m` }),
  (t) => ({ text: JSON.stringify({ a: { b: [[t, "x"], { c: t }] } }), json: true }),
  (t) => ({ text: JSON.stringify(JSON.stringify(JSON.stringify({ v: [t] }))), json: true }),
];

const SHAPES: SecretCase[] = TOKEN_RULES.map((rule, i) => {
  const token = expand(rule.sample, `${rule.kind}${i}`);
  const kept = rule.keeps?.(token) ?? 0;
  const context = CONTEXTS[i % CONTEXTS.length]!;
  return { name: `${rule.kind} #${i}`, ...context(token), gone: [token.slice(kept)] };
});

const JSON_KEYS: SecretCase[] = [
  json("login arguments", { username: "bob", password: pw("a") }, [pw("a")], ["bob"]),
  json("short password", { user: "root", password: "toor" }, ["toor"]),
  json("password of words", { password: "correct horse battery staple" }, ["horse battery"]),
  json("passphrase", { passphrase: "the sea must be blue at night" }, ["blue at night"]),
  json("passwd", { passwd: pw("b") }, [pw("b")]),
  json("pwd", { connection: { host: "db", uid: "sa", pwd: pw("c") } }, [pw("c")], ["sa"]),
  json("numeric PIN under password", { user: "x", password: 48213377 }, ["48213377"]),
  json("apiKey", { apiKey: b62("d", 24), model: "large" }, [b62("d", 24)], ["large"]),
  json("api_key", { api_key: hex("e", 32) }, [hex("e", 32)]),
  json("API-Key", { "API-Key": hex("f", 40) }, [hex("f", 40)]),
  json("apikey", { apikey: b62("g", 20) }, [b62("g", 20)]),
  json("X-API-KEY member", { "X-API-KEY": b62("h", 20) }, [b62("h", 20)]),
  json(
    "client secret",
    { client_id: "app-1", client_secret: b62("i", 40), grant_type: "client_credentials" },
    [b62("i", 40)],
    ["app-1", "client_credentials"],
  ),
  json("clientSecret", { clientSecret: b62("j", 30) }, [b62("j", 30)]),
  json(
    "token response",
    { access_token: b62("k", 50), token_type: "Bearer", expires_in: 3600, refresh_token: b62("l", 50) },
    [b62("k", 50), b62("l", 50)],
    ["Bearer", "3600"],
  ),
  json("id_token", { id_token: b62("m", 90) }, [b62("m", 90)]),
  json("token", { token: b62("n", 32) }, [b62("n", 32)]),
  json("authToken", { authToken: b62("o", 32), userId: 7 }, [b62("o", 32)]),
  json(
    "session token",
    { sessionToken: b62("p", 64), SecretAccessKey: b64("q", 40), AccessKeyId: `ASIA${filler("r", 16, "capitals")}` },
    [b62("p", 64), b64("q", 40), filler("r", 16, "capitals")],
  ),
  json("csrf token", { csrfToken: hex("s", 32) }, [hex("s", 32)]),
  json(
    "private key of a service account",
    { type: "service_account", project_id: "p", private_key_id: hex("t", 40), private_key: pem("PRIVATE KEY", "t") },
    [b64("t2", 64)],
    ["service_account"],
  ),
  json("encryption key", { encryption_key: b64("u", 44) }, [b64("u", 44)]),
  json("signingKey", { signingKey: b62("v", 24) }, [b62("v", 24)]),
  json("webhookSecret", { webhookSecret: b62("w", 32) }, [b62("w", 32)]),
  json("secret", { name: "stripe", secret: b62("x", 20) }, [b62("x", 20)], ["stripe"]),
  json("secret key base", { secret_key_base: hex("y", 128) }, [hex("y", 128)]),
  json("Authorization", { Authorization: `Bearer ${b62("z", 20)}` }, [b62("z", 20)]),
  json("basic authorization", { authorization: `Basic ${btoa(`bob:${pw("aa")}`)}` }, [btoa(`bob:${pw("aa")}`)]),
  json("cookie header member", { cookie: `sid=${hex("bb", 32)}; theme=dark` }, [hex("bb", 32)]),
  json("set-cookie member", { "set-cookie": [`sid=${hex("cc", 32)}; Path=/; HttpOnly`] }, [hex("cc", 32)]),
  json(
    "browser cookies",
    { cookies: [{ name: "session", value: b62("dd", 40), domain: ".example.com", path: "/", httpOnly: true }] },
    [b62("dd", 40)],
    [".example.com"],
  ),
  json("credentials object", { credentials: { user: "svc", pin: "8842", extra: { recovery: "otter-lamp" } } }, [
    "8842",
    "otter-lamp",
  ]),
  json("secrets map", { secrets: { stripe: b62("ee", 16), sentry: "abc-def-ghi" } }, [b62("ee", 16), "abc-def-ghi"]),
  json("secret list", { apiKeys: [], passwords: ["alpha-7", "bravo-8"] }, ["alpha-7", "bravo-8"]),
  json("long number in credentials", { credentials: { account: 123456789012, retries: 3 } }, ["123456789012"], ["3"]),
  json("connection string", { connectionString: `Server=db;User Id=sa;Password=${pw("ff")};Encrypt=true` }, [pw("ff")]),
  json("connection_string", { connection_string: `mongodb+srv://u:${b62("gg", 12)}@cluster0.example.net/x` }, [
    b62("gg", 12),
  ]),
  json("secret beside a schema-like type", { db_password: { sensitive: true, type: "string", value: pw("hh") } }, [
    pw("hh"),
  ]),
  json(
    "name and value",
    {
      variables: [
        { key: "DB_PASSWORD", value: pw("ii"), protected: true },
        { key: "REGION", value: "eu-1" },
      ],
    },
    [pw("ii")],
    ["eu-1"],
  ),
  json("Name and Value", { Parameters: [{ Name: "/app/prod/db-password", Type: "SecureString", Value: pw("jj") }] }, [
    pw("jj"),
  ]),
  json(
    "form fields",
    {
      fields: [
        { name: "Email", type: "textbox", ref: "e4", value: "a@b.example" },
        { name: "Password", type: "textbox", ref: "e7", value: pw("kk") },
      ],
    },
    [pw("kk")],
    ["a@b.example"],
  ),
  json("typing into a password field", { element: "Password input", ref: "e12", text: pw("ll"), submit: true }, [
    pw("ll"),
  ]),
  json(
    "secret string with JSON",
    { Name: "prod/db", SecretString: JSON.stringify({ username: "u", host: "h", password: pw("mm") }) },
    [pw("mm")],
  ),
  json("docker auth", { auths: { "registry.example.com": { auth: btoa(`ci:${pw("nn")}`) } } }, [
    btoa(`ci:${pw("nn")}`),
  ]),
  json("basic_auth", { basic_auth: "admin:swordfish" }, ["swordfish"]),
  json(
    "smtp pass",
    { host: "smtp.example.com", auth: { user: "mailer", pass: "m41l-p4ss" } },
    ["m41l-p4ss"],
    ["mailer"],
  ),
  json("db_pass", { db_pass: "kittens" }, ["kittens"]),
  json("new and old password", { currentPassword: "oldone", newPassword: "newone", confirmPassword: "newone" }, [
    "oldone",
    "newone",
  ]),
  json("one-word compounds", { dbpassword: "abc123", accesstoken: b62("oo", 22), clientsecret: b62("pp", 22) }, [
    "abc123",
    b62("oo", 22),
    b62("pp", 22),
  ]),
  json("password hash", { id: 1, password_hash: `$2b$10$${b62("qq", 53)}` }, [b62("qq", 53)]),
  json("otp", { otp: "493021" }, ["493021"]),
  json("mnemonic", { mnemonic: "ripple candy must orbit your wagon at noon" }, ["orbit your wagon"]),
  json("seed phrase", { seedPhrase: "ripple candy orbit wagon noon fence" }, ["orbit wagon"]),
  json("vault login", { role_id: "r-1", secret_id: `${hex("rr", 8)}-${hex("ss", 4)}-4a1b-8c2d-${hex("tt", 12)}` }, [
    hex("rr", 8),
  ]),
  json("vendor key", { openai_key: b62("uu", 40) }, [b62("uu", 40)]),
  json("subscription key", { "Ocp-Apim-Subscription-Key": hex("vv", 32) }, [hex("vv", 32)]),
  json(
    "kubeconfig",
    { users: [{ name: "admin", user: { "client-key-data": b64("ww", 120) } }] },
    [b64("ww", 120)],
    ["admin"],
  ),
  json("kubernetes secret", { kind: "Secret", stringData: { username: "svc-user-1", "tls.pem": "inline-material" } }, [
    "inline-material",
  ]),
  json("deep object under secret", { auth_token: { value: { inner: ["deep-value-1", { leaf: "deep-value-2" }] } } }, [
    "deep-value-1",
    "deep-value-2",
  ]),
  json("escaped quotes and backslashes in the value", { password: 'a"b\\c\\"d\n\te' }, ["b\\\\c"]),
  json("unicode value", { password: "пароль-秘密-🔑" }, ["秘密"]),
  json("foreign key name", { пароль: "весна-77" }, ["весна-77"]),
  json("value that looks like a path but is not", { secretAccessKey: `/${b64("xx", 39)}` }, [b64("xx", 39)]),
  json(
    "private key in an object",
    { tls: { cert: "-----BEGIN CERTIFICATE-----", key: pem("EC PRIVATE KEY", "yy", 3) } },
    [b64("yy1", 64)],
  ),
  json("key with spaces", { "Client Secret": b62("zz", 16) }, [b62("zz", 16)]),
  json("dotted key", { "spring.datasource.password": "petclinic1" }, ["petclinic1"]),
  json("capitals", { PASSWORD: "ABCDEF", SECRET_KEY: "QWERTY" }, ["ABCDEF", "QWERTY"]),
];

const NESTED: SecretCase[] = [
  json("JSON in text", result(JSON.stringify({ user: { name: "bob", password: "hunter2" } })), ["hunter2"], ["bob"]),
  json(
    "pretty JSON in text",
    result(JSON.stringify({ user: { name: "bob", api_key: "abc-123-xyz", tags: ["a"] } }, null, 2)),
    ["abc-123-xyz"],
  ),
  json("JSON in JSON in text", result(JSON.stringify({ body: JSON.stringify({ token: b62("n1", 24), page: 1 }) })), [
    b62("n1", 24),
  ]),
  json(
    "four levels",
    { a: JSON.stringify({ b: JSON.stringify({ c: JSON.stringify({ client_secret: 'q"uo\\te' }) }) }) },
    ["uo"],
  ),
  json("numeric secret in nested JSON", result(JSON.stringify({ password: 99887766, n: 1 })), ["99887766"]),
  json("env block in nested JSON", result(JSON.stringify({ env: { A: "alpha-one", B: "bravo-two" } }, null, 1)), [
    "alpha-one",
    "bravo-two",
  ]),
  json(
    "headers in nested JSON",
    result(JSON.stringify({ headers: { "X-Thing": "thing-value", Accept: "*/*" } })),
    ["thing-value"],
    ["*/*"],
  ),
  json("Python repr in text", result("{'user': 'bob', 'password': 'hunter2', 'n': 1}"), ["hunter2"], ["bob"]),
  json("Python repr with bytes", result("{'token': b'abc123def456'}"), ["abc123def456"]),
  json("Ruby hash", result('{:user=>"bob", "password"=>"hunter2"}'), ["hunter2"]),
  json("PHP array", result("array('password' => 'hunter2', 'x' => 1)"), ["hunter2"]),
  json("log with JSON", result(`INFO sent body={"email":"a@b.c","password":"hunter2"} in 12ms`), ["hunter2"], ["12ms"]),
  {
    name: "PHP escapes slashes",
    text: `{"url":"https:\\/\\/bob:s3cr3tpw@example.com\\/x"}`,
    json: true,
    gone: ["s3cr3tpw"],
    stays: ["example.com"],
  },
  {
    name: ".NET escapes quotes",
    text: `{"text":"{\\u0022password\\u0022:\\u0022hunter2\\u0022}"}`,
    json: true,
    gone: ["hunter2"],
  },
  {
    name: "Go escapes ampersands",
    text: `{"url":"https://x.example/cb?a=1\\u0026access_token=${b62("n2", 24)}\\u0026b=2"}`,
    json: true,
    gone: [b62("n2", 24)],
    stays: ["b=2"],
  },
  { name: "Gson escapes equals", text: `{"q":"token\\u003d${b62("n3", 24)}"}`, json: true, gone: [b62("n3", 24)] },
  { name: "escaped key name", text: `{"pass\\u0077ord":"hunter2"}`, json: true, gone: ["hunter2"] },
  { name: "spaces around the colon", text: `{ "password" : "hunter2" , "a" : 1 }`, json: true, gone: ["hunter2"] },
  { name: "tabs and line breaks", text: `{\r\n\t"secret"\t:\r\n\t"hunter2"\r\n}`, json: true, gone: ["hunter2"] },
];

const BLOCKS: SecretCase[] = [
  json(
    "env of a server entry",
    { command: "npx", args: ["-y", "srv"], env: { API_URL: "https://api.example.com", PLAIN: "just-a-word" } },
    ["just-a-word", "api.example.com"],
    ["npx", "API_URL"],
  ),
  json(
    "environment as list",
    { image: "x", environment: ["POSTGRES_USER=bob", `POSTGRES_PASSWORD=${pw("e1")}`] },
    ["=bob", pw("e1")],
    ["POSTGRES_USER="],
  ),
  json(
    "env as pairs",
    { env: [{ name: "DEMO_TOKEN", value: "secret-demo-value" }] },
    ["secret-demo-value"],
    ["DEMO_TOKEN"],
  ),
  json("Env of docker inspect", { Config: { Env: ["PATH=/usr/bin", "X=y-secret"] } }, ["y-secret"]),
  json("nested env", { env: { production: { KEY: "prod-value" }, list: ["A=bb-cc"] } }, ["prod-value", "bb-cc"]),
  json("env with a brace and quote in the value", { env: { A: 'x"}],{y', B: "zed-9" } }, ["zed-9"]),
  json(
    "request headers",
    { headers: { Authorization: "Token abcdef", "X-Api-Version": "v-77", Accept: "application/json" } },
    ["abcdef", "v-77"],
    ["application/json"],
  ),
  json(
    "header pairs",
    {
      headers: [
        ["Authorization", "Bearer aa-bb"],
        ["Accept", "text/html"],
      ],
    },
    ["aa-bb"],
    ["text/html"],
  ),
  json(
    "header objects",
    {
      requestHeaders: [
        { name: "X-Auth", value: "zz-yy" },
        { name: "Host", value: "example.com" },
      ],
    },
    ["zz-yy"],
    ["example.com"],
  ),
  json(
    "header lines",
    { headers: ["Authorization: Bearer cc-dd", "Content-Type: text/plain"] },
    ["cc-dd"],
    ["text/plain"],
  ),
  json("Postman header", { header: [{ key: "X-API-Key", value: "pm-value-1" }] }, ["pm-value-1"]),
  json(
    "raw headers",
    { rawHeaders: ["Host", "example.com", "Cookie", "a=b-secret", "Accept", "*/*"] },
    ["b-secret"],
    ["example.com"],
  ),
  json(
    "header with several values",
    { response_headers: { "Set-Cookie": ["sid=one-1", "tok=two-2"], Date: "today" } },
    ["one-1", "two-2"],
    ["today"],
  ),
  json("env under a tool's arguments as text", result('"env": {\n  "A_KEY": "value-of-a"\n}'), ["value-of-a"]),
];

const TEXTS: SecretCase[] = [
  text(
    ".env file",
    `# settings\nNODE_ENV=production\nDB_PASSWORD=${pw("t1")}\nAPI_KEY="${b62("t2", 20)}"\nexport SECRET='single quoted'\n`,
    [pw("t1"), b62("t2", 20), "single quoted"],
    ["NODE_ENV=production"],
  ),
  text(".env of words", "DB_PASSWORD=correcthorse\nREDIS_PASS=battery\n", ["correcthorse", "battery"]),
  text(".env with symbols", "SMTP_PASSWORD=p@ss,w;rd)(&x\nNEXT=1", ["rd)(&x"], ["NEXT=1"]),
  text("YAML", "database:\n  user: bob\n  password: hunter2\n  port: 5432\n", ["hunter2"], ["bob", "5432"]),
  text("YAML words", "password: swordfish\n", ["swordfish"]),
  text("YAML quoted", "auth:\n  client_secret: 'it''s a secret'\n  token: \"abc def\"\n", ["s a secret"]),
  text("YAML in a list", "users:\n  - name: bob\n    passwd: $6$rounds=5000$salty$hashhash\n", ["hashhash"]),
  text("INI", "[client]\nuser = root\npassword = s3cr3t # local\n", ["s3cr3t"], ["# local"]),
  text("TOML", 'api_key = "k-123456"\n', ["k-123456"]),
  text("properties", "spring.datasource.password=petclinic\n", ["petclinic"]),
  text("npmrc", `//registry.npmjs.org/:_authToken=${b62("t3", 36)}\n`, [b62("t3", 36)]),
  text(
    "pip config",
    `index-url = https://ci:${b62("t4", 20)}@pypi.example.com/simple\n`,
    [b62("t4", 20)],
    ["pypi.example.com"],
  ),
  text("netrc", `machine api.example.com login bot password ${b62("t5", 18)}\n`, [b62("t5", 18)], ["bot"]),
  text(
    "AWS credentials file",
    `[default]\naws_access_key_id = AKIA${filler("t6", 16, "capitals")}\naws_secret_access_key = ${b64("t7", 40)}\n`,
    [filler("t6", 16, "capitals"), b64("t7", 40)],
  ),
  text("shell export", `export OPENAI_API_KEY=${b62("t8", 40)} && npm start`, [b62("t8", 40)], ["npm start"]),
  text("inline environment", "PGPASSWORD=letmein psql -h db -U app", ["letmein"], ["psql -h db"]),
  text(
    "docker run",
    "docker run -e MYSQL_ROOT_PASSWORD=rootpw -p 3306:3306 mysql:8",
    ["rootpw"],
    ["3306:3306", "mysql:8"],
  ),
  text("Dockerfile", `ENV GITHUB_TOKEN=${b62("t9", 30)}\nARG NPM_TOKEN=${b62("t10", 30)}`, [
    b62("t9", 30),
    b62("t10", 30),
  ]),
  text(
    "command flag with a space",
    "deploy --region eu --token s3cr3t-value --verbose",
    ["s3cr3t-value"],
    ["--verbose", "eu"],
  ),
  text("command flag with equals", "deploy --password=s3cr3t --user=bob", ["s3cr3t"], ["--user=bob"]),
  text("command flag in quotes", 'login --username bob --password "two words"', ["two words"], ["bob"]),
  text("flag of letters only", "vault login --token opensesame", ["opensesame"]),
  json(
    "flag in a list of arguments",
    { args: ["serve", "--api-key", "k-99-abc", "--port", "8080"] },
    ["k-99-abc"],
    ["8080"],
  ),
  json("flag with equals in a list", { args: ["--auth-token=abc-def-123"] }, ["abc-def-123"]),
  json(
    "curl user in a list",
    { args: ["curl", "-u", "bob:hunter2", "https://x.example"] },
    ["hunter2"],
    ["bob", "x.example"],
  ),
  text("curl -u", "curl -s -u bob:hunter2 https://api.example.com/v1", ["hunter2"], ["bob", "api.example.com"]),
  text("curl -u quoted", "curl -u 'bob:hun ter2' https://x", ["hun"]),
  text("curl --user", "curl --user bob:hunter2 https://x", ["hunter2"]),
  text("curl header", `curl -H "Authorization: Bearer ${b62("t11", 20)}" -H 'X-Api-Key: ${hex("t12", 20)}' https://x`, [
    b62("t11", 20),
    hex("t12", 20),
  ]),
  text("curl cookie", `curl -H 'Cookie: sid=${hex("t13", 24)}; other=1' https://x`, [hex("t13", 24)], ["https://x"]),
  text("mysql -p", "mysqldump -uroot -phunter2 shop > shop.sql", ["hunter2"], ["shop.sql"]),
  text("sshpass", "sshpass -p 'hunter2' ssh root@host", ["hunter2"], ["root@host"]),
  text("redis-cli -a", "redis-cli -h cache -a hunter2 PING", ["hunter2"], ["PING"]),
  text(
    "HTTP request dump",
    `> GET /v1/me HTTP/1.1\n> Host: api.example.com\n> Authorization: Bearer ${b62("t14", 30)}\n> X-Api-Key: shortkey1\n> Accept: */*\n`,
    [b62("t14", 30), "shortkey1"],
    ["Accept: */*"],
  ),
  text(
    "HTTP response dump",
    `< HTTP/1.1 200 OK\n< Set-Cookie: session=${hex("t15", 20)}; Path=/; HttpOnly\n< Content-Type: text/html\n`,
    [hex("t15", 20)],
    ["text/html"],
  ),
  text(
    "digest authorization",
    'Authorization: Digest username="bob", realm="r", nonce="abc", response="6629fae49393a053"',
    ["6629fae49393a053"].slice(1),
  ),
  text(
    "AWS signature",
    `Authorization: AWS4-HMAC-SHA256 Credential=AKIA${filler("t16", 16, "capitals")}/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=${hex("t17", 64)}`,
    [hex("t17", 64)],
  ),
  text("proxy authorization", `Proxy-Authorization: Basic ${btoa("bob:hunter2")}`, [btoa("bob:hunter2")]),
  text("authorization without scheme", `authorization: ${b62("t18", 40)}`, [b62("t18", 40)]),
  text("bearer in prose", `I called it with Bearer ${b62("t19", 32)} and got 403`, [b62("t19", 32)], ["got 403"]),
  text(
    "postgres URL",
    "DATABASE_URL=postgres://app:s3cr3t@db.example.com:5432/app?sslmode=require",
    ["s3cr3t"],
    ["app:", "db.example.com"],
  ),
  text("mysql URL with @ in the password", "mysql://root:p@ss@localhost/x", ["p@ss"], ["localhost"]),
  text("redis URL without user", "redis://:s3cr3tpass@cache:6379/0", ["s3cr3tpass"], ["cache:6379"]),
  text("password with a slash", "redis://default:ab/cd99@cache:6379", ["cd99"], ["cache:6379"]),
  text("amqp URL", "connecting to amqps://svc:Tr0ub4dor@mq.example.com/vhost ...", ["Tr0ub4dor"], ["mq.example.com"]),
  text("proxy URL", "HTTPS_PROXY=http://corp%5Cbob:hunter2@proxy.corp:3128", ["hunter2"], ["proxy.corp"]),
  text(
    "git remote",
    `origin\thttps://x-access-token:${b62("t20", 36)}@github.com/o/r.git (fetch)`,
    [b62("t20", 36)],
    ["github.com/o/r.git"],
  ),
  text("token as user", `git clone https://${b62("t21", 40)}@github.com/o/r`, [b62("t21", 40)], ["github.com/o/r"]),
  text(
    "query parameters",
    "GET /cb?access_token=abc123def&state=xyz&api_key=k1k2k3 HTTP/1.1",
    ["abc123def", "k1k2k3"],
    ["state=xyz"],
  ),
  text(
    "Azure SAS",
    `https://acct.blob.core.windows.net/c/b?sv=2024-01-01&sr=b&sig=${encodeURIComponent(`${b64("t22", 43)}=`)}&se=2026`,
    [encodeURIComponent(`${b64("t22", 43)}=`)],
    ["se=2026"],
  ),
  text(
    "presigned S3",
    `https://b.s3.amazonaws.com/k?X-Amz-Expires=300&X-Amz-Signature=${hex("t23", 64)}`,
    [hex("t23", 64)],
    ["X-Amz-Expires=300"],
  ),
  text(
    "Azure storage",
    `DefaultEndpointsProtocol=https;AccountName=acct;AccountKey=${b64("t24", 86)}==;EndpointSuffix=core.windows.net`,
    [b64("t24", 86)],
    ["EndpointSuffix"],
  ),
  text(
    "service bus",
    `Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${b64("t25", 43)}=`,
    [b64("t25", 43)],
    ["Root"],
  ),
  text(
    "ADO connection string",
    "Server=tcp:db,1433;Database=shop;User ID=sa;Password=Pa55w0rd;Encrypt=True",
    ["Pa55w0rd"],
    ["Encrypt=True", "shop"],
  ),
  text("JDBC", "jdbc:postgresql://db/x?user=app&password=s3cr3t&ssl=true", ["s3cr3t"], ["ssl=true"]),
  text("telegram URL", `https://api.telegram.org/bot123456789:AA${b62("t26", 33)}/getMe`, [b62("t26", 33)], ["getMe"]),
  text("telegram token", `TELEGRAM=987654321:AA${b62("t27", 33)}`, [b62("t27", 33)]),
  text("code assignment", `const apiKey = "${b62("t28", 24)}";\nclient.setPassword("x");`, [b62("t28", 24)]),
  text("python assignment", "password = 'hunter2'\n", ["hunter2"]),
  text("Go assignment", 'token := "abcd-efgh-1234"', ["abcd-efgh-1234"]),
  text("index assignment", 'os.environ["API_TOKEN"] = "abcd-efgh"', ["abcd-efgh"]),
  text("config index", "config['db_password'] = 'kitten5'", ["kitten5"]),
  text("comparison", 'if (password === "swordfish") {', ["swordfish"]),
  text("object literal", "const c = { user: 'bob', password: 'hunter2' }", ["hunter2"], ["bob"]),
  text("keyword argument", "connect(host='db', password='hunter2', port=1)", ["hunter2"], ["port=1"]),
  text("unquoted keyword argument", "Config(host=db, password=hunter2, port=1)", ["hunter2"], ["port=1"]),
  text("Terraform", 'resource "x" "y" {\n  master_password = "S0mething"\n}', ["S0mething"]),
  text("SQL create user", "CREATE USER app WITH PASSWORD 'hunter2' CREATEDB;", ["hunter2"], ["CREATEDB"]),
  text("SQL identified by", "CREATE USER 'app'@'%' IDENTIFIED BY 'hunter2';", ["hunter2"]),
  text("SQL set", "UPDATE users SET password = 'hunter2' WHERE id = 1", ["hunter2"], ["id = 1"]),
  text("XML element", "<server><username>bob</username><password>hunter2</password></server>", ["hunter2"], ["bob"]),
  text(
    "XML attribute",
    '<add key="ApiKey" value="abc-123-def" /><add key="Mode" value="fast" />',
    ["abc-123-def"],
    ["fast"],
  ),
  text("XML attribute itself", '<user name="bob" password="hunter2"/>', ["hunter2"], ["bob"]),
  text("Android strings", '<string name="google_api_key">abc-123-def</string>', ["abc-123-def"]),
  text(
    "STS response",
    `<Credentials><SecretAccessKey>${b64("t29", 40)}</SecretAccessKey><SessionToken>${b64("t30", 100)}</SessionToken></Credentials>`,
    [b64("t29", 40), b64("t30", 100)],
  ),
  text("HTML form", '<input type="password" name="password" value="hunter2">', ["hunter2"]),
  text(
    "RSA key",
    `before\n${pem("RSA PRIVATE KEY", "t31")}after`,
    [b64("t310", 64), b64("t315", 64)],
    ["before", "after"],
  ),
  text("OpenSSH key", pem("OPENSSH PRIVATE KEY", "t32"), [b64("t323", 64)]),
  text(
    "PGP key",
    `${pemLine("BEGIN", "PGP PRIVATE KEY BLOCK")}\nVersion: GnuPG v2\n\n${b64("t33", 64)}\n${b64("t34", 64)}\n=${b64("t35", 4)}\n${pemLine("END", "PGP PRIVATE KEY BLOCK")}`,
    [b64("t33", 64), b64("t34", 64)],
  ),
  text(
    "encrypted key",
    `${pemLine("BEGIN", "RSA PRIVATE KEY")}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${hex("t36", 32).toUpperCase()}\n\n${b64("t37", 64)}\n${pemLine("END", "RSA PRIVATE KEY")}`,
    [b64("t37", 64)],
  ),
  json(
    "key in a JSON string",
    { files: [{ path: "id_ed25519", content: pem("OPENSSH PRIVATE KEY", "t38") }] },
    [b64("t382", 64)],
    ["id_ed25519"],
  ),
  json(
    "key in .env in JSON",
    { text: `PRIVATE_KEY="${pem("PRIVATE KEY", "t39").replace(/\n/g, "\\n")}"\nX=1` },
    [b64("t392", 64)],
    ["X=1"],
  ),
  text("unterminated key", `${pemLine("BEGIN")}\n${b64("t40", 64)}\n${b64("t41", 64)}`, [
    b64("t40", 64),
    b64("t41", 64),
  ]),
  text("key beside prose", "Your password: hunter2 and your name: bob", ["hunter2"], ["bob"]),
  text("markdown bold", "**Password:** `hunter2`\n**User:** bob", ["hunter2"], ["bob"]),
  text("markdown list", "- API key: k3y-0000-1111\n- region: eu", ["k3y-0000-1111"], ["eu"]),
  text("log key=value", 'level=info user=bob token=abcdef123456 msg="ok"', ["abcdef123456"], ["ok"]),
  text("log in brackets", "[auth] session_token=deadbeef00 (user=bob)", ["deadbeef00"], ["bob"]),
  text("Java toString", "User{name=bob, password=hunter2, age=3}", ["hunter2"], ["age=3"]),
  text("Rust debug", 'Config { user: "bob", password: "hunter2", port: 1 }', ["hunter2"], ["port: 1"]),
  text("coloured log", "\u001b[33mpassword: hunter2\u001b[0m", ["hunter2"]),
  json("coloured log in JSON", { text: "\u001b[33mpassword:\u001b[0m hunter2" }, ["hunter2"]),
  json("line start in JSON", { text: "a\npassword: hunter2\nb" }, ["hunter2"], ["\\nb"]),
  json("tab before the key", { text: "\tapi_key: k-abc-123" }, ["k-abc-123"]),
  text("form body", "username=bob&password=hunter2&remember=1", ["hunter2"], ["remember=1"]),
  text("default in a reference", "password: ${DB_PASSWORD:-hunter2}", ["hunter2"]),
  text("kubectl literal", "kubectl create secret generic x --from-literal=password=hunter2", ["hunter2"]),
  text("aws configure", `aws configure set aws_secret_access_key=${b64("t50", 40)}`, [b64("t50", 40)]),
  text("backtick template", "const t = `Bearer ${x}`; const password = `hunter2`;", ["hunter2"]),
  text("JWT in a header line", `x-auth: eyJ${b62("t42", 33)}.eyJ${b62("t43", 60)}.${b62("t44", 43)}`, [b62("t43", 60)]),
  text(
    "slack webhook",
    `curl -X POST https://hooks.slack.com/services/T${filler("t45", 8, "capitals")}/B${filler("t46", 8, "capitals")}/${b62("t47", 24)}`,
    [b62("t47", 24)],
    ["hooks.slack.com"],
  ),
  text("password with a colon", "password: ab:cd:12", ["cd:12"]),
  text(
    "password field of a page snapshot",
    '- textbox "Email" [ref=e4]: bob@example.com\n- textbox "Password" [active] [ref=e12]: hunter2\n- button "Sign in" [ref=e14]',
    ["hunter2"],
    ["bob@example.com", "Sign in"],
  ),
  json(
    "the same in a result",
    result('- generic [ref=e1]:\n  - textbox "Master password" [ref=e12]: correcthorse\n'),
    ["correcthorse"],
    ["[ref=e1]:"],
  ),
  json("selector of a password field", { selector: "input[type=password]", value: "hunter2" }, ["hunter2"]),
  json("scheme under auth", { auth: "Bearer abc-123" }, ["abc-123"]),
  text("csrf meta", `<meta name="csrf-token" content="${b62("t48", 40)}">`, [b62("t48", 40)]),
  text("wireless key", 'psk="correct-horse-7"', ["horse-7"]),
  text("fragment of a URL", "https://app.example.com/cb#access_token=abc123def&state=1", ["abc123def"], ["state=1"]),
  text("PowerShell", '$env:API_KEY = "abc-def-1"', ["abc-def-1"]),
  text("API token in prose", "API token: abc123def456 (valid for a day)", ["abc123def456"], ["valid for a day"]),
  json("header argument", { args: ["--header", "Authorization: Bearer abc-123-def"] }, ["abc-123-def"]),
  json("header in a query", { url: "https://mcp.example.com/sse?api_key=abc-1&x=2" }, ["abc-1"], ["x=2"]),
  text("cloudflare key header", `X-Auth-Key: ${hex("t49", 37)}`, [hex("t49", 37)]),
  text("ansible", "ansible_ssh_pass: letmein", ["letmein"]),
  text(
    "name and value in YAML",
    "env:\n  - name: DB_PASSWORD\n    value: s3cr3t-from-yaml\n  - name: REGION\n    value: eu-1\n",
    ["s3cr3t-from-yaml"],
    ["eu-1"],
  ),
  json("the same in a result", { text: '- name: API_TOKEN\n  value: "abc-def-1"\n' }, ["abc-def-1"]),
  text("said in a sentence", `The API key is: ${b62("t51", 32)}`, [b62("t51", 32)]),
  text("netrc of several lines", `machine github.com\nlogin me\npassword ${b62("t52", 30)}\n`, [b62("t52", 30)]),
  text("password in backticks", "Login with `admin` / password `s3cretpw`", ["s3cretpw"]),
  text("constants of PHP", "define('DB_NAME', 'wp');\ndefine('DB_PASSWORD', 'wp-s3cret');", ["wp-s3cret"], ["'wp'"]),
  text("typed variable", 'let apiSecret: String = "sw1ft-secret"', ["sw1ft-secret"]),
  text("typed argument", "def f(password: str = 'hunter2', n: int = 1):", ["hunter2"]),
  text("SET PASSWORD", "SET PASSWORD FOR 'root'@'localhost' = 'r00t!pw';", ["r00t!pw"]),
  json("base64 in a YAML manifest", { k8s: `kind: Secret\ndata:\n  password: ${btoa("hunter22")}\n` }, [
    btoa("hunter22"),
  ]),
  json("a password that is a part of its key", { compose: "environment:\n  MYSQL_ROOT_PASSWORD: rootpass" }, [
    "rootpass",
  ]),
  json("diff", { diff: '-DB_PASSWORD=old-pass-1\n+DB_PASSWORD=new-pass-2\n-  "apiKey": "old-key-1",' }, [
    "old-pass-1",
    "new-pass-2",
    "old-key-1",
  ]),
  json("numbered lines", { text: "     1\tAPI_KEY=abcdef\n     2\tSECRET='x y z'\n" }, ["abcdef", "x y z"]),
  json("hit of a search", { text: "config.yml:4:  password: qwerty12" }, ["qwerty12"]),
  json("field of a vault", { fields: [{ id: "password", type: "CONCEALED", label: "password", value: "1p-secret" }] }, [
    "1p-secret",
  ]),
  json("command as a list", { cmd: ["redis-cli", "-a", "r3dis"] }, ["r3dis"]),
  text("cookie assignment in code", 'document.cookie = "sid=abcdef; path=/"', ["abcdef"]),
];

export const SECRETS: readonly SecretCase[] = [...SHAPES, ...JSON_KEYS, ...NESTED, ...BLOCKS, ...TEXTS].filter(
  (one) => one.gone.length > 0,
);
