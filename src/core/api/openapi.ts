import { z } from "zod";
import type { Access, RouteSpec } from "./route-spec.ts";
import { problemAnswerSchema } from "./service.ts";

/** The OpenAPI 3.1 document of a table of routes. Pure: the same table makes the routes themselves. */

type Json = Record<string, unknown>;

interface About {
  title: string;
  version: string;
  description: string;
}

const REFUSED: Readonly<Record<number, string>> = {
  400: "Something in what was sent is not what the route takes",
  401: "Not let in",
  403: "Not from here: another host's name, or a page of another site",
  404: "There is none",
  405: "The route takes another method",
  409: "It cannot be done just now",
  413: "The body is too large",
  415: "The body is not said to be JSON",
  422: "The store does not take this content",
  503: "The store cannot be used, or takes nothing just now; `Retry-After` says when to ask again",
};

const SECURITY: Readonly<Record<Access, Json[]>> = {
  anyone: [],
  program: [{ token: [] }],
  reader: [{ token: [] }, { cookie: [], key: [] }],
};

/** The document. Its schemas stand once each, under their names. */
export function openApiDocument(routes: Readonly<Record<string, RouteSpec>>, about: About): Json {
  const schemas = new Schemas();
  const paths: Record<string, Json> = {};
  for (const [name, spec] of Object.entries(routes)) {
    const path = paths[spec.path] ?? {};
    path[spec.method.toLowerCase()] = operation(name, spec, schemas);
    paths[spec.path] = path;
  }
  return {
    openapi: "3.1.0",
    info: { title: about.title, version: about.version, description: about.description, license: LICENSE },
    servers: [{ url: "/" }],
    tags: [...new Set(Object.values(routes).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.named,
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: "The service's own token, in `service.json` of its home.",
        },
        cookie: { type: "apiKey", in: "cookie", name: "bir-PORT", description: "Of a browser that was let in." },
        key: { type: "apiKey", in: "header", name: "X-Bir-Key", description: "Shown together with the cookie." },
      },
    },
  };
}

const LICENSE = { name: "MIT License", identifier: "MIT" };

function operation(name: string, spec: RouteSpec, schemas: Schemas): Json {
  const answers: Record<string, Json> = {};
  for (const { status, description, content } of spec.good) {
    const known = answers[status];
    const also = known === undefined ? "" : `${String(known.description)}. `;
    answers[status] = {
      description: also + description,
      ...(Object.keys(content).length === 0 ? {} : { content: mediaTypes(content, schemas) }),
    };
  }
  for (const status of refusalsOf(spec)) {
    const problem = { "application/problem+json": { schema: schemas.of(problemAnswerSchema, "output") } };
    answers[status] = { description: REFUSED[status] ?? "", content: problem };
  }
  return {
    operationId: name,
    tags: [spec.tag],
    summary: spec.summary,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    security: SECURITY[spec.access],
    parameters: [...parameters(spec.params, "path", schemas), ...parameters(spec.query, "query", schemas)],
    ...(spec.body === null ? {} : { requestBody: requestBody(spec.body, schemas) }),
    responses: answers,
  };
}

function refusalsOf({ access, body, refusals, params, query }: RouteSpec): number[] {
  const isChecked = body !== null || [params, query].some(({ shape }) => Object.keys(shape).length > 0);
  const found = new Set<number>([403, ...refusals]);
  if (isChecked) found.add(400);
  if (access !== "anyone" || body !== null) found.add(401);
  if (body !== null) for (const status of [413, 415, 503]) found.add(status);
  return [...found].sort((a, b) => a - b);
}

function requestBody(body: NonNullable<RouteSpec["body"]>, schemas: Schemas): Json {
  const mib = body.limitBytes / 2 ** 20;
  return {
    required: true,
    description: mib >= 1 ? `Up to ${mib} MiB.` : `Up to ${body.limitBytes / 1024} KiB.`,
    content: { "application/json": { schema: schemas.of(body.schema, "input") } },
  };
}

function mediaTypes(content: Record<string, z.ZodType | null>, schemas: Schemas): Json {
  return Object.fromEntries(
    Object.entries(content).map(([type, schema]) => [
      type,
      {
        schema:
          schema === null ? (type === "application/json" ? {} : { type: "string" }) : schemas.of(schema, "output"),
      },
    ]),
  );
}

function parameters(schema: z.ZodObject, place: "path" | "query", schemas: Schemas): Json[] {
  return Object.entries(schema.shape).map(([name, value]) => {
    const { description, ...rest } = schemas.of(value as z.ZodType, "input");
    const isRequired = place === "path" || !(value as z.ZodType).safeParse(undefined).success;
    return {
      name,
      in: place,
      required: isRequired,
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

/** Zod's schemas as JSON Schema 2020-12; one with an id stands among the components, and elsewhere by reference. */
class Schemas {
  readonly named: Record<string, Json> = {};

  of(schema: z.ZodType, io: "input" | "output"): Json {
    const {
      $schema: _,
      $defs,
      ...made
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      reused: "inline",
      override: ({ zodSchema, jsonSchema }) => {
        // A number out of a text: what is asked for is the number.
        if (zodSchema._zod.def.type === "number" && jsonSchema.type === undefined) jsonSchema.type = "integer";
      },
    }) as Json;
    for (const [name, definition] of Object.entries(($defs ?? {}) as Record<string, Json>))
      this.#name(name, definition);
    const { id, ...plain } = made;
    if (typeof id !== "string") return withLocalReferences(made);
    this.#name(id, plain);
    return { $ref: reference(id) };
  }

  #name(name: string, definition: Json): void {
    const { id: _, ...plain } = definition;
    this.named[name] ??= withLocalReferences(plain);
  }
}

function reference(name: string): string {
  return `#/components/schemas/${name}`;
}

function withLocalReferences(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema), (key, value) =>
    key === "$ref" && typeof value === "string" ? value.replace("#/$defs/", "#/components/schemas/") : value,
  );
}
