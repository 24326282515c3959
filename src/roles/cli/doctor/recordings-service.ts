import { serverState } from "../server-state.ts";
import { fillService, lookAtService, refusedSentence, type ServiceStatus } from "../service-status.ts";
import { withReader } from "../with-reader.ts";
import { type DoctorCheck, type Finding, ok } from "./check.ts";

/** The recordings service, where one is named: the settings can be used, it lets us in, and it takes what it gets. */
export const recordingsService: DoctorCheck = {
  name: "recordings-service",
  run: async ({ context }) => {
    const found = lookAtService(context.home);
    if (found === null) return [ok("nothing is sent to a recordings service")];
    const isServed = (await serverState(context.home, context.isAlive)).state === "running";
    await withReader(context, async (reader) => fillService(found, reader, isServed));
    return [stateFinding(found), ...refusalFindings(found)];
  },
};

function stateFinding({ url, signedIn, trouble }: ServiceStatus): Finding {
  if (url === null) {
    return { severity: "error", message: trouble ?? "", hint: "Put it right, or sign in again with `bir login`." };
  }
  if (trouble === null) return ok(`what is recorded is sent to ${url}`);
  const hint = signedIn ? "`bir whoami` asks it now; nothing that waits is lost." : "Sign in again with `bir login`.";
  return { severity: "warning", message: `the recordings service at ${url}: ${trouble}`, hint };
}

function refusalFindings(found: ServiceStatus): Finding[] {
  if (found.refused === 0) return [];
  const hint = "They are still here: `bir run export` gives them to you.";
  return [{ severity: "warning", message: `the recordings service: ${refusedSentence(found)}`, hint }];
}
