import assert from "node:assert/strict";
import { test } from "node:test";
import type { Call, Ctx } from "../../src/context.ts";
import type { AnonymousActor } from "../../src/domain/actor.ts";
import { requestChallenge } from "../../src/operations/agents/request-challenge.ts";
import { cancelImport } from "../../src/operations/imports/cancel-import.ts";
import { initImport } from "../../src/operations/imports/init-import.ts";
import { abortMultipart } from "../../src/operations/uploads/abort-multipart.ts";
import { initMultipart } from "../../src/operations/uploads/init-multipart.ts";
import { openProcesses } from "../jobs/support.ts";

const actor: AnonymousActor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" };
const caller: Call = { actor, requestId: "r", address: "192.0.2.7", route: "api", userAgent: "" };

/** Does a write that keeps its answer, and resolves to that; rejects where it kept none, or another, or more than one. */
async function kept<Answer>(work: (call: Call) => Promise<Answer>): Promise<Answer> {
  const answers: unknown[] = [];
  const remember = async (tx: Partial<Ctx>, answer: unknown): Promise<void> => {
    assert.equal(tx.tx, undefined, "not in a transaction");
    answers.push(answer);
  };
  const answer = await work({ ...caller, remember });
  assert.deepEqual(answers, [answer]);
  return answer;
}

/** decisions, "Idempotency": a server that is killed right after a write has its answer. */
test("writes keep their answer in the transaction of their effect", async () => {
  await using processes = await openProcesses();
  const [ctx] = processes.ctxs;
  const { uploadId, key } = await kept((call) => initMultipart(ctx, call, { fileName: "a", fileSize: 10 }));
  await kept((call) => abortMultipart(ctx, call, { uploadId, key }));
  await kept((call) => requestChallenge(ctx, call, {}));
  const { data } = await kept((call) => initImport(ctx, call, { url: "http://8.8.8.8/a.bin" }));
  await kept((call) => cancelImport(ctx, call, { jobId: data.jobId, secret: data.jobSecret }));
});
