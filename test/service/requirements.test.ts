import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { acceptsIdempotencyKey } from "../../src/contract/operation.ts";
import { contract, definitionOf, operationDefinitions } from "../../src/service/contract.ts";

const SERVICE = join(import.meta.dirname, "../../src/service");
/** The checks themselves: `requires` and the access `admin` of contracts use them. */
const CHECKS = new Set(["accounts/actor.ts", "accounts/administrator.ts", "accounts/proof-of-identity.ts", "accounts/requirements.ts"]);

/** idempotency, "Idempotency": a response is repeated without the operation, so what the operation requires is in its contract. */
describe("what an operation requires of an account", () => {
  /** The top-level functions of the service, each with its source. */
  let functions: readonly { readonly name: string; readonly source: string }[];
  before(async () => {
    const paths = (await readdir(SERVICE, { recursive: true })).filter((path) => path.endsWith(".ts") && !CHECKS.has(path));
    const sources = await Promise.all(paths.map((path) => readFile(join(SERVICE, path), "utf8")));
    functions = sources
      .flatMap((source) => source.split(/\n(?=(?:export )?(?:async function|function|const) )/))
      .map((source) => ({ name: /^(?:export )?(?:async function\*?|function\*?|const) (\w+)/.exec(source)?.[1] ?? "", source }));
  });

  test("is declared in its contract if its response can be repeated", () => {
    const requiring = new Set(["requireProof", "requireVerified"]);
    for (let size = 0; size !== requiring.size; ) {
      size = requiring.size;
      const calls = new RegExp(`\\b(?:${[...requiring].join("|")})\\(`);
      for (const { name, source } of functions) if (name !== "" && calls.test(source)) requiring.add(name);
    }
    const operations = operationDefinitions.filter(([name]) => requiring.has(name)).map(([name]) => name);
    assert.ok(operations.includes("changeEmail"));
    const undeclared = operations.filter((name) => acceptsIdempotencyKey(definitionOf(name)) && !("requires" in contract[name]));
    assert.deepEqual(undeclared, []);
  });

  test("is checked by the operation as its contract declares it", () => {
    const unchecked = operationDefinitions.flatMap(([name, { requires }]) => {
      const source = functions.find((one) => one.name === name)?.source ?? "";
      const checks = requires === undefined || new RegExp(`requireAsDefined\\(ctx, call, \\w+\\.${name}\\)`).test(source);
      return checks ? [] : [name];
    });
    // The two actions of this tool that require something are also operations.
    assert.deepEqual(unchecked, ["connectSeller"]);
  });
});
