/** Texts of entries without what hosts fill in: `${VAR}`, `${VAR:-default}`, `${{ secrets.VAR }}`, `{env:VAR}`, `$VAR`, `%VAR%`. Pure. */

const FORMS = /\$\{\{([^{}]*)\}\}|\$\{([^{}]+)\}|\{(?:env|file):([^{}]+)\}|\$[A-Z_][A-Z0-9_]*|%[A-Za-z_]\w*%/g;
const DEFAULT = /^\s*\w+:?[-=](.*)$/s;
/** Says how a credential is sent, and is none. */
const SCHEME = /^(?:bearer|basic|token|apikey)$/i;

/** The part that stands in the file itself, empty where that is nothing of account; and what stands for variables that are not set. */
export function withoutPlaceholders(text: string): { rest: string; defaults: string[] } {
  const defaults: string[] = [];
  const rest = text
    .replace(FORMS, (_, ...groups: unknown[]) => {
      const inner = groups.slice(0, 3).find((group) => typeof group === "string") ?? "";
      const [, otherwise = ""] = DEFAULT.exec(String(inner)) ?? [];
      if (otherwise !== "") defaults.push(otherwise);
      return "";
    })
    .trim();
  return { rest: rest === text.trim() || !SCHEME.test(rest) ? rest : "", defaults };
}
