/** True for a file that is there. A path that cannot even be looked at, such as one that is too long, is not. */
export async function isThere(path: string): Promise<boolean> {
  try {
    return await Bun.file(path).exists();
  } catch {
    return false;
  }
}
