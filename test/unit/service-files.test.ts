/** The files by which the service is found and its page is opened, and what it knows others by. */

import { chmodSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  publishDiscovery,
  readServiceDiscovery,
  removeOpeners,
  withdrawDiscovery,
  writeOpener,
} from "../../src/service/service-files.ts";
import { knownSecrets, serviceSecrets } from "../../src/service/who/service-secrets.ts";
import { ownHome } from "./control-fixture.ts";

const OWN = { url: "http://127.0.0.1:7331", pid: 4711, processStartedAt: "boot/1", startedAt: 5 };
const mode = (path: string) => statSync(path).mode & 0o777;

describe("the discovery file", () => {
  test("says where the service is, and goes only with the service that it names", () => {
    const home = ownHome();
    expect(readServiceDiscovery(home)).toBeNull();
    publishDiscovery(home, OWN);
    expect(readServiceDiscovery(home)).toEqual(OWN);
    expect(mode(join(home, "view", "server.json"))).toBe(0o600);
    withdrawDiscovery(home, { ...OWN, startedAt: 6 });
    withdrawDiscovery(home, { ...OWN, pid: 1 });
    expect(readServiceDiscovery(home)).toEqual(OWN);
    withdrawDiscovery(home, OWN);
    expect(readServiceDiscovery(home)).toBeNull();
    withdrawDiscovery(home, OWN);
  });

  test.each([
    "",
    "null",
    "[]",
    "{",
    "1",
    JSON.stringify({ ...OWN, url: "http://evil.example:7331" }),
    JSON.stringify({ ...OWN, url: "http://127.0.0.1:7331@evil.example" }),
    JSON.stringify({ ...OWN, url: "https://127.0.0.1:7331" }),
    JSON.stringify({ ...OWN, url: 1 }),
    JSON.stringify({ ...OWN, pid: 0 }),
    JSON.stringify({ ...OWN, pid: -1 }),
    JSON.stringify({ ...OWN, pid: 1.5 }),
    JSON.stringify({ ...OWN, pid: "4711" }),
    JSON.stringify({ ...OWN, processStartedAt: null }),
    JSON.stringify({ ...OWN, startedAt: undefined }),
  ])("that is not whole is none: %s", (text) => {
    const home = ownHome();
    publishDiscovery(home, OWN);
    writeFileSync(join(home, "view", "server.json"), text);
    expect(readServiceDiscovery(home)).toBeNull();
  });
});

describe("the file that opens the page", () => {
  test("is its owner's alone, and goes when it is no use any more", () => {
    const home = ownHome();
    const link = "http://127.0.0.1:7331/#/open/CODE/run/%3C%2Fscript%3E";
    const path = writeOpener(home, link);
    expect(mode(path)).toBe(0o600);
    expect(mode(join(home, "view"))).toBe(0o700);
    expect(readFileSync(path, "utf8")).toContain(`<script>location.replace("${link}")</script>`);
    publishDiscovery(home, OWN);
    removeOpeners(home, Date.now() + 149_000);
    expect(readdirSync(join(home, "view"))).toHaveLength(2);
    removeOpeners(home, Date.now() + 151_000);
    expect(readdirSync(join(home, "view"))).toEqual(["server.json"]);
    writeOpener(home, link);
    removeOpeners(home);
    expect(readdirSync(join(home, "view"))).toEqual(["server.json"]);
  });

  test("cannot be ended by what is in it", () => {
    const path = writeOpener(ownHome(), 'http://x/</script><script>alert("1")');
    const page = readFileSync(path, "utf8");
    expect(page.match(/<\/?script>/g)).toEqual(["<script>", "</script>"]);
    utimesSync(path, 1, 1);
  });
});

describe("what others are known by", () => {
  test("is made once, for its owner alone, and kept", () => {
    const home = join(ownHome(), "new");
    expect(knownSecrets(home)).toBeNull();
    const secrets = serviceSecrets(home);
    expect(secrets.token).toMatch(/^[\w-]{43}$/);
    expect(secrets.sessionSecret).toMatch(/^[\w-]{43}$/);
    expect(secrets.token).not.toBe(secrets.sessionSecret);
    expect(mode(join(home, "service.json"))).toBe(0o600);
    expect(serviceSecrets(home)).toEqual(secrets);
    chmodSync(join(home, "service.json"), 0o644);
    expect(serviceSecrets(home)).toEqual(secrets);
    expect(mode(join(home, "service.json"))).toBe(0o600);
  });

  test.each(["", "null", "{}", '{"token":"short","sessionSecret":"short"}', '{"token":1}', "{"])(
    "is made anew where it cannot be read: %s",
    (text) => {
      const home = ownHome();
      writeFileSync(join(home, "service.json"), text);
      expect(knownSecrets(home)).toBeNull();
      const made = serviceSecrets(home);
      expect(knownSecrets(home)).toEqual(made);
      expect(mode(join(home, "service.json"))).toBe(0o600);
    },
  );
});
