import { AppError } from "../../errors.ts";
import { collectFiles, noteOfRenamed } from "./collect.ts";
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
  if (transform && !transform.hidesNames) noteShortened(files, sent, context);
  const [only] = sent;
  if (only === undefined) throw new AppError("NO_FILE", "There is no file to send.");
  if (collected.isShipment || request) return await upShipment(sent, collected.unreadable, options, context);
  const file = await openSource(only, transform);
  return await upFile(file, only.path, options, context);
}

/** Names the files whose names are too long for the extension of encrypted files. */
function noteShortened(
  files: readonly { readonly path: string }[],
  sent: readonly { readonly path: string }[],
  { events }: UpContext,
): void {
  const shortened = files.flatMap(({ path }, index) => {
    const shown = sent[index]?.path.replace(/\.age$/, "");
    return shown === path ? [] : [`${path} → ${shown}`];
  });
  for (const { text } of noteOfRenamed(shortened)) events.onNote(text);
}
