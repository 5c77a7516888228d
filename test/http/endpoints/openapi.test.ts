import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { responseSchema } from "../../../src/contract/envelope.ts";
import { inputSource, pathParameters } from "../../../src/contract/operation.ts";
import { toOpenApi } from "../../../src/http/endpoints/openapi/openapi.ts";
import { operationDefinitions } from "../../../src/service/contract.ts";

const ADDRESSES = { siteUrl: "https://files.example", apiUrl: "https://files.example/api", contentUrl: "https://bytes.example" };

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: object;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly description?: string;
  readonly requestBody?: {
    readonly description?: string;
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  readonly links?: Readonly<Record<string, Link>>;
}

interface Link {
  readonly operationId: string;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly requestBody?: Readonly<Record<string, string>>;
}

const EXAMPLE_ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";

interface Node {
  readonly description?: string;
}

interface Schema {
  readonly description?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface EventSchema {
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
}

/** A path has operations by method; those outside the API's URL are at servers of their own. */
type PathItem = Readonly<Record<string, Operation>> & { readonly servers?: readonly { readonly url: string }[] };

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** openapi, "The OpenAPI document" and "Versioning". */
describe("the OpenAPI document", () => {
  // Serialized as it is sent, which removes undefined values.
  const sent = JSON.stringify(toOpenApi(ADDRESSES));
  const document = JSON.parse(sent) as Document;
  const operationsOf = (items: readonly PathItem[]) =>
    items.flatMap(({ servers: _, ...operations }) => Object.values<Operation>(operations));
  const items = Object.values(document.paths);
  const bytes = operationsOf(items.filter(({ servers }) => servers !== undefined));
  const all = operationsOf(items.filter(({ servers }) => servers === undefined));

  test("is valid OpenAPI 3.1, with every reference in it", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(sent));
    assert.ok(valid, JSON.stringify(errors, null, 2));
    assert.equal(validator.version, "3.1");
    assert.ok(validator.resolveRefs());
  });

  test("names its version and the API's URL", () => {
    assert.equal(document.info.version, "1.0.0");
    assert.deepEqual(document.servers, [{ url: "https://files.example/api" }]);
  });

  test("has every operation once", () => {
    const ids = all.map((operation) => operation.operationId);
    assert.deepEqual(ids.sort(), operationDefinitions.map(([name]) => name).sort());
    for (const [name, { method, path }] of operationDefinitions)
      assert.equal(document.paths[path]?.[method.toLowerCase()]?.operationId, name);
  });

  test("says whether a key is ignored, optional or required", () => {
    for (const [, { method, path, access }] of operationDefinitions) {
      const security = document.paths[path]?.[method.toLowerCase()]?.security ?? [];
      const withoutKey = security.length === 0 || security.some((way) => Object.keys(way).length === 0);
      assert.equal(withoutKey, access === "public" || access === "optional", path);
      assert.equal(security.length > 0, access !== "public", path);
    }
  });

  test("names the required scope with every way to send a key", () => {
    const schemes = ["bearer", "authorization", "header", "query"];
    assert.deepEqual(Object.keys(document.components.securitySchemes), schemes);
    const waysOf = (id: string) => all.find(({ operationId }) => operationId === id)?.security;
    const ways = (scopes: readonly string[], names = schemes.slice(0, 3)) => names.map((way) => ({ [way]: scopes }));
    assert.deepEqual(waysOf("listFiles"), ways(["files_read"]));
    assert.deepEqual(waysOf("claimFile"), ways(["files_write"]));
    assert.deepEqual(waysOf("createWebhook"), ways(["full"]));
    // Where a key is optional, a key that is sent still needs the scope.
    assert.deepEqual(waysOf("uploadFile"), [{}, ...ways(["files_write"])]);
    assert.deepEqual(waysOf("getFileInfo"), [{}, ...ways([], schemes)]);
    assert.deepEqual(waysOf("getShare"), []);
    for (const { security, description = "" } of all) {
      const scopes = new Set(security.flatMap((way) => Object.values(way).flat()));
      for (const scope of scopes) assert.ok(description.includes(`\`${scope}\``));
      assert.ok(scopes.size <= 1);
    }
  });

