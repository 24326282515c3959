/** This program as something that can be started again. Loads no module of Node: hooks come through here. */

/** The words that start this program: the executable; from the sources, the runtime and the program it runs. */
export function ownCommand(): string[] {
  const isExecutable = /^(?:\/\$bunfs\/|[A-Za-z]:[\\/]~BUN[\\/])/.test(Bun.main);
  return isExecutable ? [process.execPath] : [process.execPath, Bun.main];
}
