import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { type Account, addAccount } from "../support/accounts/accounts.ts";
import { call, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

interface Link {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly requestBody?: Readonly<Record<string, string>>;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly links?: Readonly<Record<string, Link>> }>>;
}

type Members = Readonly<Record<string, unknown>>;

/** A call and its response, from which links can be followed. */
interface Step {
  readonly operationId: string;
  readonly path: Members;
  readonly body: unknown;
}

/** openapi, "The OpenAPI document": the OpenAPI document's links, followed from the document alone. */
describe("a link of the OpenAPI document", () => {
  let server: TestServer;
  let owner: Account;
  let operations: ReadonlyMap<string, { readonly method: string; readonly path: string; readonly operation: Operation }>;
  before(async () => {
    server = await startPlainServer({ FILEHOST_IMPORT_NETWORKS: "127.0.0.0/8", FILEHOST_WEBHOOK_NETWORKS: "127.0.0.0/8" });
    owner = await addAccount(server);
    const response = await fetch(`${server.url}/agent-openapi.json`);
    const { paths } = (await response.json()) as { paths: Record<string, Record<string, Operation>> };
    operations = new Map(
      Object.entries(paths).flatMap(([path, items]) =>
        Object.entries(items).map(([method, operation]) => [operation.operationId, { method: method.toUpperCase(), path, operation }]),
      ),
    );
  });
  after(() => server[Symbol.asyncDispose]());

  function evaluate({ path, body }: Step, expressions: Readonly<Record<string, string>> = {}): Members {
    const resolve = (expression: string): unknown => {
      const [source = "", pointer = ""] = expression.split("#");
      if (source !== "$response.body") return path[source.replace("$request.path.", "")];
      return pointer
        .slice(1)
        .split("/")
        .reduce<unknown>((value, name) => (value as Members | undefined)?.[name], body);
    };
    const values = Object.entries(expressions).map(([name, expression]) => [name, resolve(expression)] as const);
    // An expression without a value passes no parameter.
    return Object.fromEntries(values.filter(([, value]) => value !== undefined));
  }

  async function invoke(operationId: string, parameters: Members, { key, json }: { key?: string; json?: Members }): Promise<Step> {
    const { method, path } = operations.get(operationId) ?? assert.fail(operationId);
    const inPath = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(parameters[name] ?? "")));
    const query = new URLSearchParams(
      Object.entries(parameters).flatMap(([name, value]) => (inPath.has(name) ? [] : [[name, `${value}`]])),
    );
    const options = { ...(key !== undefined && { key }), ...(json && { json }) };
    const { status, body } = await call<unknown>(server, method, `/api${filled}?${query}`, options);
    assert.ok(status < 300, `${operationId}: ${status} ${JSON.stringify(body)}`);
    return { operationId, path: parameters, body };
  }

  async function follow(from: Step, to: string, { key, json }: { key?: string; json?: Members } = {}): Promise<Step> {
    const { responses } = operations.get(from.operationId)?.operation ?? assert.fail(from.operationId);
    const link = Object.values(responses).flatMap(({ links }) => links?.[to] ?? [])[0];
    assert.ok(link, `${from.operationId} → ${to}`);
    const body = { ...evaluate(from, link.requestBody), ...json };
    const hasBody = link.requestBody !== undefined || json !== undefined;
    return await invoke(to, evaluate(from, link.parameters), { ...(key !== undefined && { key }), ...(hasBody && { json: body }) });
  }

  const uploaded = async (fields: Record<string, string> = {}): Promise<Step> => ({
    operationId: "uploadFile",
    path: {},
    body: { data: await upload(server, { bytes: "hello", fields }) },
  });

  test("leads from an upload to each operation on it", async () => {
    const file = await uploaded();
    const share = await follow(file, "getShare");
    for (const from of [file, share]) for (const to of ["authorizeDownload", "authorizeArchive"]) await follow(from, to);
    await follow(file, "getFileInfo");
    await follow(file, "setLinkProtection", { json: { protect: false } });
    await follow(file, "deleteFile");
    const claimed = await follow(await uploaded(), "claimFile", { key: owner.key });
    await follow(claimed, "getShare");
    await follow(claimed, "updateShareSettings", { key: owner.key, json: { extendTtl: "1d" } });
    await follow(await follow(await uploaded({ protect: "true" }), "unlockDownload"), "authorizeArchive");
  });

  test("leads through an upload in parts, a delegation and an import", async () => {
    const partDigests = { partDigests: { "1": "0".repeat(64) } };
    const session = await invoke("initMultipart", {}, { json: { fileName: "a.bin", fileSize: 5 } });
    await follow(session, "batchPartUrls", { json: partDigests });
    for (const to of ["getMultipart", "getShare", "abortMultipart"]) await follow(session, to);
    const delegation = await invoke("createDelegation", {}, { key: owner.key, json: { sizeBytes: 5 } });
    await follow(delegation, "batchDelegatedPartUrls", { json: partDigests });
    // No server listens there: the job waits for its next attempt.
    const job = await invoke("initImport", {}, { json: { url: "http://127.0.0.1:9/a" } });
    await follow(job, "getImport");
  });

  test("leads from created folders, keys and webhooks to their operations", async () => {
    const key = owner.key;
    const folder = await invoke("createFolder", {}, { key, json: { name: "a" } });
    for (const to of ["listFiles", "listFolders"]) await follow(folder, to, { key });
    await follow(folder, "changeFolder", { key, json: { name: "b" } });
    await follow(folder, "deleteFolder", { key });
    const other = await invoke("createKey", {}, { key, json: { scope: "files_read" } });
    await follow(other, "rotateKey", { key });
    await follow(await invoke("createKey", {}, { key, json: {} }), "revokeKey", { key });
    const webhook = await invoke("createWebhook", {}, { key, json: { url: "https://127.0.0.1:9/", events: ["file.ready"] } });
    await follow(webhook, "updateWebhook", { key, json: { status: "paused" } });
    await follow(await follow(webhook, "testWebhook", { key }), "retryWebhookDelivery", { key });
    for (const to of ["listWebhookDeliveries", "rotateWebhookSecret", "deleteWebhook"]) await follow(webhook, to, { key });
  });
});
