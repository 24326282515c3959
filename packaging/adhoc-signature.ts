import {
  CS_ADHOC,
  CS_EXECSEG_MAIN_BINARY,
  codeDirectoryBytes,
  encodeCodeDirectory,
  pageHashes,
} from "./code-directory.ts";
import { type MachO, MH_EXECUTE, readMachO, type Segment, type SignaturePlace } from "./mach-o.ts";
import { encodeSuperBlob, SLOT_CODEDIRECTORY, superBlobBytes } from "./super-blob.ts";

/**
 * Replaces the signature of a Mach-O executable by an ad-hoc one, as `codesign --sign - --force` would: page hashes and
 * an identifier, no certificate, no entitlements, no hardened runtime. Needs no Mac.
 *
 * Why: Bun signs arm64 executables itself, but leaves on x64 ones the signature of its own makers, whose hashes no
 * longer fit and whose hardened runtime would be enforced: a Mac kills such a program.
 */

const PAGE_BYTES = 4096;
/** Where a signature may begin, and what its size is rounded to. */
const ALIGNMENT = 16;
/** The larger of the two page sizes of Macs. */
const VM_PAGE_BYTES = 0x4000;

/** A copy of `file` that is signed ad hoc, always the same; `identifier` is the name macOS knows the program by. */
export function signAdHoc(file: Uint8Array, identifier: string): Uint8Array {
  const machO = readMachO(file);
  const { text, linkedit, place } = partsToSign(machO, file.length);
  const codeLimit = alignUp(place.offset, ALIGNMENT);
  const pages = Math.ceil(codeLimit / PAGE_BYTES);
  const signatureBytes = alignUp(superBlobBytes([codeDirectoryBytes(identifier, pages)]), ALIGNMENT);

  const signed = new Uint8Array(codeLimit + signatureBytes);
  signed.set(file.subarray(0, place.offset));
  // The load commands are on a page that is hashed: first they, then the hashes.
  setPlace(signed, place, linkedit, codeLimit);
  const directory = encodeCodeDirectory({
    flags: CS_ADHOC,
    identifier,
    pageBytes: PAGE_BYTES,
    codeLimit,
    execSegment: {
      base: text.fileOffset,
      limit: text.fileBytes,
      flags: machO.fileType === MH_EXECUTE ? CS_EXECSEG_MAIN_BINARY : 0,
    },
    codeHashes: pageHashes(signed.subarray(0, codeLimit), PAGE_BYTES),
    specialHashes: [],
  });
  signed.set(encodeSuperBlob([{ slot: SLOT_CODEDIRECTORY, bytes: directory }]), codeLimit);
  return signed;
}

/** Says in the load commands where the signature is, and that __LINKEDIT reaches to its end. */
function setPlace(file: Uint8Array, place: SignaturePlace, linkedit: Segment, signatureOffset: number): void {
  const view = new DataView(file.buffer);
  const linkeditBytes = file.length - linkedit.fileOffset;
  view.setUint32(place.commandOffset + 8, signatureOffset, true);
  view.setUint32(place.commandOffset + 12, file.length - signatureOffset, true);
  view.setBigUint64(linkedit.commandOffset + 32, BigInt(alignUp(linkeditBytes, VM_PAGE_BYTES)), true);
  view.setBigUint64(linkedit.commandOffset + 48, BigInt(linkeditBytes), true);
}

/** The parts that are read or changed. Throws when the file is not laid out as linkers do: the signature last of all. */
function partsToSign(
  { segments, signature }: MachO,
  fileBytes: number,
): { text: Segment; linkedit: Segment; place: SignaturePlace } {
  const text = segments.find(({ name }) => name === "__TEXT");
  const linkedit = segments.at(-1);
  if (text === undefined || linkedit?.name !== "__LINKEDIT") throw new Error("no __TEXT, or __LINKEDIT is not last");
  if (signature === undefined) throw new Error("no signature to replace (no LC_CODE_SIGNATURE)");
  const end = signature.offset + signature.sizeBytes;
  if (signature.offset < linkedit.fileOffset || end !== linkedit.fileOffset + linkedit.fileBytes || end !== fileBytes) {
    throw new Error("the signature is not at the end of __LINKEDIT and of the file");
  }
  return { text, linkedit, place: signature };
}

function alignUp(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}
