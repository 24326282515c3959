/** The text of bytes, which are not copied for that. Broken UTF-8 reads as U+FFFD. */
export function utf8(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("utf8");
}