  test("documents the Idempotency-Key of every write that is not streamed and passes no secrets, with its errors", () => {
    const header = { $ref: "#/components/parameters/IdempotencyKey" };
    for (const [name, { method, path, streams, needsPerson }] of operationDefinitions) {
      const operation = document.paths[path]?.[method.toLowerCase()];
      const accepts = method !== "GET" && !streams && !path.startsWith("/auth/") && !needsPerson;
      assert.equal(
        operation?.parameters.some((parameter) => "$ref" in parameter && parameter.$ref === header.$ref),
        accepts,
        name,
      );
      if (!accepts) continue;
      assert.match(operation?.responses["409"]?.description ?? "", /Idempotency-Key is still running/, name);
      assert.ok(operation?.responses["409"]?.headers?.["Retry-After"], name);
      assert.match(operation?.responses["422"]?.description ?? "", /Idempotency-Key was used for another request/, name);
    }
    const { schema } = document.components.parameters.IdempotencyKey ?? assert.fail();
    assert.deepEqual(schema, { type: "string", minLength: 8, maxLength: 200 });
  });

  test("documents the size limit of bodies, and the rate headers of counted responses", () => {
    for (const [name, definition] of operationDefinitions) {
      const operation = document.paths[definition.path]?.[definition.method.toLowerCase()];
      const body = operation?.requestBody;
      assert.equal(body !== undefined, inputSource(definition) !== "query", name);
      const said = /^At most (\d+ [KM]B( and \d+ KB)?)$/.exec(body?.description ?? "")?.[1];
      if (body) assert.ok(said !== undefined && operation?.responses["413"]?.description.includes(said), name);
      const success = Object.entries(operation?.responses ?? {}).find(([status]) => /^2/.test(status))?.[1];
      assert.equal(success?.headers?.["RateLimit-Policy"] !== undefined, definition.requests !== 0, name);
      assert.equal(operation?.responses["429"] !== undefined, definition.requests !== 0, name);
    }
  });

  test("has a schema for every parameter and body", () => {
    for (const operation of all) {
      for (const parameter of operation.parameters) {
        if ("$ref" in parameter) continue;
        assert.ok(Object.keys(parameter.schema).length > 0, `${operation.operationId}: ${parameter.name}`);
        if (parameter.in === "path") assert.ok(parameter.required);
      }
      assert.ok(operation.responses["200"] ?? operation.responses["201"] ?? operation.responses["202"], operation.operationId);
    }
  });

  test("describes an event stream by the schema of one event with JSON data", () => {
    const path = document.paths["/files/remote-multipart/{jobId}/events"];
    const success = path?.get?.responses["200"] as { content: Record<string, { schema: EventSchema }> } | undefined;
    const { required, properties } = success?.content["text/event-stream"]?.schema ?? {};
    assert.deepEqual(required, ["data"]);
    assert.deepEqual(properties, {
      id: { type: "string", description: "ID of the event, for Last-Event-ID" },
      data: {
        type: "string",
        description: "JSON",
        contentMediaType: "application/json",
        contentSchema: { $ref: "#/components/schemas/ImportStatus" },
      },
    });
  });

  test("links fields of a response to an operation's input, including its path parameters", () => {
    const follow = (schema: Schema | undefined, name: string): Schema | undefined => {
      const { $ref } = schema ?? {};
      return ($ref === undefined ? schema : document.components.schemas[$ref.replace("#/components/schemas/", "")])?.properties?.[name];
    };
    const named = (operation: Operation | undefined, place?: string): string[] =>
      (operation?.parameters ?? []).flatMap((each) => ("$ref" in each || (place && each.in !== place) ? [] : [each.name]));
    let count = 0;
    for (const from of all) {
      for (const { content, links = {} } of Object.values(from.responses)) {
        for (const { operationId, parameters = {}, requestBody = {} } of Object.values(links)) {
          const label = `${from.operationId} → ${operationId}`;
          count += 1;
          const to = all.find((operation) => operation.operationId === operationId);
          assert.ok(to, label);
          for (const name of named(to, "path")) assert.ok(name in parameters, `${label}: ${name}`);
          for (const name of Object.keys(parameters)) assert.ok(named(to).includes(name), `${label}: ${name}`);
          const body = to.requestBody?.content["application/json"] as { schema: Schema } | undefined;
          for (const name of Object.keys(requestBody)) assert.ok(body?.schema.properties?.[name], `${label}: ${name}`);
          for (const source of [...Object.values(parameters), ...Object.values(requestBody)]) {
            const [, inPath, inBody] = /^\$(?:request\.path\.(\w+)|response\.body#\/(.+))$/.exec(source) ?? [];
            if (inPath !== undefined) assert.ok(named(from, "path").includes(inPath), `${label}: ${source}`);
            else assert.ok(inBody?.split("/").reduce(follow, content?.["application/json"]?.schema), `${label}: ${source}`);
          }
        }
      }
    }
    assert.ok(count > 50, `${count}`);
    const { links } = document.paths["/files/upload"]?.post?.responses["200"] ?? {};
    assert.deepEqual(links?.deleteFile, {
      operationId: "deleteFile",
      parameters: { fileId: "$response.body#/data/id", token: "$response.body#/data/deletionToken" },
    });
    const leadingTo = (target: string) =>
      all.filter(({ responses }) => Object.values(responses).some(({ links }) => links?.[target])).map(({ operationId }) => operationId);
    assert.deepEqual([leadingTo("shareAgain"), leadingTo("removeFromList")], [["closeShare"], ["closeShare"]], "an open share is refused");
  });

  test("requires a text that is not empty to name a share", () => {
    const body = document.paths["/files/share-settings"]?.patch?.requestBody?.content["application/json"] as { schema: { not: object } };
    const unnamed = (name: string) => ({ not: { properties: { [name]: { type: "string", minLength: 1 } }, required: [name] } });
    assert.deepEqual(body.schema.not, { allOf: [unnamed("fileId"), unnamed("shortId")] });
  });

  test("describes every property, parameter, header and schema", () => {
    const bare: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return;
      const { properties, description } = node as { properties?: Record<string, Node>; description?: string };
      for (const [name, property] of Object.entries(properties ?? {}))
        if (typeof property === "object" && !(property.description && property.description.length > 1)) bare.push(`${path}.${name}`);
      if ("in" in node && "name" in node && !description) bare.push(path);
      for (const [name, value] of Object.entries(node)) {
        // What a body needs (`not`) names properties that are described beside it.
        if (name === "example" || name === "examples" || name === "not") continue;
        visit(value, `${path}.${name}`);
      }
    };
    visit(document, "");
    assert.deepEqual(bare, []);
    for (const [name, schema] of Object.entries(document.components.schemas)) assert.ok(schema.description, name);
  });

