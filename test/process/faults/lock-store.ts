import { Database } from "bun:sqlite";
import { storeIn } from "./stored-runs.ts";

/** Takes the write lock of the store of a home as another program would; answers how to give it back. */
export function lockStore(birHome: string, how: "IMMEDIATE" | "EXCLUSIVE" = "IMMEDIATE"): () => void {
  const db = new Database(storeIn(birHome), { readwrite: true, create: true });
  db.run("PRAGMA busy_timeout = 5000");
  db.run(`BEGIN ${how}`);
  return () => {
    db.run("ROLLBACK");
    db.close();
  };
}
