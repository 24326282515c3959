import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { signAdHoc } from "../../packaging/adhoc-signature.ts";
import { type CodeDirectory, encodeCodeDirectory } from "../../packaging/code-directory.ts";
import { signatureFaults } from "../../packaging/signature-check.ts";
import { type Blob, encodeSuperBlob } from "../../packaging/super-blob.ts";

/** Signing Mach-O files without a Mac, on a small made-up executable. Real ones: test/hosts/release.test.ts. */

const TEXT_BYTES = 0x2000;
const LINKEDIT_BYTES = 0x30;
// Where the load commands stand.
const TEXT = 32;
const LINKEDIT = TEXT + 72;
const UUID = LINKEDIT + 72;
const SIGNATURE = UUID + 24;

interface Shape {
  linkeditBytes?: number;
  /** The signature that is there already. */
  signature?: Uint8Array;
}

/** A 64-bit Mach-O with __TEXT, __LINKEDIT, an LC_UUID and an LC_CODE_SIGNATURE, laid out as linkers do. */
function machO({ linkeditBytes = LINKEDIT_BYTES, signature = new Uint8Array(64).fill(0xaa) }: Shape = {}): Uint8Array {
  const signatureAt = TEXT_BYTES + linkeditBytes;
  const file = new Uint8Array(signatureAt + signature.length).map((_, index) => index % 251);
  file.set(signature, signatureAt);
  words(file, 0, [0xfeedfacf, 0x01000007, 3, 2, 4, SIGNATURE + 16 - TEXT, 0, 0]);
  segment(file, TEXT, "__TEXT", 0, TEXT_BYTES);
  segment(file, LINKEDIT, "__LINKEDIT", TEXT_BYTES, linkeditBytes + signature.length);
  words(file, UUID, [0x1b, 24]);
  words(file, SIGNATURE, [0x1d, 16, signatureAt, signature.length]);
  return file;
}

function words(file: Uint8Array, at: number, values: readonly number[]): void {
  const view = new DataView(file.buffer);
  for (const [index, value] of values.entries()) view.setUint32(at + 4 * index, value, true);
}

function segment(file: Uint8Array, at: number, name: string, fileOffset: number, fileBytes: number): void {
  file.fill(0, at, at + 72);
  words(file, at, [0x19, 72]);
  file.set(new TextEncoder().encode(name), at + 8);
  words(file, at + 40, [fileOffset, 0, fileBytes, 0]);
}

const hashOf = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest();

/** The right code directory of these bytes, but for `change`. */
function directoryOf(code: Uint8Array, change: Partial<CodeDirectory> = {}): Blob {
  const pages = [0, 4096, 8192].map((start) => hashOf(code.subarray(start, start + 4096)));
  const right = { flags: 2, identifier: "test", pageBytes: 4096, codeLimit: code.length, specialHashes: [] };
  const execSegment = { base: 0, limit: TEXT_BYTES, flags: 1 };
  return { slot: 0, bytes: encodeCodeDirectory({ ...right, execSegment, codeHashes: pages, ...change }) };
}

/** A Mach-O with the signature that `blobsOf` makes for the bytes before it. */
function signedWith(blobsOf: (code: Uint8Array) => Blob[]): Uint8Array {
  const codeBytes = TEXT_BYTES + LINKEDIT_BYTES;
  const file = machO({ signature: encodeSuperBlob(blobsOf(new Uint8Array(codeBytes))) });
  file.set(encodeSuperBlob(blobsOf(file.subarray(0, codeBytes))), codeBytes);
  return file;
}

/** A blob of any kind with this many bytes of content. */
function blob(slot: number, magic: number, contentBytes: number): Blob {
  const bytes = new Uint8Array(8 + contentBytes);
  new DataView(bytes.buffer).setUint32(0, magic);
  new DataView(bytes.buffer).setUint32(4, bytes.length);
  return { slot, bytes };
}

