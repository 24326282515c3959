import { signal } from "@preact/signals";

/** Light, dark, or as the system has it: what a person chose is kept in this browser. */

export type Theme = "system" | "light" | "dark";

export const theme = signal<Theme>(storedTheme());

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

/** Goes on to the next theme and keeps it. */
export function nextTheme(): Theme {
  theme.value = NEXT[theme.value];
  try {
    localStorage.setItem("bir.theme", theme.value);
  } catch {
    // For as long as the page is open.
  }
  showTheme();
  return theme.value;
}

/** Puts the theme on the page. */
export function showTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.value === "system") delete dataset.theme;
  else dataset.theme = theme.value;
}

function storedTheme(): Theme {
  try {
    const stored = localStorage.getItem("bir.theme");
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}
