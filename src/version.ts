/** What the build knows of itself; it puts the values in place of these names. */

/** This program's version, as in package.json. */
export const VERSION: string = process.env.BIR_BUILD_VERSION ?? "0.0.0-development";

/** What the executable was built for, e.g. `linux-x64` or `linux-x64-musl`. */
export const BUILD_TARGET: string = process.env.BIR_BUILD_TARGET ?? `${process.platform}-${process.arch}`;
