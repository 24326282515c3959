import type { Asked } from "../core/api/route-spec.ts";
import type { SERVICE_ROUTES } from "../core/api/service-routes.ts";

/** What stands behind each route of the table. Pure types. */

type Routes = typeof SERVICE_ROUTES;

/** How it was asked, beside what was. */
export interface Asking {
  /** The body as it came, for payloads that are to stay as they are. */
  text: string;
  request: Request;
  /** Where it came to. */
  port: number;
}

/** Answers a response, or the value of the JSON that the route answers with. Throws `Refused` and Problem. */
type Handler<Name extends keyof Routes> = (asked: Asked<Routes[Name]> & Asking) => unknown;

export type Handlers = { [Name in keyof Routes]: Handler<Name> };
