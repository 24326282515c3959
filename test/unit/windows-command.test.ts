import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { quoteForCRuntime, windowsCommand } from "../../src/upstream/windows-command.ts";

/**
 * What Windows makes of a command line, as its parts are documented: cmd.exe puts in variables, then takes the line apart
 * by `^` and quotes; a batch file puts `%*` in a line that is taken apart again; a program splits its arguments by the rules
 * of the C runtime.
 */
const VARIABLES: Record<string, string> = { PATH: "C:\\Windows", cd: "C:\\work", A: "B" };

function expandVariables(line: string): string {
  let out = "";
  for (let i = 0; i < line.length; i++) {
    const end = line[i] === "%" ? line.indexOf("%", i + 1) : -1;
    const [name = "", ...modifier] = line.slice(i + 1, Math.max(end, 0)).split(":");
    const value = end < 0 ? undefined : VARIABLES[name];
    if (value === undefined) out += line[i];
    else {
      const part = /^~(\d*)(?:,(\d*))?/.exec(modifier.join(":"));
      if (part === null) out += modifier.length > 0 ? value.replaceAll("C", "") : value;
      else {
        const [, from = "", length] = part;
        out += value.slice(Number(from), length === undefined ? undefined : Number(from) + Number(length));
      }
      i = end;
    }
  }
  return out;
}

/** Takes a line apart; throws where any of it would be syntax. The first word ends at a delimiter. */
function parseLine(line: string): { word: string; rest: string } {
  const parsed: { char: string; literal: boolean }[] = [];
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const char = line[i] as string;
    if (char === "\n" || char === "\r") throw new Error("the line ends early");
    if (char === "^" && !quoted) {
      if (++i >= line.length) throw new Error("the line goes on");
      parsed.push({ char: line[i] as string, literal: true });
      continue;
    }
    if (char === '"') quoted = !quoted;
    else if (!quoted && "&|<>()".includes(char)) throw new Error(`${char} is syntax`);
    parsed.push({ char, literal: quoted });
  }
  if (quoted) throw new Error("a quote is open");
  const end = parsed.findIndex(({ char, literal }) => !literal && " \t,;=".includes(char));
  const text = (part: typeof parsed) => part.map(({ char }) => char).join("");
  return end < 0
    ? { word: text(parsed), rest: "" }
    : { word: text(parsed.slice(0, end)), rest: text(parsed.slice(end + 1)) };
}

function splitByCRuntime(line: string): string[] {
  const args: string[] = [];
  let arg: string | null = null;
  let quoted = false;
  for (let i = 0; i < line.length; ) {
    const backslashes = /^\\*/.exec(line.slice(i))?.[0].length ?? 0;
    i += backslashes;
    if (backslashes > 0) arg = (arg ?? "") + "\\".repeat(line[i] === '"' ? Math.floor(backslashes / 2) : backslashes);
    const char = line[i];
    if (char === undefined) break;
    i++;
    if (char === '"') {
      if (backslashes % 2 === 1) arg = `${arg ?? ""}"`;
      else {
        quoted = !quoted;
        arg ??= "";
      }
    } else if ((char === " " || char === "\t") && !quoted) {
      if (arg !== null) args.push(arg);
      arg = null;
    } else arg = (arg ?? "") + char;
  }
  return arg === null ? args : [...args, arg];
}

/** The batch file that cmd.exe would start, and the arguments of the program it hands them on to. */
function asCmdRunsIt({ file, args }: { file: string; args: string[] }): [file: string, ...args: string[]] {
  expect(file).toBe("C:\\Windows\\System32\\cmd.exe");
  expect(args.slice(0, -1)).toEqual(["/d", "/e:on", "/v:off", "/s", "/c"]);
  const command = args.at(-1) ?? "";
  expect([command[0], command.at(-1)]).toEqual(['"', '"']);
  const { word, rest } = parseLine(expandVariables(command.slice(1, -1)));
  // What `%*` stands for is not looked through for variables again.
  return [word, ...splitByCRuntime(parseLine(`node.exe ${rest}`).rest)];
}

const ENV = { PATHEXT: ".COM;.EXE;.BAT;.CMD;.VBS", ComSpec: "C:\\Windows\\System32\\cmd.exe" };
const NPX = "C:\\Program Files\\nodejs\\npx.cmd";
const findNpx = (name: string) => (name.toLowerCase() === "npx.cmd" ? NPX : null);

const NASTY = [
  "",
  " ",
  "two words",
  "tab\there",
  '"',
  '"quoted"',
  'say "hi" twice',
  "\\",
  "\\\\",
  "C:\\dir\\",
  "C:\\dir with space\\",
  "C:\\Program Files\\x.cmd",
  'ends in \\"',
  'a\\\\"b',
  "^",
  "a^b^^",
  "&calc",
  "a&&b||c",
  "%PATH%",
  "%PATH:~0,1%",
  "%%cd%%",
  "100%",
  "%",
  "%A",
  "!A!",
  "<in >out 2>&1",
  "(group)",
  "[x]",
  "a|b",
  "a;b,c=d",
  "*?",
  "`backtick`",
  "'single'",
  "--flag=a b",
  '{"json":"with \\"escapes\\" & %PATH%"}',
  "grüße 日本語 🎉",
  "@file",
  "~",
  "$HOME",
];

