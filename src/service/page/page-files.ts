/**
 * The page as the service hands it out: its HTML, and the scripts and styles that the HTML names by their paths. What is in a
 * file never changes under its path, because its name holds its hash. Pure types: where the files come from is a role's affair.
 */

export interface PageFile {
  /** As the HTML names it: `/chunk-86veh574.css`. */
  path: string;
  /** Its media type: `text/css;charset=utf-8`. */
  type: string;
  text: string;
}

export interface PageFiles {
  html: string;
  /** Scripts and styles. */
  files: readonly PageFile[];
}
