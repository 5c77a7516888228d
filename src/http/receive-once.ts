import { createHash } from "node:crypto";
import type { Call, Ctx } from "../context.ts";
import type { UploadResult } from "../contract/files.ts";
import { doOnce } from "../operations/idempotency.ts";
import { digestStream, receiveStream, type SentStream } from "../operations/uploads/receive-stream.ts";
import { digestForm, type FormAnswer, type ReadForm, storeForm, toFormAnswer } from "../operations/uploads/store-form.ts";
import type { HttpContext } from "./env.ts";

/**
 * Takes a streamed upload, once for its `Idempotency-Key` where one was sent: again, the bytes are read and compared, and not kept.
 * Throws TOO_MANY_UPLOADS where the caller has as many transfers under way as it may have.
 */
export async function receiveOnce(ctx: Ctx, c: HttpContext, call: Call, sent: SentStream): Promise<UploadResult> {
  return await ctx.transfers.run({ quotaOwner: call.actor.quotaOwner }, () => receive(ctx, c, call, sent));
}

async function receive(ctx: Ctx, c: HttpContext, call: Call, sent: SentStream): Promise<UploadResult> {
  const key = c.req.header("idempotency-key");
  if (key === undefined) return await receiveStream(ctx, call, sent);
  const answer = await doOnce(
    ctx,
    { call, key, route: `${c.req.method} /` },
    {
      digest: async () => digestStream(sent, await digestOf(sent.body)),
      run: async (remember) => ({ success: true, data: await receiveStream(ctx, { ...call, remember }, sent) }),
    },
  );
  return answer.data;
}

/** The same for a form of files. */
export async function receiveFormOnce(ctx: Ctx, c: HttpContext, call: Call, read: ReadForm): Promise<readonly UploadResult[]> {
  return await ctx.transfers.run({ quotaOwner: call.actor.quotaOwner }, () => receiveForm(ctx, c, call, read));
}

async function receiveForm(ctx: Ctx, c: HttpContext, call: Call, read: ReadForm): Promise<readonly UploadResult[]> {
  const key = c.req.header("idempotency-key");
  if (key === undefined) return await storeForm(ctx, call, read);
  const { data } = await doOnce<FormAnswer>(
    ctx,
    { call, key, route: `${c.req.method} /` },
    {
      async digest() {
        const { taken, publish } = await read(async ({ name, body }) => ({ name, sha256: await digestOf(body) }));
        return digestForm(taken, publish);
      },
      run: async (remember) => toFormAnswer(await storeForm(ctx, { ...call, remember }, read)),
    },
  );
  if (!("files" in data)) return [data];
  return data.idempotent ? data.files.map((file) => ({ ...file, idempotent: true })) : data.files;
}

/** The SHA-256 of a body that is read for nothing else. */
export async function digestOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of body) hash.update(chunk);
  return hash.digest("hex");
}
