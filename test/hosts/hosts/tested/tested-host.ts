/** What a test has to know of a real host to run it: how it is started, configured and sealed off. One file a host. Types only. */

import type { Dialect, Use } from "../../../fakes/tool-model/dialect.ts";
import type { Installed } from "../../installed.ts";

/** The two servers in a person's configuration. */
export interface Servers {
  /** A program of this machine. */
  near: { command: string; args: readonly string[] };
  /** Where the other one is, over Streamable HTTP; it wants the value of FAR_TOKEN as a bearer token. */
  far: string;
}

export interface TestedHost extends Installed {
  /** As `bir install --host` takes it. */
  id: string;
  /** With its version. */
  name: string;
  dialect: Dialect;
  /** Its own file with the servers `near` and `far`, below HOME. */
  config: string;
  /** That file as a person may have written it: in the dialect that the host reads, not in the one that programs write. */
  configText(servers: Servers, model: string): string;
  /** What else it has to find below HOME, for instance which model to use. */
  files(model: string): Record<string, string>;
  env(model: string): Record<string, string>;
  args(prompt: string): string[];
  /** How a tool of a server is named to the model. */
  use(server: string, tool: string): Omit<Use, "input">;
  /** It writes the file in each session, with other things in it than servers. */
  writesConfig: boolean;
  /** What it asks of somebody else whatever its switches say. Nobody answers. */
  asksAnyway: readonly string[];
}

/** The value of FAR_TOKEN, and where the host puts it. */
export const FAR_TOKEN = "opaque-0123456789-words";

/** A string as JSON, and so as JSONC and TOML, write it. */
export const quoted = (text: string): string => JSON.stringify(text);
