import { join } from "node:path";
import { Recordings } from "../src/service/recordings/recordings.ts";

/**
 * What `bench/ingest.ts` measures by itself: `nothing`, a server that reads each body and answers at once, or `recordings`, the
 * service's own code behind the smallest server that can be. Prints its port. `bir serve` is measured as it is.
 */

const [, , mode, directory = "."] = process.argv;
const recordings = mode === "recordings" ? new Recordings({ path: join(directory, "recordings.db") }) : null;

async function answer(request: Request): Promise<Response> {
  const text = await request.text();
  if (recordings === null) return Response.json({ id: "x" }, { status: 201 });
  const body = { text, value: JSON.parse(text) as unknown };
  const [, , , runId, steps] = new URL(request.url).pathname.split("/");
  if (runId === undefined) return told(await recordings.createRun(body));
  if (steps === "finish") return told(await recordings.finishRun(runId, body));
  return told(await recordings.addSteps(runId, body));
}

function told({ status, body }: { status: number; body: object }): Response {
  return Response.json(body, { status });
}

const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
console.log(server.port);
process.on("SIGTERM", async () => {
  await recordings?.close();
  process.exit(0);
});
