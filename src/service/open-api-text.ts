import { openApiDocument } from "../core/api/openapi.ts";
import { SERVICE_ROUTES } from "../core/api/service-routes.ts";

/** The document that describes the service, as it is served. */

let text: string | undefined;

/** Its JSON text, made when it is first asked for. */
export function openApiText(): string {
  text ??= `${JSON.stringify(openApiDocument(SERVICE_ROUTES, ABOUT), null, 2)}\n`;
  return text;
}

const ABOUT = {
  title: "bir",
  // Of what is described here, not of the program.
  version: "1.0.0",
  description:
    "Recorded runs of AI agents on this machine: reading, searching, following, comparing and deleting them, and taking in those that other " +
    "recorders send. Refusals are `application/problem+json` and never quote what was sent.",
};
