import { describe, expect, test } from "vitest";
import type { FileFacts } from "../../src/kit/file-facts.ts";
import { shellWord } from "../../src/kit/shell-word.ts";
import { type Look, recordingProblem } from "../../src/store/recording-problem.ts";

const ME = 1000;
const directory = (ownerId = ME, mode = 0o700): FileFacts => ({ isDirectory: true, sizeBytes: 0, mode, ownerId });
const file = (ownerId = ME, mode = 0o600): FileFacts => ({ ...directory(ownerId, mode), isDirectory: false });

/** A system with these files, of which this user may use all but the closed ones. */
function look(files: Record<string, FileFacts | string>, closed: string[] = [], more: Partial<Look> = {}): Look {
  return {
    facts: (path) => {
      const found = files[path] ?? null;
      if (typeof found === "string")
        throw Object.assign(new Error(`${found}: raw text, stat '${path}'`), { code: found });
      return found;
    },
    isUsable: (path) => !closed.includes(path),
    isKernelDirectory: () => false,
    userId: ME,
    ...more,
  };
}

describe("where recordings can be kept", () => {
  test.each<[string, Look]>([
    ["a home of one's own", look({ "/h": directory(), "/h/recordings.db": file() })],
    ["a home that can be made", look({ "/": directory(0) })],
  ])("%s is no problem", (_what, system) => {
    expect(recordingProblem("/h", system)).toBeNull();
  });

  test.each<[string, Look, string, string]>([
    [
      "a home of one's own that is closed",
      look({ "/h": directory(ME, 0o500) }, ["/h"]),
      "/h cannot be written by this user",
      "Allow it with `chmod u+rwx '/h'`.",
    ],
    [
      "a home of another user",
      look({ "/h": directory(0) }, ["/h"]),
      "/h cannot be written by this user",
      `Make it yours with \`sudo chown -R "$(id -u)" '/h'\`.`,
    ],
    [
      "a home to be made in a closed directory of one's own",
      look({ "/": directory(ME, 0o500) }, ["/"]),
      "/h does not exist and cannot be made: / cannot be written by this user",
      "Allow it with `chmod u+rwx '/'`.",
    ],
    [
      "a home to be made in another user's directory",
      look({ "/": directory(0, 0o755) }, ["/"]),
      "/h does not exist and cannot be made: / cannot be written by this user",
      `Set BIR_HOME to a directory of yours, or have it made with \`sudo install -d -m 700 -o "$(id -u)" '/h'\`.`,
    ],
    [
      "a home in a directory that may not be entered",
      look({ "/": directory(0, 0o700), "/h": "EACCES" }, ["/"]),
      "/h does not exist and cannot be made: / cannot be written by this user",
      `Set BIR_HOME to a directory of yours, or have it made with \`sudo install -d -m 700 -o "$(id -u)" '/h'\`.`,
    ],
    [
      "a home on a disk that is read-only",
      look({ "/h": directory() }, ["/h"]),
      "/h is on a file system that is read-only",
      "Set BIR_HOME to a directory of yours on another disk.",
    ],
    [
      "a disk that is read-only, for the superuser",
      look({ "/h": directory(ME, 0o500) }, ["/h"], { userId: 0 }),
      "/h is on a file system that is read-only",
      "Set BIR_HOME to a directory of yours on another disk.",
    ],
    [
      "a home that is a file",
      look({ "/h": file() }),
      "/h is not a directory",
      "Move it away, or set BIR_HOME to a directory of yours.",
    ],
    [
      "a home below a file",
      look({ "/": file() }),
      "/h does not exist and cannot be made: / is not a directory",
      "Set BIR_HOME to a directory of yours.",
    ],
    [
      "a home that the system makes up",
      look({ "/": directory() }, [], { isKernelDirectory: () => true }),
      "/h does not exist and cannot be made: / belongs to the system and holds no other files",
      "Set BIR_HOME to a directory of yours.",
    ],
    [
      "a store of another user",
      look({ "/h": directory(), "/h/recordings.db-wal": file(0) }, ["/h/recordings.db-wal"]),
      "/h/recordings.db-wal cannot be read and written by this user",
      `Make it yours with \`sudo chown -R "$(id -u)" '/h/recordings.db-wal'\`.`,
    ],
    [
      "a store of one's own that is closed",
      look({ "/h": directory(), "/h/recordings.db": file(ME, 0o400) }, ["/h/recordings.db"]),
      "/h/recordings.db cannot be read and written by this user",
      "Allow it with `chmod u+rw '/h/recordings.db'`.",
    ],
    [
      "a path that goes in circles",
      look({ "/h": "ELOOP" }),
      "/h cannot be used: its symbolic links go in circles",
      "Set BIR_HOME to a directory of yours.",
    ],
    [
      "no numbers for users",
      look({ "/h": { ...directory(), mode: null, ownerId: null } }, ["/h"], { userId: null }),
      "/h cannot be written by this user",
      "See that this user may write it, or set BIR_HOME to a directory of yours.",
    ],
  ])("%s is told with what to do", (_what, system, message, hint) => {
    expect(recordingProblem("/h", system)).toMatchObject({ code: "home-unusable", message, hint, exitCode: 3 });
  });

  test("a path is one word of a shell", () => {
    expect(shellWord("/a b/it's")).toBe("'/a b/it'\\''s'");
  });
});
