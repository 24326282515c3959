/**
 * The container of a Mach-O signature: an index of typed slots, and a blob for each. Encodes and decodes it; knows
 * nothing of what the blobs mean. Layout: CS_SuperBlob in xnu's osfmk/kern/cs_blobs.h; everything is big-endian.
 */

const CSMAGIC_EMBEDDED_SIGNATURE = 0xfade0cc0;
const HEADER_BYTES = 12;
const INDEX_ENTRY_BYTES = 8;
const BLOB_HEADER_BYTES = 8;

export const SLOT_CODEDIRECTORY = 0;
export const SLOT_CMS_SIGNATURE = 0x10000;

export interface Blob {
  slot: number;
  /** The whole blob, its magic and length included. */
  bytes: Uint8Array;
}

/** How long a superblob of blobs of these lengths is. */
export function superBlobBytes(blobLengths: readonly number[]): number {
  return blobLengths.reduce((sum, length) => sum + INDEX_ENTRY_BYTES + length, HEADER_BYTES);
}

export function encodeSuperBlob(blobs: readonly Blob[]): Uint8Array {
  const result = new Uint8Array(superBlobBytes(blobs.map(({ bytes }) => bytes.length)));
  const view = new DataView(result.buffer);
  view.setUint32(0, CSMAGIC_EMBEDDED_SIGNATURE);
  view.setUint32(4, result.length);
  view.setUint32(8, blobs.length);
  let offset = HEADER_BYTES + blobs.length * INDEX_ENTRY_BYTES;
  blobs.forEach(({ slot, bytes }, index) => {
    view.setUint32(HEADER_BYTES + index * INDEX_ENTRY_BYTES, slot);
    view.setUint32(HEADER_BYTES + index * INDEX_ENTRY_BYTES + 4, offset);
    result.set(bytes, offset);
    offset += bytes.length;
  });
  return result;
}

/** `bytes` may go on after the superblob. Throws a RangeError when it is none or points outside itself. */
export function decodeSuperBlob(bytes: Uint8Array): Blob[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) !== CSMAGIC_EMBEDDED_SIGNATURE) throw new RangeError("not an embedded signature");
  const length = view.getUint32(4);
  if (length > bytes.length) throw new RangeError(`the signature claims ${length} of ${bytes.length} bytes`);
  return Array.from({ length: view.getUint32(8) }, (_, index) => {
    const entry = HEADER_BYTES + index * INDEX_ENTRY_BYTES;
    const offset = view.getUint32(entry + 4);
    const end = offset + Math.max(BLOB_HEADER_BYTES, view.getUint32(offset + 4));
    if (end > length) throw new RangeError(`blob ${index} ends after the signature`);
    return { slot: view.getUint32(entry), bytes: bytes.subarray(offset, end) };
  });
}
