/** What an operating system's error codes mean, in words for people. Pure. */

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not do that",
  EPERM: "this user may not do that",
  EROFS: "its file system is read-only",
  ENOENT: "there is no such file or directory",
  ENOTDIR: "a part of the path is not a directory",
  EISDIR: "it is a directory",
  EEXIST: "it exists already",
  ELOOP: "its symbolic links go in circles",
  ENAMETOOLONG: "the path is too long",
  ENOSPC: "the disk is full",
  EDQUOT: "this user's share of the disk is used up",
  EFBIG: "the file would become too large",
  EIO: "the disk failed",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open",
  EBUSY: "it is in use",
  ETXTBSY: "it is in use",
  EPIPE: "nobody reads it any more",
  EBADF: "it is closed",
  SQLITE_CANTOPEN: "it cannot be opened",
  SQLITE_READONLY: "it cannot be written",
  SQLITE_PERM: "this user may not do that",
  SQLITE_AUTH: "this user may not do that",
  SQLITE_IOERR: "the disk failed",
  SQLITE_NOMEM: "memory ran out",
};

/** The code of an error that the system threw, such as `ENOSPC`; null for any other error. */
export function systemCode(cause: unknown): string | null {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : null;
}

/** Why the system refused, for the code it gave; a code without words of ours as it is. */
export function systemReason(code: string): string {
  return REASONS[code] ?? REASONS[/^SQLITE_[A-Z]+/.exec(code)?.[0] ?? ""] ?? code;
}
