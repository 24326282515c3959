import { useEffect, useState } from "preact/hooks";

/** The page's colours as a canvas needs them: read from the tokens, and again when the theme changes. */

const NAMES = {
  ground: "--surface-sunken",
  line: "--border",
  strong: "--border-strong",
  text: "--text-soft",
  bar: "--text-faint",
  agentOdd: "--json-key",
  agentEven: "--json-number",
  error: "--error",
  warn: "--warn",
  running: "--running",
  accent: "--accent",
  surface: "--surface",
} as const;

export type AxisColours = Record<keyof typeof NAMES, string>;

export function useAxisColours(): AxisColours | null {
  const [colours, setColours] = useState<AxisColours | null>(null);
  useEffect(() => {
    const read = () => setColours(readColours());
    read();
    const theme = new MutationObserver(read);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const queries = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((query) => matchMedia(query));
    for (const query of queries) query.addEventListener("change", read);
    return () => {
      theme.disconnect();
      for (const query of queries) query.removeEventListener("change", read);
    };
  }, []);
  return colours;
}

/** A token may stand for two colours; only an element's own colour is the one that is meant. */
function readColours(): AxisColours {
  const probe = document.createElement("span");
  // A canvas is not forced into the system's colours; it keeps those of the theme that goes with them.
  probe.style.setProperty("forced-color-adjust", "none");
  document.body.append(probe);
  const colours = {} as AxisColours;
  for (const [name, token] of Object.entries(NAMES)) {
    probe.style.color = `var(${token})`;
    colours[name as keyof AxisColours] = getComputedStyle(probe).color;
  }
  probe.remove();
  return colours;
}
