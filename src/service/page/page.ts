import { problemAnswer } from "../../http-server/problem-answer.ts";
import type { PageFiles } from "./page-files.ts";

/**
 * Hands out the page. Its files are public: there is nothing recorded in them. Scripts and styles have their hash in their names,
 * so that a browser keeps them; the HTML is asked for anew each time.
 */

interface Served {
  plain: Uint8Array;
  /** Made when it is first asked for. */
  gzip: Uint8Array | null;
  headers: Record<string, string>;
}

/** A browser keeps what never changes for a year. */
const FOR_EVER = "public, max-age=31536000, immutable";

export class Page {
  readonly #served = new Map<string, Served>();

  /** Null: there is no page, and whoever asks for it is told why. */
  constructor(files: PageFiles | null) {
    if (files === null) return;
    this.#served.set("/", served(files.html, "text/html;charset=utf-8", "no-cache"));
    for (const { path, type, text } of files.files) this.#served.set(path, served(text, type, FOR_EVER));
  }

  /** The answer to a request for anything that is not a route of the service. */
  answer(request: Request): Response {
    // What CONNECT asks for is no path.
    const pathname = URL.parse(request.url)?.pathname ?? "";
    const found = this.#served.get(pathname);
    if (found === undefined) return this.#served.size === 0 && pathname === "/" ? noPage() : problemAnswer(404);
    if (request.method !== "GET" && request.method !== "HEAD") return problemAnswer(405, {}, { allow: "GET, HEAD" });
    const { headers } = found;
    if (namesTag(request.headers.get("if-none-match"), headers.etag ?? "")) {
      return new Response(null, { status: 304, headers: withoutType(headers) });
    }
    const isGzip = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(request.headers.get("accept-encoding") ?? "");
    if (!isGzip) return body(request, found.plain, headers);
    found.gzip ??= Bun.gzipSync(found.plain as Uint8Array<ArrayBuffer>);
    return body(request, found.gzip, { ...headers, "content-encoding": "gzip" });
  }
}

function served(text: string, type: string, cacheControl: string): Served {
  const plain = new TextEncoder().encode(text);
  const hash = new Bun.CryptoHasher("sha256").update(plain).digest("base64url").slice(0, 22);
  // Weak, as the same in another coding has the same.
  const headers = { "content-type": type, "cache-control": cacheControl, etag: `W/"${hash}"`, vary: "accept-encoding" };
  return { plain, gzip: null, headers };
}

function body(request: Request, bytes: Uint8Array, headers: Record<string, string>): Response {
  const isHead = request.method === "HEAD";
  return new Response(isHead ? null : (bytes as Uint8Array<ArrayBuffer>), {
    headers: { ...headers, "content-length": String(bytes.length) },
  });
}

function withoutType({ "content-type": _type, ...rest }: Record<string, string>): Record<string, string> {
  return rest;
}

function namesTag(ifNoneMatch: string | null, tag: string): boolean {
  const opaque = tag.replace(/^W\//, "");
  return (ifNoneMatch ?? "").split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === opaque);
}

function noPage(): Response {
  return problemAnswer(404, {
    title: "this bir runs from its sources, which have no built page",
    code: "no-page",
    detail: "Build the executable with `bun run build`, and run dist/bir.",
  });
}
