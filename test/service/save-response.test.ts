import assert from "node:assert/strict";
import { test } from "node:test";
import type { Ctx, RequestContext } from "../../src/context.ts";
import type { AnonymousActor } from "../../src/service/accounts/actor.ts";
import { requestChallenge } from "../../src/service/accounts/register-agent.ts";
import { cancelImport } from "../../src/service/imports/import-status.ts";
import { initImport } from "../../src/service/imports/init-import.ts";
import { abortMultipart } from "../../src/service/uploads/abort-upload.ts";
import { initMultipart } from "../../src/service/uploads/init-multipart.ts";
import { openProcesses } from "../jobs/support.ts";

const actor: AnonymousActor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" };
const caller: RequestContext = { actor, address: "192.0.2.7", channel: "api", userAgent: "" };

/** Calls a write and resolves to its response. Fails unless the write stored it once, in a transaction. */
async function saved<Response>(work: (call: RequestContext) => Promise<Response>): Promise<Response> {
  const responses: unknown[] = [];
  const saveResponse = async (transaction: Partial<Ctx>, response: unknown): Promise<void> => {
    assert.equal(transaction.transaction, undefined, "not in a transaction");
    responses.push(response);
  };
  const response = await work({ ...caller, saveResponse });
  assert.deepEqual(responses, [response]);
  return response;
}

/** idempotency, "Scope of a key": a server killed right after a write still has its response. */
test("a write stores its response in the transaction of its effect", async () => {
  await using processes = await openProcesses();
  const [ctx] = processes.ctxs;
  const { uploadId, key } = await saved((call) => initMultipart(ctx, call, { fileName: "a", fileSize: 10 }));
  await saved((call) => abortMultipart(ctx, call, { uploadId, key }));
  await saved((call) => requestChallenge(ctx, call, {}));
  const { jobId, jobSecret } = await saved((call) => initImport(ctx, call, { url: "http://8.8.8.8/a.bin" }));
  await saved((call) => cancelImport(ctx, call, { jobId, secret: jobSecret }));
});
