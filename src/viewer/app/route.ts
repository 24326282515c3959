import { effect, signal } from "@preact/signals";

/**
 * Where in the page a person is, kept in the address's fragment, so that every place can be linked to, also in a file that
 * was saved. Nothing in it reaches a server. Pure but for `route` itself.
 */

export type Route =
  | { view: "runs"; query: string }
  /** `step`: the call (or `note-SEQ`, `prompt`, `answer`) that is selected; `filter`: free words that narrow its calls down. */
  | { view: "run"; id: string; step: string | null; filter: string; isRaw: boolean }
  | { view: "compare"; left: string; right: string; row: number | null };

/** The present place. Changed by `go` and by the browser's own buttons only. */
export const route = signal<Route>(parseRoute(""));

/** What a fragment (with or without `#`) means; what cannot be understood is the list of all runs. */
export function parseRoute(fragment: string): Route {
  const [path = "", search = ""] = splitOnce(fragment.replace(/^#/, ""), "?");
  const params = new URLSearchParams(search);
  const [, view, ...parts] = path.split("/").map(decoded);
  const [first = "", second = ""] = parts;
  if (view === "run" && first !== "") {
    const step = params.get("step");
    return { view, id: first, step, filter: params.get("filter") ?? "", isRaw: params.has("raw") };
  }
  if (view === "compare" && first !== "" && second !== "") {
    const row = params.get("row");
    return { view, left: first, right: second, row: row !== null && /^\d{1,9}$/.test(row) ? Number(row) : null };
  }
  return { view: "runs", query: params.get("q") ?? "" };
}

/** The fragment that leads to a place, `#` included. */
export function hrefOf(place: Route): string {
  const params = new URLSearchParams();
  switch (place.view) {
    case "runs":
      if (place.query !== "") params.set("q", place.query);
      return `#/${suffix(params)}`;
    case "run":
      if (place.step !== null) params.set("step", place.step);
      if (place.filter !== "") params.set("filter", place.filter);
      if (place.isRaw) params.set("raw", "");
      return `#/run/${encodeURIComponent(place.id)}${suffix(params)}`;
    case "compare":
      if (place.row !== null) params.set("row", String(place.row));
      return `#/compare/${encodeURIComponent(place.left)}/${encodeURIComponent(place.right)}${suffix(params)}`;
  }
}

/** A run with nothing selected. */
export function runPlace(id: string, step: string | null = null): Route {
  return { view: "run", id, step, filter: "", isRaw: false };
}

let lastQuery = "";
effect(() => {
  if (route.value.view === "runs") lastQuery = route.value.query;
});

/** The list of runs as it was left. */
export function lastList(): Route {
  return { view: "runs", query: lastQuery };
}

/** Goes somewhere. `replace`: without a step for the browser's back button, as for a selection or for typing. */
export function go(place: Route, how: "push" | "replace" = "push"): void {
  const href = hrefOf(place);
  if (href === location.hash) return;
  if (how === "push") history.pushState(null, "", href);
  else history.replaceState(null, "", href);
  route.value = place;
}

/** Follows the browser's address from now on. */
export function followAddress(): void {
  const read = () => {
    route.value = parseRoute(location.hash);
  };
  window.addEventListener("popstate", read);
  window.addEventListener("hashchange", read);
  read();
}

function suffix(params: URLSearchParams): string {
  const text = params.toString().replace(/=(?=&|$)/g, "");
  return text === "" ? "" : `?${text}`;
}

function splitOnce(text: string, at: string): [string, string?] {
  const index = text.indexOf(at);
  return index < 0 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
