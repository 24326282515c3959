/**
 * The platforms of a release, and the Bun executable that each is made from. Pure data.
 *
 * To raise Bun: change `packageManager` in the root's package.json and the versions in packaging/runtimes/package.json,
 * run `bun install --cpu='*' --os='*' --libc='*'` there, compare what was fetched with what Bun's maintainers publish,
 * and put the new hashes here (`sha256sum packaging/runtimes/node_modules/@oven/bun-*\/bin/*`).
 */

/** One executable of a release. */
export interface Target {
  /** As in the file's name, `bir-<name>`. Bun's own name of the target has `bun-` before it. */
  readonly name: string;
  /** The npm package that holds the Bun executable for this platform. */
  readonly runtime: string;
  /** SHA-256 of that executable, in hex. */
  readonly runtimeSha256: string;
}

/** Every target, in the order they are built and listed. */
export const TARGETS: readonly Target[] = [
  {
    name: "linux-x64",
    runtime: "@oven/bun-linux-x64",
    runtimeSha256: "f05d28a3862f4b84395c7fa32480b835dd47482e80b7e7a49a115227f0c06083",
  },
  {
    name: "linux-x64-musl",
    runtime: "@oven/bun-linux-x64-musl",
    runtimeSha256: "cf5d285ddbe256785a5121a3c113191a6b577504976374c7cfd5aedca609b720",
  },
  {
    name: "linux-arm64",
    runtime: "@oven/bun-linux-aarch64",
    runtimeSha256: "04778f1f42399a69d086853e9c7af4acf574b2f21a43d0dc673853d8b84a2923",
  },
  {
    name: "darwin-x64",
    runtime: "@oven/bun-darwin-x64",
    runtimeSha256: "88f97645b270aef20f9f9442f1658461cab3e7128e658af4615144e3396f084a",
  },
  {
    name: "darwin-arm64",
    runtime: "@oven/bun-darwin-aarch64",
    runtimeSha256: "e2984124f1514e1e6bbda20adedbf07a02c443c6a5828853a15c7c7abf78e19f",
  },
  {
    name: "windows-x64",
    runtime: "@oven/bun-windows-x64",
    runtimeSha256: "e06ad0864463c68892ae71a2a64af7eae1585cac5dd9b80bc042f45605587cb1",
  },
  {
    name: "windows-arm64",
    runtime: "@oven/bun-windows-aarch64",
    runtimeSha256: "8bd7f9210f9d58cc21f398d1478e53b2ff919a0c8fc935b5086f3f64667cec6d",
  },
];

/** What an executable is called on its platform. */
export function executableName(target: string, stem: string): string {
  return target.startsWith("windows") ? `${stem}.exe` : stem;
}
