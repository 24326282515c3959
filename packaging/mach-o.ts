/**
 * Reads what code signing needs from a 64-bit little-endian Mach-O file: its segments and the place of its signature.
 * Layouts: <mach-o/loader.h>. Changes nothing; every offset it hands out lies inside the file.
 */

const MAGIC_64 = 0xfeedfacf;
const HEADER_BYTES = 32;
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;

/** How long a command of a type at least is. */
const LEAST_BYTES: Readonly<Record<number, number>> = { [LC_SEGMENT_64]: 72, [LC_CODE_SIGNATURE]: 16 };

/** `filetype` of a program. */
export const MH_EXECUTE = 2;

/** An LC_SEGMENT_64 command. */
export interface Segment {
  name: string;
  /** Where the command itself begins in the file. */
  commandOffset: number;
  fileOffset: number;
  fileBytes: number;
}

/** An LC_CODE_SIGNATURE command: where in the file the signature lies. */
export interface SignaturePlace {
  commandOffset: number;
  offset: number;
  sizeBytes: number;
}

export interface MachO {
  cpuType: number;
  fileType: number;
  segments: readonly Segment[];
  signature: SignaturePlace | undefined;
}

/** Throws with one clear line when `file` is no such Mach-O or is cut short. */
export function readMachO(file: Uint8Array): MachO {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC_64) {
    throw new Error("not a 64-bit little-endian Mach-O file");
  }
  const segments: Segment[] = [];
  let signature: SignaturePlace | undefined;
  for (const { type, offset } of loadCommands(view)) {
    if (type === LC_SEGMENT_64) segments.push(readSegment(view, offset));
    if (type === LC_CODE_SIGNATURE) signature = readSignaturePlace(view, offset);
  }
  return { cpuType: view.getUint32(4, true), fileType: view.getUint32(12, true), segments, signature };
}

function* loadCommands(view: DataView): Generator<{ type: number; offset: number }> {
  const count = view.getUint32(16, true);
  const end = HEADER_BYTES + view.getUint32(20, true);
  if (end > view.byteLength) throw new Error("damaged Mach-O: its load commands end after the file");
  let offset = HEADER_BYTES;
  for (let index = 0; index < count; index++) {
    if (offset + 8 > end) throw new Error("damaged Mach-O: too few load commands");
    const type = view.getUint32(offset, true);
    const sizeBytes = view.getUint32(offset + 4, true);
    if (sizeBytes < (LEAST_BYTES[type] ?? 8) || offset + sizeBytes > end) {
      throw new Error(`damaged Mach-O: load command ${index} has size ${sizeBytes}`);
    }
    yield { type, offset };
    offset += sizeBytes;
  }
}

function readSegment(view: DataView, commandOffset: number): Segment {
  const name = new TextDecoder("latin1").decode(new Uint8Array(view.buffer, view.byteOffset + commandOffset + 8, 16));
  const fileOffset = Number(view.getBigUint64(commandOffset + 40, true));
  const fileBytes = Number(view.getBigUint64(commandOffset + 48, true));
  const segment = { name: name.replace(/\0.*$/s, ""), commandOffset, fileOffset, fileBytes };
  if (fileOffset + fileBytes > view.byteLength) throw new Error(`damaged Mach-O: ${segment.name} ends after the file`);
  return segment;
}

function readSignaturePlace(view: DataView, commandOffset: number): SignaturePlace {
  const offset = view.getUint32(commandOffset + 8, true);
  const sizeBytes = view.getUint32(commandOffset + 12, true);
  if (offset + sizeBytes > view.byteLength) throw new Error("damaged Mach-O: its signature ends after the file");
  return { commandOffset, offset, sizeBytes };
}
