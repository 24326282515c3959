/**
 * A process that brings an index up to date in small goes, and says after each how far it is: `0.25` … `1`.
 *
 * bun index-builder.ts INDEX STORE
 */

import { SearchIndex } from "../../src/store/index/search-index.ts";

const [indexPath = "", storePath = ""] = process.argv.slice(2);
const index = SearchIndex.open(indexPath, storePath);
for (;;) {
  const { isCurrent, done } = index.catchUp(1);
  console.log(done);
  if (isCurrent) break;
  // Lets another process have its turn.
  await Bun.sleep(0);
}
index.close();
