import { chmodSync } from "node:fs";
import { newSecret } from "../../http-server/secret.ts";
import { readTextIfThere } from "../../kit/file-facts.ts";
import { serviceSecretsPath } from "../../kit/paths.ts";
import { createPrivateFile, makePrivateDirectory, replacePrivateFile } from "../../kit/private-files.ts";

/**
 * What the service knows others by, in a file that its owner alone reads: the token that programs show, and the secret that
 * browsers' sessions are sealed with. Made at the first start, and lasting: removing the file shuts everybody out.
 */

export interface ServiceSecrets {
  token: string;
  sessionSecret: string;
}

/** The secrets of a home, made where there are none, or none that can be read. Throws what the system says. */
export function serviceSecrets(home: string): ServiceSecrets {
  const path = serviceSecretsPath(home);
  const known = knownSecrets(home);
  if (known !== null) {
    chmodSync(path, 0o600);
    return known;
  }
  makePrivateDirectory(home);
  const made = { token: newSecret(), sessionSecret: newSecret() };
  const text = `${JSON.stringify(made, null, 2)}\n`;
  try {
    createPrivateFile(path, text);
    return made;
  } catch (cause) {
    if ((cause as { code?: string }).code !== "EEXIST") throw cause;
  }
  // Another one was just made, or there is one that is no use.
  const other = knownSecrets(home);
  if (other !== null) return other;
  replacePrivateFile(path, text);
  return made;
}

/** The secrets of a home where a service has been; null where there are none. */
export function knownSecrets(home: string): ServiceSecrets | null {
  try {
    const { token, sessionSecret } = JSON.parse(readTextIfThere(serviceSecretsPath(home)) ?? "null") ?? {};
    return isSecret(token) && isSecret(sessionSecret) ? { token, sessionSecret } : null;
  } catch {
    return null;
  }
}

function isSecret(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{32,512}$/.test(value);
}