describe("a batch file", () => {
  test.each(NASTY)("gets %j as it is", (argument) => {
    const command = windowsCommand(["npx", argument, "last"], ENV, findNpx);
    expect(command.verbatim).toBe(true);
    expect(asCmdRunsIt(command)).toEqual([NPX, argument, "last"]);
  });

  test("gets any arguments as they are", () => {
    const argument = fc.oneof(
      fc.constantFrom(...NASTY),
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom(...'"\\^&|<>()%! \t;,=*?`ACPATHcd:~0,') }),
    );
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 4 }), (args) => {
        fc.pre(!args.some((text) => /[\r\n\0]/.test(text)));
        expect(asCmdRunsIt(windowsCommand(["npx", ...args], ENV, findNpx))).toEqual([NPX, ...args]);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(["a\nb", "a\r", "\0"])("is not given %j, which would end its line", (argument) => {
    expect(() => windowsCommand(["npx", argument], ENV, findNpx)).toThrow(/line break/);
  });

  test.each([
    "C:\\Program Files (x86)\\a & b\\100%\\^x!\\run it.cmd",
    "C:\\tools\\server.BAT",
    "C:\\tools\\server.cmd.",
    "C:\\tools\\server.bat ",
  ])("is started by the name %j", (file) => {
    expect(asCmdRunsIt(windowsCommand(["server", "x"], ENV, () => file))).toEqual([file, "x"]);
  });

  test("is started by a path with backslashes", () => {
    const command = windowsCommand(["./node_modules/.bin/server.cmd", "--root=/data"], ENV, () => null);
    expect(asCmdRunsIt(command)).toEqual([".\\node_modules\\.bin\\server.cmd", "--root=/data"]);
  });

  test.each([
    [{ ComSpec: "D:\\cmd.exe" }, "D:\\cmd.exe"],
    [{ COMSPEC: "E:\\cmd.exe" }, "E:\\cmd.exe"],
    [{}, "cmd.exe"],
  ])("is run by the cmd.exe of %j", (env, file) => {
    expect(windowsCommand(["npx"], env, findNpx).file).toBe(file);
  });
});

describe("a program", () => {
  test.each(["C:\\bin\\node.exe", "C:\\bin\\old.COM", "C:\\bin\\cmd", "C:\\x.bat.exe"])(
    "%s gets its arguments apart",
    (file) => {
      expect(windowsCommand(["node", "a b", "%PATH%", ""], ENV, () => file)).toEqual({
        file,
        args: ["a b", "%PATH%", ""],
        verbatim: false,
      });
    },
  );

  test("that is not found is left to the system to refuse", () => {
    expect(windowsCommand(["nothing"], ENV, () => null)).toEqual({ file: "nothing", args: [], verbatim: false });
    expect(windowsCommand([], ENV, () => null).file).toBe("");
  });

  test.each(NASTY)("splits %j back as it was", (argument) => {
    expect(splitByCRuntime(`x ${quoteForCRuntime(argument)} y`)).toEqual(["x", argument, "y"]);
  });
});

describe("PATHEXT", () => {
  /** The names that are asked for, in order, when only `there` is to be found. */
  function lookUp(program: string, there: string, env: Record<string, string | undefined> = ENV) {
    const asked: string[] = [];
    const { file } = windowsCommand([program], env, (name) => {
      asked.push(name);
      return name === there ? `C:\\bin\\${name}` : null;
    });
    return { asked, file };
  }

  test("is tried in its order", () => {
    expect(lookUp("node", "node.exe").asked).toEqual(["node.com", "node.exe"]);
    expect(lookUp("x", "", { PATHEXT: ".CMD;.EXE" }).asked).toEqual(["x.cmd", "x.exe", "x"]);
  });

  test("is not added to a name that has one of its extensions, in any case", () => {
    expect(lookUp("node.EXE", "node.EXE").asked).toEqual(["node.EXE"]);
    expect(lookUp("server.1", "server.1.cmd").asked).toEqual([
      "server.1.com",
      "server.1.exe",
      "server.1.bat",
      "server.1.cmd",
    ]);
  });

  test("a name without an extension comes last", () => {
    expect(lookUp("tool", "tool").asked.at(-1)).toBe("tool");
  });

  test.each([undefined, "", ";;"])("%j: the usual ones", (PATHEXT) => {
    const { asked } = lookUp("node", "", { PATHEXT });
    expect(asked).toEqual(PATHEXT === ";;" ? ["node"] : ["node.com", "node.exe", "node.bat", "node.cmd", "node"]);
  });

  test("works for names with a path", () => {
    expect(lookUp("C:\\tools\\server", "C:\\tools\\server.cmd").asked).toContain("C:\\tools\\server.cmd");
  });
});
