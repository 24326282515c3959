import { describe, expect, test } from "vitest";
import { HOSTS } from "../../src/hosts/hosts.ts";
import { directoryFrom, upwards } from "../../src/hosts/place-paths.ts";
import { diskWith, placeOn } from "./hosts-known-fixture.ts";

/** Which directories hosts look into, as it was seen with the real ones. */

const inRepository = { cwd: "/home/ada/repo/a/b", files: diskWith(["/home/ada/repo/.git/HEAD"]) };
const outside = { cwd: "/srv/a/b", files: diskWith([]) };

function directoriesOf(id: string, where: object): string[] {
  const host = HOSTS.find((one) => one.id === id);
  const lists = host?.lists(placeOn("linux", where)) ?? [];
  return [...new Set(lists.filter(({ scope }) => scope === "project").map(({ directory }) => directory ?? ""))].sort();
}

describe("the directories of projects", () => {
  test.each(["codex", "copilot-cli", "amp"])("%s goes up to the repository, and nowhere outside of one", (id) => {
    expect(directoriesOf(id, inRepository)).toEqual(["/home/ada/repo", "/home/ada/repo/a", "/home/ada/repo/a/b"]);
    expect(directoriesOf(id, outside)).toEqual(["/srv/a/b"]);
  });

  test("opencode goes up to the repository, and to the root outside of one", () => {
    expect(directoriesOf("opencode", inRepository)).toEqual([
      "/home/ada/repo",
      "/home/ada/repo/a",
      "/home/ada/repo/a/b",
    ]);
    expect(directoriesOf("opencode", outside)).toEqual(["/", "/srv", "/srv/a", "/srv/a/b"]);
  });

  test.each(["gemini-cli", "qwen-code", "cursor", "vs-code"])("%s looks into the working directory only", (id) => {
    expect(directoriesOf(id, inRepository)).toEqual(["/home/ada/repo/a/b"]);
  });

  test("the order is that of precedence: the nearest first, the user's last", () => {
    const codex = HOSTS.find(({ id }) => id === "codex");
    expect(codex?.lists(placeOn("linux", inRepository)).map(({ file }) => file)).toEqual([
      "/home/ada/repo/a/b/.codex/config.toml",
      "/home/ada/repo/a/.codex/config.toml",
      "/home/ada/repo/.codex/config.toml",
      "/home/ada/.codex/config.toml",
    ]);
  });

  test("drives of Windows end the way up", () => {
    expect(upwards(placeOn("win32", { cwd: "D:\\a\\b" }), "to-the-root")).toEqual(["D:\\a\\b", "D:\\a", "D:\\"]);
  });
});

test.each([
  ["/abs", "/abs"],
  ["rel/x", "/home/ada/code/project/rel/x"],
  ["~/x", "/home/ada/x"],
  ["~", "/home/ada"],
  ["", null],
  ["  ", null],
])("a variable that holds %j names %j", (value, path) => {
  expect(directoryFrom(placeOn("linux", { env: { MOVED: value } }), "MOVED")).toBe(path);
});

test("only .mcp.json, which hosts share, is changed where a person asks for it", () => {
  for (const host of HOSTS) {
    for (const { file, shared } of host.lists(placeOn("linux"))) {
      expect(shared === true, file).toBe(/project\/\.mcp\.json$/.test(file));
    }
  }
});
