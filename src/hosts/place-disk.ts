import { existsSync, readdirSync } from "node:fs";
import type { PlaceFiles } from "./host.ts";

/** The disk of this machine, as hosts may ask it. */
export const DISK_FILES: PlaceFiles = {
  exists: existsSync,
  names(directory) {
    try {
      return readdirSync(directory).sort();
    } catch {
      return [];
    }
  },
};
