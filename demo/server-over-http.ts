/**
 * A reference server that speaks HTTP, as a process of its own on a port of this machine that was free. Owns the process and
 * ends it. The server can be told a port only: that it is not open to the network is seen to here.
 */

import { writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";

export interface ServerOverHttp {
  /** Where it is, without a path. */
  origin: string;
  end(): Promise<void>;
}

const HOST = "127.0.0.1";
const START_MS = 60_000;
const LOOK_AGAIN_MS = 20;
/** Somebody else may take the port before the server does. */
const ATTEMPTS = 3;

/** Has `listen(port)` mean a port of this machine, and not of all its networks. */
const STAYS_HERE = `
import { Server } from "node:http";
const { listen } = Server.prototype;
Server.prototype.listen = function (port, ...rest) {
  return listen.call(this, Number(port), ${JSON.stringify(HOST)}, ...rest);
};
`;

/** Starts `script WORDS…` and resolves once it accepts connections. `scratch` is a directory for a file of ours. */
export async function serveOverHttp(scratch: string, script: string, ...words: string[]): Promise<ServerOverHttp> {
  const preload = join(scratch, "stays-here.mjs");
  await writeFile(preload, STAYS_HERE);
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    const child = Bun.spawn([process.execPath, "--preload", preload, script, ...words], {
      env: { ...process.env, PORT: String(port) },
      cwd: scratch,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const said = new Response(child.stderr).text();
    const end = async () => {
      child.kill("SIGKILL");
      await child.exited;
    };
    if (await answers(port, () => child.exitCode === null && child.signalCode === null)) {
      return { origin: `http://${HOST}:${port}`, end };
    }
    await end();
    if (attempt === ATTEMPTS) throw new Error(`${words.join(" ")}: the server did not start\n${await said}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, HOST, resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** True once a connection is accepted; false when `isAlive` says so, or it takes too long. */
async function answers(port: number, isAlive: () => boolean): Promise<boolean> {
  const end = performance.now() + START_MS;
  while (isAlive() && performance.now() < end) {
    if (await accepts(port)) return isAlive();
    await Bun.sleep(LOOK_AGAIN_MS);
  }
  return false;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
