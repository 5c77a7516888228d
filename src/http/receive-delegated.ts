import type { Ctx } from "../context.ts";
import type { UploadResult } from "../contract/files.ts";
import { putDelegated } from "../operations/delegations/put-delegated.ts";
import { doOnce } from "../operations/idempotency.ts";
import { digestStream } from "../operations/uploads/receive-stream.ts";
import { toCall } from "./call.ts";
import type { HttpContext } from "./env.ts";
import { declaredBytes, streamBodyOnce } from "./read-body.ts";
import { digestOf } from "./receive-once.ts";

/** `PUT` to a delegation's upload address, once for its `Idempotency-Key` where one was sent. */
export async function receiveDelegated(ctx: Ctx, c: HttpContext): Promise<UploadResult> {
  const call = await toCall(ctx, c, "delegation");
  const sent = {
    token: c.req.param("token") ?? "",
    type: c.req.header("content-type"),
    sizeBytes: declaredBytes(c.req.raw),
    body: streamBodyOnce(c),
  };
  const key = c.req.header("idempotency-key");
  if (key === undefined) return await putDelegated(ctx, call, sent);
  const digest = (sha256: string): string => digestStream({ ...sent, name: sent.token, publish: {} }, sha256);
  const answer = await doOnce(
    ctx,
    { call, key, route: "PUT /de" },
    {
      digest: async () => digest(await digestOf(sent.body)),
      run: async (remember) => ({
        success: true,
        data: await putDelegated(ctx, { ...call, remember: (ctx, answer) => remember(ctx, answer, digest(sha256Of(answer))) }, sent),
      }),
    },
  );
  return answer.data;
}

/** Of a file that arrived in one stream, which is known at once. */
const sha256Of = (answer: unknown): string => (answer as { data: UploadResult }).data.sha256 ?? "";
