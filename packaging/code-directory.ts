import { createHash } from "node:crypto";

/**
 * The CodeDirectory of a Mach-O signature: what is hashed, how, and under which flags. Encodes and decodes it; judges
 * nothing. Layout and names: xnu's osfmk/kern/cs_blobs.h. Everything in a signature is big-endian.
 */

export const CSMAGIC_CODEDIRECTORY = 0xfade0c02;
export const CS_ADHOC = 0x2;
export const CS_RUNTIME = 0x10000;
export const CS_EXECSEG_MAIN_BINARY = 0x1;
export const CS_HASHTYPE_SHA256 = 2;
export const HASH_BYTES = 32;

/** The first version that tells of the executable segment, and the size of its fixed part. */
const VERSION_EXECSEG = 0x20400;
const FIXED_BYTES = 88;

export interface CodeDirectory {
  flags: number;
  identifier: string;
  pageBytes: number;
  /** How many bytes of the file are hashed, from its beginning: all before the signature. */
  codeLimit: number;
  /** Where the text segment lies in the file, and what it is. Zeros in versions that do not tell. */
  execSegment: { base: number; limit: number; flags: number };
  /** SHA-256 of each page. */
  codeHashes: readonly Uint8Array[];
  /** SHA-256 of special slot n + 1 (requirements, entitlements, …) at n; all zero for one that is not there. */
  specialHashes: readonly Uint8Array[];
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return createHash("sha256").update(bytes).digest();
}

/** SHA-256 of each page of `code`, the last of which may be short. */
export function pageHashes(code: Uint8Array, pageBytes: number): Uint8Array[] {
  const count = Math.ceil(code.length / pageBytes);
  return Array.from({ length: count }, (_, page) => sha256(code.subarray(page * pageBytes, (page + 1) * pageBytes)));
}

/** How long an encoded directory is. */
export function codeDirectoryBytes(identifier: string, hashes: number): number {
  return FIXED_BYTES + Buffer.byteLength(identifier) + 1 + hashes * HASH_BYTES;
}

export function encodeCodeDirectory(directory: CodeDirectory): Uint8Array {
  const { identifier, specialHashes, codeHashes, execSegment } = directory;
  const hashOffset = codeDirectoryBytes(identifier, specialHashes.length);
  const bytes = new Uint8Array(hashOffset + codeHashes.length * HASH_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CSMAGIC_CODEDIRECTORY);
  view.setUint32(4, bytes.length);
  view.setUint32(8, VERSION_EXECSEG);
  view.setUint32(12, directory.flags);
  view.setUint32(16, hashOffset);
  view.setUint32(20, FIXED_BYTES);
  view.setUint32(24, specialHashes.length);
  view.setUint32(28, codeHashes.length);
  view.setUint32(32, directory.codeLimit);
  view.setUint8(36, HASH_BYTES);
  view.setUint8(37, CS_HASHTYPE_SHA256);
  view.setUint8(39, Math.log2(directory.pageBytes));
  view.setBigUint64(64, BigInt(execSegment.base));
  view.setBigUint64(72, BigInt(execSegment.limit));
  view.setBigUint64(80, BigInt(execSegment.flags));
  bytes.set(new TextEncoder().encode(identifier), FIXED_BYTES);
  // Special slots are numbered backwards from the first page's hash.
  for (const [index, hash] of specialHashes.entries()) bytes.set(hash, hashOffset - (index + 1) * HASH_BYTES);
  for (const [index, hash] of codeHashes.entries()) bytes.set(hash, hashOffset + index * HASH_BYTES);
  return bytes;
}

/** `bytes` is exactly the blob. Throws a RangeError when it is none with SHA-256 hashes or points outside itself. */
export function decodeCodeDirectory(bytes: Uint8Array): CodeDirectory {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) !== CSMAGIC_CODEDIRECTORY) throw new RangeError("the first slot holds no code directory");
  if (view.getUint8(36) !== HASH_BYTES || view.getUint8(37) !== CS_HASHTYPE_SHA256) {
    throw new RangeError("the hashes of the code directory are not SHA-256");
  }
  const hashOffset = view.getUint32(16);
  const hashAt = (slot: number): Uint8Array => {
    const start = hashOffset + slot * HASH_BYTES;
    if (start < 0 || start + HASH_BYTES > bytes.length) throw new RangeError(`hash ${slot} lies outside`);
    return bytes.subarray(start, start + HASH_BYTES);
  };
  const tellsOfSegment = view.getUint32(8) >= VERSION_EXECSEG;
  const quad = (offset: number): number => (tellsOfSegment ? Number(view.getBigUint64(offset)) : 0);
  return {
    flags: view.getUint32(12),
    identifier: textAt(bytes, view.getUint32(20)),
    pageBytes: 2 ** view.getUint8(39),
    codeLimit: view.getUint32(32),
    execSegment: { base: quad(64), limit: quad(72), flags: quad(80) },
    codeHashes: Array.from({ length: view.getUint32(28) }, (_, index) => hashAt(index)),
    specialHashes: Array.from({ length: view.getUint32(24) }, (_, index) => hashAt(-1 - index)),
  };
}

function textAt(bytes: Uint8Array, offset: number): string {
  const end = bytes.indexOf(0, offset);
  if (end < 0) throw new RangeError("the identifier has no end");
  return new TextDecoder().decode(bytes.subarray(offset, end));
}
