import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** The page, bundled as the executable carries it, in memory. */

export interface BuiltPage {
  index: string;
  files: Map<string, { body: ArrayBuffer; type: string }>;
  scriptGzipBytes: number;
  styleGzipBytes: number;
}

const PAGE = join(import.meta.dirname, "../../../src/viewer/page.html");

export async function buildPage(): Promise<BuiltPage> {
  const built = await Bun.build({
    entrypoints: [PAGE],
    minify: true,
    target: "browser",
    publicPath: "/assets/",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const page: BuiltPage = { index: "", files: new Map(), scriptGzipBytes: 0, styleGzipBytes: 0 };
  for (const output of built.outputs) {
    const name = output.path.split("/").at(-1) ?? "";
    if (name.endsWith(".html")) page.index = await output.text();
    else {
      const body = await output.arrayBuffer();
      page.files.set(name, { body, type: output.type });
      const zipped = gzipSync(body, { level: 9 }).length;
      if (name.endsWith(".js")) page.scriptGzipBytes += zipped;
      if (name.endsWith(".css")) page.styleGzipBytes += zipped;
    }
  }
  return page;
}
