import { join } from "node:path";
import { type BuiltPage, buildPage } from "./built-page.ts";
import { MadeService, WORLDS, type World } from "./made-service.ts";

/** Serves the page and made-up worlds on loopback. `/?many` chooses a world, for this browser from then on. */

export interface PreviewServer {
  origin: string;
  page: BuiltPage;
  service(world: World): MadeService;
  stop(): Promise<void>;
}

const AXE = join(import.meta.dirname, "../../../node_modules/axe-core/axe.min.js");
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `isFresh`: the page is bundled anew each time it is loaded. */
export async function servePreview(port: number, isFresh: boolean): Promise<PreviewServer> {
  const services = new Map<World, MadeService>();
  const service = (world: World) => {
    const made = services.get(world) ?? new MadeService(world);
    services.set(world, made);
    return made;
  };
  const preview = { page: await buildPage() };
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const url = new URL(request.url);
      const world = WORLDS.find((one) => url.searchParams.has(one));
      if (url.pathname === "/") {
        if (isFresh) preview.page = await buildPage();
        return new Response(preview.page.index, {
          headers: {
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy": CSP,
            "Cache-Control": "no-store",
            "Set-Cookie": `world=${world ?? "rich"}; Path=/; SameSite=Strict`,
          },
        });
      }
      if (url.pathname === "/axe.js") return new Response(Bun.file(AXE));
      const file = preview.page.files.get(url.pathname.replace("/assets/", ""));
      if (file !== undefined) return new Response(file.body, { headers: { "Content-Type": file.type } });
      const chosen = /world=([\w-]+)/.exec(request.headers.get("Cookie") ?? "")?.[1];
      return await service(WORLDS.find((one) => one === chosen) ?? "rich").answer(request);
    },
  });
  return {
    origin: `http://127.0.0.1:${server.port}`,
    get page() {
      return preview.page;
    },
    service,
    stop: async () => {
      for (const one of services.values()) one.stop();
      await server.stop(true);
    },
  };
}
