import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { operations } from "../../src/contract/index.ts";
import { toOpenApi } from "../../src/contract/openapi.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: object;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly parameters: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> };
  readonly responses: Readonly<Record<string, object>>;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** interface, "Versioning"; decisions, "Addresses". */
describe("the OpenAPI document", () => {
  // As it is sent: what JSON cannot say is not in it.
  const sent = JSON.stringify(toOpenApi("https://files.example/api"));
  const document = JSON.parse(sent) as Document;
  const all = Object.values(document.paths).flatMap((path) => Object.values(path));

  test("is valid OpenAPI 3.1, with every reference in it", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(sent));
    assert.ok(valid, JSON.stringify(errors, null, 2));
    assert.equal(validator.version, "3.1");
    assert.ok(validator.resolveRefs());
  });

  test("names its version and the API's address", () => {
    assert.equal(document.info.version, "1.0.0");
    assert.deepEqual(document.servers, [{ url: "https://files.example/api" }]);
  });

  test("has every operation, once", () => {
    const ids = all.map((operation) => operation.operationId);
    assert.deepEqual(ids.sort(), operations.map(([name]) => name).sort());
    for (const [name, { method, path }] of operations) assert.equal(document.paths[path]?.[method.toLowerCase()]?.operationId, name);
  });

  test("says who may call: without a key, with one or without, only with one", () => {
    for (const [, { method, path, access }] of operations) {
      const security = document.paths[path]?.[method.toLowerCase()]?.security ?? [];
      const withoutKey = security.length === 0 || security.some((way) => Object.keys(way).length === 0);
      assert.equal(withoutKey, access === "public" || access === "optional", path);
      assert.equal(security.length > 0, access !== "public", path);
    }
  });

  test("every parameter and body has a schema that says something", () => {
    for (const operation of all) {
      for (const parameter of operation.parameters) {
        if ("$ref" in parameter) continue;
        assert.ok(Object.keys(parameter.schema).length > 0, `${operation.operationId}: ${parameter.name}`);
        if (parameter.in === "path") assert.ok(parameter.required);
      }
      assert.ok(operation.responses["200"] ?? operation.responses["201"] ?? operation.responses["202"], operation.operationId);
    }
  });

  test("is the same each time", () => {
    assert.equal(JSON.stringify(toOpenApi("https://files.example/api")), sent);
  });
});