describe("signing", () => {
  const signed = signAdHoc(machO(), "bir");
  const view = new DataView(signed.buffer);
  const at = TEXT_BYTES + LINKEDIT_BYTES;

  test("gives a signature that holds, in the place of one that does not", () => {
    expect(signatureFaults(machO())).toEqual(["the signature is damaged: not an embedded signature"]);
    expect(signatureFaults(signed)).toEqual([]);
  });

  test("writes one code directory with the fields that the system reads", () => {
    const superBlob = [0xfade0cc0, 20 + 92 + 3 * 32, 1, 0, 20];
    expect(superBlob.map((_, index) => view.getUint32(at + 4 * index))).toEqual(superBlob);
    // magic, length, version, flags, hashOffset, identOffset, special slots, code slots, codeLimit, hash and page sizes
    const fields = [0xfade0c02, 92 + 3 * 32, 0x20400, 2, 92, 88, 0, 3, at, 0x2002000c];
    expect(fields.map((_, index) => view.getUint32(at + 20 + 4 * index))).toEqual(fields);
    expect([64, 72, 80].map((field) => view.getBigUint64(at + 20 + field))).toEqual([0n, BigInt(TEXT_BYTES), 1n]);
    expect(Buffer.from(signed.buffer, at + 20 + 88, 4).toString()).toBe("bir\0");
    expect(Buffer.from(signed.buffer, at + 20 + 92, 32)).toEqual(hashOf(signed.subarray(0, 4096)));
    expect(Buffer.from(signed.buffer, at + 20 + 92 + 64, 32)).toEqual(hashOf(signed.subarray(8192, at)));
  });

  test("says in the load commands where the signature ends", () => {
    const signatureBytes = signed.length - at;
    expect([view.getUint32(SIGNATURE + 8, true), view.getUint32(SIGNATURE + 12, true)]).toEqual([at, signatureBytes]);
    expect(view.getBigUint64(LINKEDIT + 48, true)).toBe(BigInt(LINKEDIT_BYTES + signatureBytes));
    expect(view.getBigUint64(LINKEDIT + 32, true)).toBe(0x4000n);
  });

  test("changes nothing else", () => {
    const restored = signed.slice(0, at);
    const old = machO();
    for (const [from, to] of [
      [LINKEDIT + 32, LINKEDIT + 40],
      [LINKEDIT + 48, LINKEDIT + 56],
      [SIGNATURE + 8, SIGNATURE + 16],
    ] as const) {
      restored.set(old.subarray(from, to), from);
    }
    expect(Buffer.from(restored)).toEqual(Buffer.from(old.subarray(0, at)));
  });

  test("again gives the same bytes", () => {
    expect(signAdHoc(signed, "bir")).toEqual(signed);
  });

  test("works for any length of code and of the old signature, and then no byte can change unnoticed", () => {
    const shape = { linkedit: fc.integer({ min: 0, max: 9000 }), old: fc.integer({ min: 0, max: 2000 }) };
    const one = { ...shape, where: fc.nat(), bit: fc.integer({ min: 0, max: 7 }) };
    fc.assert(
      fc.property(fc.record(one), ({ linkedit, old, where, bit }) => {
        const file = signAdHoc(machO({ linkeditBytes: linkedit, signature: new Uint8Array(old) }), "bir");
        expect(signatureFaults(file)).toEqual([]);
        const codeLimit = new DataView(file.buffer).getUint32(SIGNATURE + 8, true);
        // The load commands are left alone: a change there is found too, but as a file that is no Mach-O.
        const index = SIGNATURE + 16 + (where % (codeLimit - SIGNATURE - 16));
        file[index] = (file[index] ?? 0) ^ (1 << bit);
        expect(signatureFaults(file)).toEqual([expect.stringMatching(/^1 of \d+ pages do not match their hash$/)]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a signature holds", () => {
  const requirements = blob(2, 0xfade0c01, 4);
  const ABSENT = new Uint8Array(32);

  test.each<[string, (code: Uint8Array) => Blob[]]>([
    ["when it is right", (code) => [directoryOf(code)]],
    ["when the linker made it", (code) => [directoryOf(code, { flags: 0x20002 })]],
    [
      "with requirements and an empty certificate, as codesign makes it",
      (code) => [
        directoryOf(code, { specialHashes: [ABSENT, hashOf(requirements.bytes)] }),
        requirements,
        blob(0x10000, 0xfade0b01, 0),
      ],
    ],
  ])("%s", (_, blobsOf) => {
    expect(signatureFaults(signedWith(blobsOf))).toEqual([]);
  });

  test.each<[string, (code: Uint8Array) => Blob[]]>([
    ["it is not an ad-hoc signature", (code) => [directoryOf(code, { flags: 0 })]],
    ["it asks for the hardened runtime", (code) => [directoryOf(code, { flags: 0x10002 })]],
    ["it has no identifier", (code) => [directoryOf(code, { identifier: "" })]],
    ["it carries a certificate", (code) => [directoryOf(code), blob(0x10000, 0xfade0b01, 900)]],
    ["there are 0 hashes for 3 pages", (code) => [directoryOf(code, { codeHashes: [] })]],
    [
      "2 of 3 pages do not match their hash",
      (code) => [directoryOf(code, { codeHashes: [hashOf(code.subarray(0, 4096)), ABSENT, ABSENT] })],
    ],
    [
      "its executable segment is not __TEXT",
      (code) => [directoryOf(code, { execSegment: { base: 0, limit: 4096, flags: 1 } })],
    ],
    [
      "it does not say rightly whether this is a main program",
      (code) => [directoryOf(code, { execSegment: { base: 0, limit: TEXT_BYTES, flags: 0 } })],
    ],
    [
      "special slot 2 does not match its hash",
      (code) => [directoryOf(code, { specialHashes: [ABSENT, ABSENT] }), requirements],
    ],
    [
      "special slot 2 does not match its hash",
      (code) => [directoryOf(code, { specialHashes: [ABSENT, hashOf(code)] })],
    ],
    ["special slot 2 has no hash", (code) => [directoryOf(code), requirements]],
    ["special slot 1 needs a file that is not there", (code) => [directoryOf(code, { specialHashes: [hashOf(code)] })]],
    ["the signature is damaged: the first slot holds no code directory", () => [requirements]],
  ])("not when: %s", (fault, blobsOf) => {
    expect(signatureFaults(signedWith(blobsOf))).toEqual([fault]);
  });

  test("not when fewer bytes are hashed than stand before it", () => {
    const short = TEXT_BYTES + LINKEDIT_BYTES - 16;
    const file = signedWith((code) => [directoryOf(code.subarray(0, short))]);
    expect(signatureFaults(file)).toEqual([`${short} bytes are hashed, ${short + 16} stand before the signature`]);
  });

  test("not when something follows it", () => {
    const file = signAdHoc(machO(), "bir");
    const longer = new Uint8Array(file.length + 16);
    longer.set(file);
    expect(signatureFaults(longer)).toEqual([`the signature ends at ${file.length}, the file at ${longer.length}`]);
  });
});

describe("what is no such file is refused in one line", () => {
  const without = (at: number, value: number): Uint8Array => {
    const file = machO();
    words(file, at, [value]);
    return file;
  };

  test.each<[string, Uint8Array, RegExp]>([
    ["an empty file", new Uint8Array(), /^not a 64-bit little-endian Mach-O file$/],
    ["an ELF file", new TextEncoder().encode(`\x7fELF${"-".repeat(60)}`), /^not a 64-bit/],
    ["a file that is cut short in its header", machO().subarray(0, 100), /^damaged Mach-O: its load commands end/],
    ["a file that is cut short", machO().subarray(0, TEXT_BYTES), /^damaged Mach-O: __LINKEDIT ends after the file$/],
    ["a load command of no size", without(UUID + 4, 0), /^damaged Mach-O: load command 2 has size 0$/],
    ["a load command that is too long", without(SIGNATURE + 4, 400), /^damaged Mach-O: load command 3 has size 400$/],
    ["more load commands than there is room for", without(16, 5), /^damaged Mach-O: too few load commands$/],
    ["a signature outside the file", without(SIGNATURE + 8, 1e6), /^damaged Mach-O: its signature ends after/],
    ["a signature that is not at the end", without(SIGNATURE + 12, 16), /^the signature is not at the end/],
    ["a file that was never signed", without(SIGNATURE, 0x26), /^no signature to replace/],
  ])("%s", (_, file, message) => {
    expect(() => signAdHoc(file, "bir")).toThrow(message);
  });
});
