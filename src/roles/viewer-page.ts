import type { PageFile, PageFiles } from "../service/page/page-files.ts";
import page from "../viewer/page.html";

/**
 * The page out of the executable. The only module that imports the page as HTML, and itself loaded only where the page is
 * needed: the bundler makes it a list of files, which other runtimes and the tests' bundler cannot.
 */

/** The page's files; null where this program runs from its sources, and the page was never bundled. */
export async function viewerPage(): Promise<PageFiles | null> {
  const { files } = page;
  if (files === undefined) return null;
  const read = await Promise.all(files.map(readFile));
  const html = read.find(({ type }) => type.startsWith("text/html"));
  if (html === undefined) return null;
  return { html: html.text, files: read.filter((file) => file !== html) };
}

type Bundled = NonNullable<typeof page.files>[number];

async function readFile({ path, headers }: Bundled): Promise<PageFile> {
  return {
    path: `/${path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)}`,
    type: headers["content-type"],
    text: await Bun.file(path).text(),
  };
}
