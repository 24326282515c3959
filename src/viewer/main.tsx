import { render } from "preact";
import { App } from "./app/app.tsx";
import { listenForKeys } from "./app/keys.ts";
import { openLink } from "./app/open-link.ts";
import { followAddress } from "./app/route.ts";
import { showTheme } from "./app/theme.ts";
import { followSignIn } from "./data/ask.ts";
import { fileSource } from "./data/file-source.ts";
import { HttpSource } from "./data/http-source.ts";

/** Starts the page: on the run that its own file carries, or on the local service. */

async function start(): Promise<void> {
  showTheme();
  const place = document.getElementById("page");
  if (place === null) return;
  const carried = fileSource(document);
  if (carried === null) {
    followSignIn();
    // The link may be opened in a tab that shows the page already.
    window.addEventListener("hashchange", () => void openLink());
    await openLink();
  }
  followAddress();
  listenForKeys();
  render(<App source={carried ?? new HttpSource()} />, place);
}

void start();
