import type { Expansion } from "../../../../hosts/host.ts";

/** Texts of an entry with variables filled in, as the host does it before it starts a server. Pure. */

type Environment = Readonly<Record<string, string | undefined>>;

/** What a form names, and what stands for it where that is not set. */
const FORM = /^\$?\{?(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}?$/;

/** The text; or the form that cannot be filled in here, because it is not set or only the host knows it. */
export function filledIn(
  text: string,
  expansion: Expansion | null,
  env: Environment,
): { text: string } | { form: string } {
  if (expansion === null) return { text };
  let unknown: string | null = null;
  const filled = text.replace(expansion.pattern, (form) => {
    const [, name = "", otherwise] = FORM.exec(form) ?? [];
    const value = env[name] ?? otherwise;
    if (value === undefined) unknown ??= form;
    return value ?? form;
  });
  return unknown === null ? { text: filled } : { form: unknown };
}
