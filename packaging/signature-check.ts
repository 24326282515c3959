import {
  type CodeDirectory,
  CS_ADHOC,
  CS_EXECSEG_MAIN_BINARY,
  CS_RUNTIME,
  decodeCodeDirectory,
  HASH_BYTES,
  pageHashes,
  sha256,
} from "./code-directory.ts";
import { type MachO, MH_EXECUTE, readMachO, type SignaturePlace } from "./mach-o.ts";
import { type Blob, decodeSuperBlob, SLOT_CMS_SIGNATURE, SLOT_CODEDIRECTORY } from "./super-blob.ts";

/**
 * Tells whether a Mac would take the ad-hoc signature of a Mach-O executable: every page, every slot, the flags and the
 * limits. Reads only.
 */

/** Special slots whose content lies outside the signature, in a bundle: Info.plist and the list of resources. */
const EXTERNAL_SLOTS = [1, 3];
/** A CMS blob that holds no certificate is nothing but its header. */
const EMPTY_BLOB_BYTES = 8;

/** What is wrong with the signature, one line a fault; empty for one that holds. Throws when `file` is no Mach-O. */
export function signatureFaults(file: Uint8Array): string[] {
  const machO = readMachO(file);
  const place = machO.signature;
  if (place === undefined) return ["there is no signature"];
  let blobs: Blob[];
  let directory: CodeDirectory;
  try {
    blobs = decodeSuperBlob(file.subarray(place.offset, place.offset + place.sizeBytes));
    directory = decodeCodeDirectory(blobs.find(({ slot }) => slot === SLOT_CODEDIRECTORY)?.bytes ?? new Uint8Array(8));
  } catch (fault) {
    return [`the signature is damaged: ${fault instanceof Error ? fault.message : fault}`];
  }
  return [
    ...placeFaults(machO, place, file.length),
    ...flagFaults(directory, blobs),
    ...pageFaults(directory, file, place),
    ...segmentFaults(directory, machO),
    ...specialSlotFaults(directory, blobs),
  ];
}

function* placeFaults({ segments }: MachO, place: SignaturePlace, fileBytes: number): Generator<string> {
  const linkedit = segments.find(({ name }) => name === "__LINKEDIT");
  const end = place.offset + place.sizeBytes;
  if (end !== fileBytes) yield `the signature ends at ${end}, the file at ${fileBytes}`;
  if (
    linkedit === undefined ||
    linkedit.fileOffset + linkedit.fileBytes !== end ||
    place.offset < linkedit.fileOffset
  ) {
    yield "the signature is not the end of __LINKEDIT";
  }
}

function* flagFaults({ flags, identifier }: CodeDirectory, blobs: readonly Blob[]): Generator<string> {
  if ((flags & CS_ADHOC) === 0) yield "it is not an ad-hoc signature";
  if ((flags & CS_RUNTIME) !== 0) yield "it asks for the hardened runtime";
  if (identifier === "") yield "it has no identifier";
  const cms = blobs.find(({ slot }) => slot === SLOT_CMS_SIGNATURE);
  if (cms !== undefined && cms.bytes.length > EMPTY_BLOB_BYTES) yield "it carries a certificate";
}

function* pageFaults(directory: CodeDirectory, file: Uint8Array, place: SignaturePlace): Generator<string> {
  const { codeLimit, codeHashes, pageBytes } = directory;
  if (codeLimit !== place.offset) yield `${codeLimit} bytes are hashed, ${place.offset} stand before the signature`;
  const found = pageHashes(file.subarray(0, codeLimit), pageBytes);
  if (found.length !== codeHashes.length) yield `there are ${codeHashes.length} hashes for ${found.length} pages`;
  const wrong = codeHashes.filter((hash, page) => !isEqual(hash, found[page]));
  if (wrong.length > 0) yield `${wrong.length} of ${codeHashes.length} pages do not match their hash`;
}

function* segmentFaults({ execSegment }: CodeDirectory, { segments, fileType }: MachO): Generator<string> {
  const text = segments.find(({ name }) => name === "__TEXT");
  if (execSegment.base !== text?.fileOffset || execSegment.limit !== text.fileBytes) {
    yield "its executable segment is not __TEXT";
  }
  const isMain = (execSegment.flags & CS_EXECSEG_MAIN_BINARY) !== 0;
  if (isMain !== (fileType === MH_EXECUTE)) yield "it does not say rightly whether this is a main program";
}

function* specialSlotFaults({ specialHashes }: CodeDirectory, blobs: readonly Blob[]): Generator<string> {
  for (const [index, hash] of specialHashes.entries()) {
    const slot = index + 1;
    const blob = blobs.find((candidate) => candidate.slot === slot);
    if (EXTERNAL_SLOTS.includes(slot) && !isZero(hash)) yield `special slot ${slot} needs a file that is not there`;
    else if (blob === undefined ? !isZero(hash) : !isEqual(hash, sha256(blob.bytes))) {
      yield `special slot ${slot} does not match its hash`;
    }
  }
  for (const { slot } of blobs) {
    const isSpecial = slot !== SLOT_CODEDIRECTORY && slot < SLOT_CMS_SIGNATURE;
    if (isSpecial && slot > specialHashes.length) yield `special slot ${slot} has no hash`;
  }
}

function isZero(hash: Uint8Array): boolean {
  return isEqual(hash, new Uint8Array(HASH_BYTES));
}

function isEqual(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && Buffer.compare(a, b) === 0;
}
