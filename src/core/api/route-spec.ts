import type { z } from "zod";

/**
 * What a route of the service is: one description, from which both the server's route and its part of the OpenAPI document
 * are made. Pure.
 */

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Who may ask. `anyone`: whoever reaches the service from an allowed host and no foreign page. `program`: who has the service's
 * token. `reader`: the same, and a browser that was let in.
 */
export type Access = "anyone" | "program" | "reader";

/** What a route answers when it does what it was asked. */
export interface GoodAnswer {
  status: 200 | 201 | 202 | 204;
  description: string;
  /** By media type: the schema of the body; null where it is no JSON. */
  content: Record<string, z.ZodType | null>;
}

export interface RouteSpec {
  method: Method;
  /** With `{name}` for each member of `params`. */
  path: string;
  /** One line. */
  summary: string;
  /** More, in Markdown. */
  description?: string;
  tag: string;
  access: Access;
  /** Values out of the path. */
  params: z.ZodObject;
  /** Values out of the query; what is not named here is ignored. */
  query: z.ZodObject;
  body: BodySpec | null;
  good: readonly GoodAnswer[];
  /** Statuses that it refuses with, beside those that every route may. */
  refusals: readonly (404 | 409 | 422 | 503)[];
}

export interface BodySpec {
  schema: z.ZodType;
  /** The handler checks it: it takes very many, and knows a faster way than to have it checked twice. */
  isHandlersCheck?: true;
  /** A longer one is refused. */
  limitBytes: number;
}

/** What a route gets of a request, checked. */
export interface Asked<Spec extends RouteSpec> {
  params: z.output<Spec["params"]>;
  query: z.output<Spec["query"]>;
  body: BodyOf<Spec["body"]>;
}

type BodyOf<Body> = Body extends { isHandlersCheck: true }
  ? unknown
  : Body extends { schema: infer Schema extends z.ZodType }
    ? z.output<Schema>
    : null;
