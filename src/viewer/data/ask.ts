import { signal } from "@preact/signals";
import { parseJson } from "./json.ts";
import { SourceProblem } from "./source.ts";

/**
 * Asks the local service, and says in words what went wrong. The key that proves who asks is kept in the browser's storage
 * of this very origin, because the cookie that goes with it is sent to every port of this machine.
 */

/** True once the service has said that this page may not ask: it has to be opened with its link again. */
export const isSignedOut = signal(false);

export interface Ask {
  method?: "GET" | "POST" | "DELETE";
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const KEY_NAME = "bir.key";
/** Where the browser keeps nothing (storage blocked): for as long as the page is open. */
let keyInMemory: string | null = null;

/** The answer of the service at a path; throws SourceProblem, or AbortError when it was called off. */
export async function ask(
  path: string,
  { method = "GET", body, headers: more = {}, signal }: Ask = {},
): Promise<Response> {
  const key = storedKey();
  const headers: Record<string, string> = { ...more };
  if (key !== null) headers["X-Bir-Key"] = key;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      credentials: "same-origin",
      cache: "no-store",
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ?? null,
    });
  } catch (fault) {
    if (signal?.aborted === true) throw fault;
    throw new SourceProblem("unreachable", "The service does not answer.");
  }
  if (response.ok) {
    if (path !== "/session") isSignedOut.value = false;
    return response;
  }
  throw await problemOf(response);
}

/** The same, its JSON read. */
export async function askJson<Answer>(path: string, options: Ask = {}): Promise<Answer> {
  const response = await ask(path, options);
  let text: string;
  try {
    text = await response.text();
  } catch (fault) {
    if (options.signal?.aborted === true) throw fault;
    throw new SourceProblem("unreachable", "The service's answer broke off.");
  }
  try {
    return parseJson(text) as Answer;
  } catch {
    throw new SourceProblem("refused", "The service's answer could not be read.");
  }
}

/** Exchanges the code of a link that `bir view` opened for a key, and keeps that; throws SourceProblem. */
export async function signIn(code: string): Promise<void> {
  const { key } = await askJson<{ key: string }>("/session", { method: "POST", body: { code } });
  keyInMemory = key;
  try {
    localStorage.setItem(KEY_NAME, key);
  } catch {
    // Kept in memory.
  }
  isSignedOut.value = false;
}

/** Goes on as soon as another tab of this browser was signed in. */
export function followSignIn(): void {
  window.addEventListener("storage", ({ key, newValue }) => {
    if (key === KEY_NAME && newValue !== null) isSignedOut.value = false;
  });
}

function storedKey(): string | null {
  try {
    return localStorage.getItem(KEY_NAME) ?? keyInMemory;
  } catch {
    return keyInMemory;
  }
}

async function problemOf(response: Response): Promise<SourceProblem> {
  const words = await wordsOf(response);
  switch (response.status) {
    case 401:
      isSignedOut.value = true;
      return new SourceProblem("signed-out", "This page has to be opened with `bir view` again.");
    case 404:
      return new SourceProblem("not-found", words ?? "There is no such recording.");
    case 502:
    case 503:
    case 504:
      return new SourceProblem("unavailable", words ?? "The service cannot answer just now.");
    default:
      return new SourceProblem("refused", words ?? `The service answered with HTTP ${response.status}.`);
  }
}

/** What the service itself says of a refusal. */
async function wordsOf(response: Response): Promise<string | null> {
  try {
    const problem = (await response.json()) as { title?: unknown; detail?: unknown };
    const words = problem.detail ?? problem.title;
    return typeof words === "string" && words !== "" ? words : null;
  } catch {
    return null;
  }
}
