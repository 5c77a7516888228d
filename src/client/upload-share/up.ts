import { AppError } from "../../errors.ts";
import { collectFiles } from "./collect.ts";
import { openSource } from "./source-transform.ts";
import { joinRequest } from "./submission.ts";
import { upFile } from "./up-file.ts";
import { upInput } from "./up-input.ts";
import type { UpContext, UpOptions, UpResult } from "./up-options.ts";
import { upShipment } from "./up-shipment.ts";

/** Sends files as one share. Rejects with an error that concerns all of them. */
export async function up(options: UpOptions, context: UpContext): Promise<UpResult> {
  const { request } = options;
  if ("stdin" in options.sources)
    return await upInput(options.sources.stdin, request ? await joinRequest(request, options, context) : options, context);
  const collected = await collectFiles(options.sources, { followLinks: options.followLinks, signal: context.signal });
  for (const { text, advice } of collected.notes) context.events.onNote(text, advice);
  for (const problem of collected.unreadable) context.events.onFailed(problem);
  const { transform, name } = options;
  const files = collected.files.map((file) => (name === undefined || collected.isShipment ? file : { ...file, path: name }));
  const sent = transform
    ? files.map((file) => ({ ...file, path: transform.path(file.path), sizeBytes: transform.sizeBytes(file.sizeBytes) }))
    : files;
  const [only] = sent;
  if (only === undefined) throw new AppError("NO_FILE", "There is no file to send.");
  if (collected.isShipment || request) return await upShipment(sent, collected.unreadable, options, context);
  const file = await openSource(only, transform);
  return await upFile(file, only.path, options, context);
}
