import type { ConfigFormatId } from "../src/hosts/edit/config-text.ts";
import type { Host, Place, ServerList } from "../src/hosts/host.ts";
import { HOSTS } from "../src/hosts/hosts.ts";
import { table } from "./table.ts";

/** The page of hosts, from what the code knows of them. Looks at no file of this machine. */

const FORMATS: Record<ConfigFormatId, string> = {
  json: "JSON",
  "json-comments": "JSON, comments",
  jsonc: "JSON, comments, trailing commas",
  toml: "TOML",
  yaml: "YAML",
};

const PLATFORMS = { linux: "Linux", darwin: "macOS", win32: "Windows" } as const;
type Platform = keyof typeof PLATFORMS;

/** Where applications of the desktop keep their data. */
const DATA: Record<Platform, string> = {
  linux: "~/.config",
  darwin: "~/Library/Application Support",
  win32: "%APPDATA%",
};

export function hostsPage(hosts: readonly Host[] = HOSTS): string {
  const overview = hosts.map((host) => [
    `[${host.name}](#${anchorOf(host.name)})`,
    `\`${host.id}\``,
    host.verified ? "the application" : "its documentation",
    host.hasProjectLists ? "yes" : "",
    host.restartsServers ? "" : "`--restart`",
  ]);
  return `<!-- Made by \`bun docs/generate.ts\` from src/hosts/known/ and src/hosts/claude-code/host.ts: change it there. -->

# Hosts

The applications whose MCP servers \`bir install\` finds and has recorded. What is known of one was seen with the real application,
or only read in its documentation: then it is _unverified_, here and in \`bir doctor\`, until somebody has run it. For any other
host there is \`--config PATH\`, and \`bir wrap -- CMD…\` prints an entry to put in by hand.

A host that never starts a dead server again gets \`--restart\` in the entries. One that looks for servers in projects too gets
\`--scope user\` in the entries for the whole user: they record only in the projects that were installed.

"Project and above" is the working directory and every one above it, up to the top of the repository. \`<data>\` is \`${DATA.linux}\` (or
\`XDG_CONFIG_HOME\`) on Linux, \`${DATA.darwin}\` on macOS and \`${DATA.win32}\` on Windows.

${table(["host", "`--host`", "known from", "in projects", "written"], overview)}

${hosts.map(sectionOf).join("\n\n")}
`;
}

function sectionOf(host: Host): string {
  const told = [
    ...(host.verified ? [] : ["Unverified: only its documentation was read."]),
    ...(host.movedBy.length === 0
      ? []
      : [`Its files are moved by ${host.movedBy.map((name) => `\`${name}\``).join(", ")}.`]),
    ...host.notes,
    `To take up a change: ${host.reload.charAt(0).toLowerCase()}${host.reload.slice(1)}`,
  ];
  return `## ${host.name}

${told.map((sentence) => `- ${sentence}`).join("\n")}

${table(["for", "file", "servers under", "format"], rowsOf(host))}`;
}

interface Row {
  cells: string[];
  platforms: Platform[];
}

/** What is the same on several platforms stands there once; where only the place of applications' data differs, it is named. */
function rowsOf(host: Host): string[][] {
  const platforms = Object.keys(PLATFORMS) as Platform[];
  const raw = platforms.flatMap((platform) => listsOn(platform, host).map((cells) => ({ platform, cells })));
  const isEverywhere = (row: string) =>
    platforms.every((one) => raw.some((r) => r.platform === one && general(r) === row));
  const rows: Row[] = [];
  for (const one of raw) {
    const isSame = raw.filter(({ cells }) => cells.join("\0") === one.cells.join("\0")).length === platforms.length;
    const cells = !isSame && isEverywhere(general(one)) ? general(one).split("\0") : one.cells;
    const same = rows.find((row) => row.cells.join("\0") === cells.join("\0"));
    if (same === undefined) rows.push({ cells, platforms: [one.platform] });
    else if (!same.platforms.includes(one.platform)) same.platforms.push(one.platform);
  }
  return rows.map(({ cells: [scope = "", ...rest], platforms: on }) => [
    on.length === platforms.length ? scope : `${scope}, ${on.map((one) => PLATFORMS[one]).join(" and ")}`,
    ...rest,
  ]);
}

function general({ platform, cells }: { platform: Platform; cells: string[] }): string {
  return cells.map((cell) => cell.replace(`\`${DATA[platform]}/`, "`<data>/")).join("\0");
}

function listsOn(platform: Platform, host: Host): string[][] {
  const join = (...parts: string[]) => parts.join(platform === "win32" ? "\\" : "/");
  const project = platform === "win32" ? "C:\\<project>" : "/<project>";
  const cwd = join(project, "here");
  const place: Place = {
    platform,
    userHome: "~",
    cwd,
    env: {},
    files: {
      exists: (path) => path === join(project, ".git") || path.endsWith(".mcp.json"),
      names: (directory) => (directory.endsWith("profiles") ? ["*"] : ["*.json", "*.yaml"]),
    },
  };
  const lists = host.lists(place);
  const looksUp = lists.some(({ scope, directory }) => scope === "project" && directory === project);
  return lists
    .filter(({ scope, directory }) => scope !== "project" || directory === cwd)
    .map((list) => [
      `${scopeOf(list, looksUp)}${list.shared ? ", with `--mcp-json`" : ""}`,
      `\`${shown(list.file)}\``,
      list.path.map((step) => `\`${shown(String(step))}\``).join(" › "),
      FORMATS[list.format],
    ]);
}

function scopeOf({ scope }: ServerList, looksUp: boolean): string {
  if (scope === "project" && looksUp) return "project and above";
  return scope;
}

function shown(path: string): string {
  return path
    .replaceAll("\\", "/")
    .replace(/^(?:C:)?\/<project>(?:\/here)?/, "<project>")
    .replace(/^~\/AppData\/Roaming/, "%APPDATA%");
}

function anchorOf(name: string): string {
  return name.toLowerCase().replaceAll(" ", "-");
}
