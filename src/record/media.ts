import { eachElement, eachMember, stringValue } from "../jsonrpc/json-span.ts";

/**
 * Images, audio and binary resources are not kept: in the recorded copy of a result each becomes its size and hash.
 * Everything else of the result stays as it was written.
 */

/** A cut in the text: the member `start`..`end` reads `by` instead. */
interface Cut {
  start: number;
  end: number;
  by: string;
}

/** `result`, the text of a tool's whole result, with the bytes of its media blocks replaced by `sizeBytes` and `sha256`. */
export function elideMedia(result: string): string {
  if (!result.includes('"data"') && !result.includes('"blob"')) return result;
  const cuts: Cut[] = [];
  eachMember(result, 0, (key, start) => {
    if (key === "content") eachElement(result, start, (_, block) => cutBlock(result, block, cuts));
  });
  let text = "";
  let from = 0;
  for (const { start, end, by } of cuts) {
    text += result.slice(from, start) + by;
    from = end;
  }
  return from === 0 ? result : text + result.slice(from);
}

/** The same for the start of a result that was cut off: long runs of base64 tell nothing. */
export function elideMediaRuns(fragment: string): string {
  return fragment.replace(
    BASE64_RUN,
    (_, key: string, run: string) => `${key}[MEDIA:${run.length} characters or more]`,
  );
}

/** Some writers escape the slash, or break lines. */
const BASE64_RUN = /("(?:data|blob)"\s*:\s*")((?:[A-Za-z0-9+/=_-]|\\[/nr]){256,})/g;

function cutBlock(text: string, at: number, cuts: Cut[]): void {
  let type: string | null = null;
  const found: Cut[] = [];
  const cutMember = (start: number, end: number, keyStart: number): void => {
    const base64 = stringValue(text, start, end);
    if (base64 !== null) found.push({ start: keyStart, end, by: describeMedia(base64) });
  };
  eachMember(text, at, (key, start, end, keyStart) => {
    if (key === "type") type = stringValue(text, start, end);
    else if (key === "data") cutMember(start, end, keyStart);
    else if (key === "resource") {
      eachMember(text, start, (inner, from, to, innerStart) => {
        if (inner === "blob") cutMember(from, to, innerStart);
      });
    }
  });
  if (type === "image" || type === "audio" || type === "resource") cuts.push(...found);
}

/** Members that stand in for base64 bytes: their size and hash. */
export function describeMedia(base64: string): string {
  const bytes = Buffer.from(base64, "base64");
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  return `"sizeBytes":${bytes.length},"sha256":"${hash}"`;
}
