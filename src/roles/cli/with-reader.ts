import { storePath } from "../../kit/paths.ts";
import { StoreReader } from "../../store/reader.ts";
import type { CliContext } from "./context.ts";

/** Opens the store for reading, and closes it whatever happens. */
export async function withReader<T>(context: CliContext, work: (reader: StoreReader) => Promise<T>): Promise<T> {
  const reader = StoreReader.open(storePath(context.home), context.isAlive);
  try {
    return await work(reader);
  } finally {
    reader.close();
  }
}
