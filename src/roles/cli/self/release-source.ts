import { isAbsolute, resolve } from "node:path";
import { Problem } from "../../../core/problem.ts";

/**
 * Where releases come from: by the same rules as in the install scripts. Pure. Never quotes a URL before it is known to hold no
 * password.
 */

/** Where releases are published; the install scripts hold it too. Empty: nowhere yet. */
export const RELEASE_URL = "";

export type ReleaseSource =
  /** Over https, or from this machine itself. */
  { kind: "url"; base: string } | { kind: "folder"; base: string };

/** What a release consists of beside its executables. */
export const SUMS_FILE = "SHA256SUMS";

/** Reads the name of a release: a URL, or the path of a folder, relative to `cwd`. Throws Problem. */
export function releaseSource(text: string, cwd: string): ReleaseSource {
  if (text === "") {
    throw new Problem(
      "nothing-published",
      "no release of bir is published yet",
      "Make one, `npx --yes bun@1.4.5 run build --all`, and set BIR_BASE_URL to its folder, dist/release, or to a URL of a copy.",
    );
  }
  if ([...text].some((letter) => letter < " " || letter === "\x7f")) throw badSource("has a control character in it");
  if (/^https?:\/\//.test(text)) return { kind: "url", base: checkedUrl(text).replace(/\/$/, "") };
  const path = /^file:\/\/(?:localhost)?(\/.*)$/.exec(text)?.[1];
  if (path === undefined && /^[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(text))
    throw badSource("is no kind of URL that is taken");
  if (path !== undefined && text.includes("%")) throw badSource("has a % in it: write the path of the folder as it is");
  const folder = path === undefined ? text : path.replace(/^\/(?=[A-Za-z]:)/, "");
  return { kind: "folder", base: isAbsolute(folder) ? resolve(folder) : resolve(cwd, folder) };
}

/** The release of one version, or the newest when `version` is undefined. */
export function releaseOf({ kind, base }: ReleaseSource, version: string | undefined): ReleaseSource {
  if (version === undefined) return { kind, base };
  return { kind, base: `${base}/v${version}` };
}

function checkedUrl(text: string): string {
  if (/[?# ]/.test(text)) throw badSource("has a ?, a # or a space in it");
  const [, scheme, server = ""] = /^(https?):\/\/([^/]*)/.exec(text) ?? [];
  if (server.includes("@")) throw badSource("has a user in it");
  if (!URL.canParse(text)) throw badSource("is no URL");
  if (scheme === "http" && !/^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(server)) {
    throw badSource("begins with http://: only https:// is taken, except from this machine itself");
  }
  return text;
}

function badSource(what: string): Problem {
  return new Problem(
    "bad-release-source",
    `BIR_BASE_URL ${what}`,
    "Set it to a folder or an https:// URL that holds a release.",
  );
}
