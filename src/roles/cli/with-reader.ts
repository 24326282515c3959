import { Problem } from "../../core/problem.ts";
import { storePath } from "../../kit/paths.ts";
import { StoreReader } from "../../store/reader.ts";
import type { CliContext } from "./context.ts";
import { nothingRecorded } from "./nothing-recorded.ts";

/** Opens the store for reading, and closes it whatever happens. */
export async function withReader<T>(context: CliContext, work: (reader: StoreReader) => Promise<T>): Promise<T> {
  const reader = StoreReader.open(storePath(context.home), context.isAlive);
  try {
    return await work(reader);
  } catch (cause) {
    // The store knows nothing of what a person can do about it.
    throw cause instanceof Problem && cause.code === "no-runs" ? nothingRecorded(context.home) : cause;
  } finally {
    reader.close();
  }
}
