import type { Call, Ctx } from "../../context.ts";
import type { UploadResult } from "../../contract/files.ts";
import { AppError } from "../../errors.ts";
import { receiveStream } from "../uploads/receive-stream.ts";
import { abandonDeadUpload } from "./abandon-dead.ts";
import { checkUnused, type Delegation, equip, getDelegation, toDelegatedCall } from "./delegation.ts";

/** What a delegation without a size takes, within the tier's own cap (decisions, "Uploads"). */
const DEFAULT_MAX_BYTES = 1024 ** 3;

export interface DelegatedBytes {
  readonly token: string;
  readonly type: string | undefined;
  /** Undefined where the sender does not say. */
  readonly sizeBytes: number | undefined;
  readonly body: AsyncIterable<Uint8Array>;
}

/** The one `PUT` of a delegation: makes its file. Throws NOT_FOUND, UPLOAD_CLOSED, QUOTA_EXCEEDED, TOO_MANY_UPLOADS and what an upload throws. */
export async function putDelegated(ctx: Ctx, call: Call, sent: DelegatedBytes): Promise<UploadResult> {
  const delegation = await getDelegation(ctx, sent.token);
  const { row } = delegation;
  checkUnused(row);
  const maxBytes = row.size_bytes ?? DEFAULT_MAX_BYTES;
  if ((sent.sizeBytes ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const { quotaOwner } = delegation.actor;
  return await ctx.transfers.run({ quotaOwner }, () => receiveDelegated(ctx, call, delegation, { ...sent, maxBytes }));
}

async function receiveDelegated(
  ctx: Ctx,
  call: Call,
  delegation: Delegation,
  { maxBytes, ...sent }: DelegatedBytes & { readonly maxBytes: number },
): Promise<UploadResult> {
  const { row } = delegation;
  await abandonDeadUpload(ctx, row.short_id);
  return await receiveStream(ctx, toDelegatedCall(call, delegation), {
    name: row.name ?? "",
    type: row.content_type ?? sent.type,
    sizeBytes: sent.sizeBytes,
    body: atMost(sent.body, maxBytes),
    publish: delegation.publish,
    shortId: row.short_id,
    onBegun: (ctx, begun) => equip(ctx, row, begun),
  });
}

async function* atMost(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield chunk;
  }
}

const tooLarge = (maxBytes: number): AppError =>
  new AppError("QUOTA_EXCEEDED", `This delegation takes ${maxBytes} bytes at most. Ask for one that allows more.`, {
    fields: { limitKind: "FILE_SIZE", limitBytes: maxBytes },
  });
