/**
 * TLS over a connection that is there, be it direct, through a tunnel or itself over TLS. Always verifies the certificate and the host's
 * name or address; no variable of the environment changes that.
 */

import { isIP, type Socket } from "node:net";
import { connect, type SecureContext } from "node:tls";
import { waitOn } from "./socket-wait.ts";

/** @throws an error with the code of TLS when the other side is not who it should be */
export function secure(under: Socket, host: string, context: SecureContext, signal: AbortSignal): Promise<Socket> {
  const socket = connect({
    socket: under,
    host,
    // An address is no name to be asked for, but it is checked like one.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    secureContext: context,
    rejectUnauthorized: true,
    ALPNProtocols: ["http/1.1"],
  });
  socket.on("error", () => {});
  return waitOn<Socket>(socket, signal, (resolve, reject) => {
    const onSecure = (): void => {
      if (socket.authorized) resolve(socket);
      else reject(socket.authorizationError ?? new Error("not authorized"));
    };
    socket.once("secureConnect", onSecure);
    return () => socket.off("secureConnect", onSecure);
  });
}
