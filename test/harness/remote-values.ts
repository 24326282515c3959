/** JSON that parsers and re-serialisers get wrong, as text: what a relay must not touch on its way over HTTP. */

export interface OddValue {
  name: string;
  json: string;
}

export const ODD_VALUES: readonly OddValue[] = [
  { name: "big integers", json: '{"n":123456789012345678901234567890,"m":-9007199254740993}' },
  { name: "numbers as written", json: '{"a":1.0,"b":1E5,"c":-0,"d":0.10,"e":1e400,"f":1.50e-7}' },
  { name: "key order and prototypes", json: '{"z":1,"a":{"10":1,"9":2},"__proto__":{"x":1},"constructor":null}' },
  { name: "duplicate keys", json: '{"a":1,"a":2,"a":{"b":1,"b":2}}' },
  { name: "white space inside", json: '{ "a" :\t[ 1 ,  2 ] , "b":\t{ } }' },
  { name: "escapes as written", json: String.raw`{"a":"\u0041\/\b\f\n\r\t\"\\ \u00e9 \u2028 \ud83d\ude00"}` },
  { name: "lone surrogates, escaped", json: String.raw`{"a":"\ud800","b":"\udc00x","\udbff":1}` },
  { name: "U+2028, U+2029 and U+0085 unescaped", json: '{"a":"\u2028\u2029","\u2028":"\u0085"}' },
  { name: "emoji and combining marks", json: '{"a":"😀👩‍👩‍👧‍👦 é é \u{10FFFF}"}' },
  {
    name: "words that look like secrets",
    json: '{"password":"hunter2","authorization":"Bearer abcdefghijklmnopqrst"}',
  },
  { name: "a string that holds a message", json: String.raw`{"a":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"}` },
  { name: "what SSE and HTTP would mean by it", json: String.raw`{"a":"data: x\n\nevent: y\r\n0\r\n\r\n: z"}` },
  { name: "a long run of escapes", json: `{"a":"${"\\u0000\\\\".repeat(20_000)}"}` },
  { name: "a value nested 20,000 deep", json: "[".repeat(20_000) + "]".repeat(20_000) },
  { name: "a key of 300 kB", json: `{"${"k".repeat(300_000)}":1}` },
  { name: "4 MB", json: `{"a":"${"x".repeat(4_000_000)}"}` },
];

/** Ids as hosts write them. */
export const ODD_IDS: readonly string[] = [
  "0",
  "-1",
  '"s"',
  '""',
  '"0"',
  "1.5",
  "1.0",
  "1e2",
  "9007199254740993",
  '"\\u0031"',
  `"${"i".repeat(70_000)}"`,
  '"bir:1"',
];