  test("describes the values of maps in responses", () => {
    const bare: string[] = [];
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return;
      if ("propertyNames" in node && typeof (node as { additionalProperties?: unknown }).additionalProperties !== "object") bare.push(path);
      for (const [name, value] of Object.entries(node)) visit(value, `${path}.${name}`);
    };
    visit(document, "");
    assert.deepEqual(bare, []);
    const urls =
      document.paths["/files/multipart/batch-urls"]?.post?.responses["200"]?.content?.["application/json"]?.schema.properties?.urls;
    assert.equal((urls as { additionalProperties?: { type?: string } }).additionalProperties?.type, "string");
  });

  test("uses the format date-time for times", () => {
    let count = 0;
    const visit = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      for (const [name, property] of Object.entries((node as { properties?: object }).properties ?? {})) {
        if (!/(_at|At|[uU]ntil)$/.test(name)) continue;
        count += 1;
        assert.match(JSON.stringify(property), /"format":"date-time"/, name);
      }
      for (const value of Object.values(node)) visit(value);
    };
    visit(document);
    assert.ok(count > 20, `${count}`);
  });

  test("has a valid example for each body and response", () => {
    for (const [name, definition] of operationDefinitions) {
      const operation = document.paths[definition.path]?.[definition.method.toLowerCase()];
      const json = operation?.requestBody?.content["application/json"];
      if (json) {
        const inPath = Object.fromEntries(pathParameters(definition.path).map((parameter) => [parameter, EXAMPLE_ID]));
        const parsed = definition.input.safeParse({ ...inPath, ...(json.example as object) });
        assert.ok(parsed.success, `${name}: ${JSON.stringify(json.example)} ${parsed.error}`);
        assert.ok(typeof json.example === "object", name);
      }
      const success = operation?.responses["200"] ?? operation?.responses["202"];
      const good = success?.content?.["application/json"];
      if (!good) continue;
      const parsed = responseSchema(definition).safeParse(good.example);
      assert.ok(parsed.success, `${name}: ${JSON.stringify(good.example)} ${parsed.error}`);
    }
  });

  test("makes a body optional if it has no required field", () => {
    const required = (path: string, method: string) => document.paths[path]?.[method]?.requestBody?.required;
    assert.deepEqual([required("/files/upload-delegations", "post"), required("/keys", "post")], [false, false]);
    const needed: readonly (readonly [string, string])[] = [
      ["/files/upload", "post"],
      ["/files/multipart/init", "post"],
      ["/files/share-settings", "patch"],
      ["/downloads/unlock", "post"],
      ["/folders/{id}", "patch"],
      ["/agent/register", "post"],
    ];
    for (const [path, method] of needed) assert.equal(required(path, method), true, path);
  });

  test("limits the number of parts in every schema", () => {
    const found: unknown[] = [];
    const visit = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      const { totalParts } = (node as { properties?: { totalParts?: { minimum?: number; maximum?: number } } }).properties ?? {};
      if (totalParts) found.push([totalParts.minimum, totalParts.maximum]);
      for (const value of Object.values(node)) visit(value);
    };
    visit(document);
    assert.ok(found.length >= 4);
    for (const bounds of found) assert.deepEqual(bounds, [0, 10_000]);
  });

  test("has the fields of errors in the error schema", () => {
    const { properties = {} } = document.components.schemas.Error ?? assert.fail();
    const names = ["success", "error", "errorCode", "issues", "limitKind", "limitBytes", "maxBytes", "multipartInitPath", "maxTtlSeconds"];
    const of409 = ["retryAfterSeconds", "resetAt", "rateLimitExceeded", "scanPending", "scanBlocked", "unlockRequired", "missing"];
    const others = ["paymentRequired", "priceCents", "currency", "checkoutUrl", "remoteStatus", "requestId"];
    for (const name of [...names, ...of409, ...others]) assert.ok(name in properties, name);
    assert.match(document.components.schemas.Error?.description ?? "", /`error_code`/);
  });

  test("lists the byte routes with their servers", () => {
    const addresses = Object.entries(document.paths).flatMap(([path, { servers, ...operations }]) =>
      servers ? Object.keys(operations).map((method) => `${method.toUpperCase()} ${servers[0]?.url}${path}`) : [],
    );
    assert.deepEqual(addresses, [
      "PUT https://files.example/up/{sessionKey}/{partNumber}",
      "PUT https://files.example/de/{token}",
      "GET https://bytes.example/dl/{fileId}/{name}",
      "GET https://bytes.example/ar/{archive}",
      "GET https://bytes.example/ar/own/{archive}",
      "POST https://files.example/",
      "PUT https://files.example/{name}",
    ]);
    assert.equal(new Set([...all, ...bytes].map(({ operationId }) => operationId)).size, all.length + bytes.length);
  });

  test("has only constructs that common generators of clients read", () => {
    const problems: string[] = [];
    const fold = (name: unknown): string => String(name).replaceAll(/[_-]/g, "").toLowerCase();
    const hasTwins = (names: readonly unknown[]): boolean => new Set(names.map(fold)).size < names.length;
    const visit = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null || /\.examples?$/.test(path)) return;
      const { type, enum: values, anyOf, properties } = node as { type?: unknown; enum?: unknown; anyOf?: unknown; properties?: unknown };
      const isSchema = !path.endsWith(".properties");
      if (isSchema && Array.isArray(type)) problems.push(`${path}: a list of types`);
      if (isSchema && Array.isArray(values) && hasTwins(values)) problems.push(`${path}: values that differ by case alone`);
      if (isSchema && Array.isArray(anyOf)) {
        const types = (anyOf as readonly { type?: string }[]).map((choice) => choice.type ?? "reference");
        if (properties !== undefined) problems.push(`${path}: alternatives beside properties`);
        if (new Set(types).size < types.length) problems.push(`${path}: two alternatives of one type`);
        if (anyOf.some((choice) => "anyOf" in (choice as object))) problems.push(`${path}: alternatives within alternatives`);
      }
      if (isSchema && typeof properties === "object" && hasTwins(Object.keys(properties ?? {})))
        problems.push(`${path}: names that differ by form alone`);
      for (const [name, value] of Object.entries(node)) visit(value, `${path}.${name}`);
    };
    visit(document, "");
    assert.deepEqual(problems, []);
    assert.ok([...all, ...bytes].every((operation) => !("servers" in operation)));
  });

  test("describes the text of a query as a client writes it, where absent fields may be empty", () => {
    const schemaOf = (path: string, name: string) => {
      const { parameters = [] } = document.paths[path]?.get ?? {};
      return (parameters as readonly Parameter[]).find((parameter) => parameter.name === name)?.schema;
    };
    const texts = (path: string, name: string) => {
      const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schemaOf(path, name) ?? assert.fail());
      return ["", "null", "true", "FALSE", "1", "11111111-1111-4111-8111-111111111111", "x"].filter((text) => validate(text));
    };
    assert.deepEqual(texts("/files/list", "folderId"), ["", "null", "11111111-1111-4111-8111-111111111111"]);
    assert.deepEqual(texts("/files/list", "includeFolders"), ["", "true", "FALSE", "1"]);
    assert.deepEqual(texts("/files/list", "limit"), ["", "1"]);
  });

  test("is the same in each process", () => {
    assert.equal(JSON.stringify(toOpenApi(ADDRESSES)), sent);
  });
});
