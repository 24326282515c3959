/**
 * Which parameters of a tool are to be repeated in headers, by the `x-mcp-header` annotations of its input schema, and whether those are
 * valid (2026-07-28, Streamable HTTP, "Schema Extension"). Reads the schema's text; never resolves a reference, never changes anything.
 */

/** One parameter whose value goes into a header. */
export interface HeaderDeclaration {
  /** The name that the annotation gives: the header is `Mcp-Param-` and this. */
  name: string;
  /** The keys that lead from the arguments to the value. */
  path: readonly string[];
}

/** What a tool's schema declares; `fault` says in a few words why the tool must not be offered, and then nothing is declared. */
export type HeaderAnnotations =
  | { fault: null; declarations: readonly HeaderDeclaration[] }
  | { fault: string; declarations: readonly [] };

const ANNOTATION = "x-mcp-header";
/** Far beyond any schema in earnest; reading the value goes down as deep. */
const MOST_DEPTH = 100;
const NONE: HeaderAnnotations = { fault: null, declarations: [] };

/** `1*tchar` of RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const PRIMITIVE_TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean"]);

/** Keywords whose value is a schema, or an array of schemas, that says nothing of one certain argument. */
const UNREACHABLE = [
  "items",
  "prefixItems",
  "additionalItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "propertyNames",
  "contentSchema",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
];
/** The same, with an object of schemas for a value. */
const UNREACHABLE_BY_NAME = ["patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"];

type Json = Record<string, unknown>;

/** A schema inside the schema, below `parent` by `key`. */
interface Place {
  schema: Json;
  parent: Place | null;
  key: string;
  depth: number;
  /** Nothing but keys of `properties` lead here. */
  isReachable: boolean;
}

/** Reads the annotations of an input schema's text. Text that is no JSON object has none. */
export function headerAnnotations(inputSchema: string): HeaderAnnotations {
  // Few schemas have any; one that spells the key with escapes is looked at as well.
  if (!inputSchema.includes(ANNOTATION) && !inputSchema.includes("\\u")) return NONE;
  const root = parsedObject(inputSchema);
  if (root === null) return NONE;
  const declarations: HeaderDeclaration[] = [];
  const taken = new Set<string>();
  // A list and no recursion: how deep a schema is, the server decides.
  const places: Place[] = [{ schema: root, parent: null, key: "", depth: 0, isReachable: true }];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    if (Object.hasOwn(place.schema, ANNOTATION)) {
      const name = place.schema[ANNOTATION];
      const fault = faultOf(name, place, taken);
      if (fault !== null || typeof name !== "string") {
        return { fault: `${pathWords(place)}: ${ANNOTATION} ${fault}`, declarations: [] };
      }
      taken.add(name.toLowerCase());
      declarations.push({ name, path: pathOf(place) });
    }
    // The last pushed is looked at first: declarations keep the order of the schema.
    for (const inner of placesIn(place).reverse()) places.push(inner);
  }
  return { fault: null, declarations };
}

function faultOf(name: unknown, place: Place, taken: ReadonlySet<string>): string | null {
  if (!place.isReachable || place.parent === null) return "stands where no chain of properties leads";
  if (typeof name !== "string" || name === "") return "is no name";
  if (!TOKEN.test(name)) return "is no valid header name";
  if (!PRIMITIVE_TYPES.has(place.schema.type)) return "is on a type other than string, integer and boolean";
  if (taken.has(name.toLowerCase())) return "repeats a name";
  if (place.depth > MOST_DEPTH) return "is nested too deeply";
  return null;
}

function placesIn(parent: Place): Place[] {
  const { schema } = parent;
  const found: Place[] = [];
  const add = (value: unknown, key: string, isReachable: boolean): void => {
    if (isObject(value)) found.push({ schema: value, parent, key, depth: parent.depth + 1, isReachable });
  };
  for (const [key, value] of entriesOf(schema.properties)) add(value, key, parent.isReachable);
  for (const keyword of UNREACHABLE) {
    const value = schema[keyword];
    for (const branch of Array.isArray(value) ? value : [value]) add(branch, `<${keyword}>`, false);
  }
  for (const keyword of UNREACHABLE_BY_NAME) {
    for (const [, value] of entriesOf(schema[keyword])) add(value, `<${keyword}>`, false);
  }
  return found;
}

function entriesOf(value: unknown): [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function isObject(value: unknown): value is Json {
  return value !== null && typeof value === "object";
}

function parsedObject(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function pathOf(place: Place): string[] {
  const path: string[] = [];
  for (let at = place; at.parent !== null; at = at.parent) path.push(at.key);
  return path.reverse();
}

/** A path for a log: printable and short, whatever the server wrote. */
function pathWords(place: Place): string {
  if (place.parent === null) return "the schema itself";
  const words = pathOf(place)
    .join(".")
    .replace(/[^ -~]/g, "?");
  return words.length > 100 ? `${words.slice(0, 100)}…` : words;
}
