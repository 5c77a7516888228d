import type { Call, TxCtx } from "../../context.ts";
import { insertEvents, type NewEvent } from "../../db/events.ts";
import { newUuid } from "../../domain/alphabet.ts";
import { classifyClient } from "./client-class.ts";

/** Tells of each file, in the transaction in which it happens, that a download of it was authorized or has ended, on which road and by what kind of client. */
export async function insertDownloadEvents(
  ctx: TxCtx,
  call: Call,
  type: "file.authorized" | "file.downloaded",
  files: readonly NewEvent["file"][],
): Promise<void> {
  const nowMs = ctx.now();
  const seen = { route: call.route, clientClass: classifyClient(call.userAgent), nowMs };
  await insertEvents(
    ctx.db,
    files.map((file) => ({ id: newUuid(ctx.random, nowMs), type, file, ...seen })),
  );
}
