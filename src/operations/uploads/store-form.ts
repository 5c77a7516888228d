import type { Call, Ctx } from "../../context.ts";
import type { UploadResult } from "../../contract/files.ts";
import type { PublishInput } from "../../contract/publish.ts";
import { digestInput } from "../idempotency.ts";
import { abandonUpload } from "./abandon-upload.ts";
import { digestStream, finishStream, type SentStream, type StagedStream, stageStream } from "./receive-stream.ts";

/** A file of a form that is being read. */
export type FormFile = Pick<SentStream, "name" | "type" | "body">;

/**
 * Reads a form, which can be done once: hands each file to `take`, with the fields that came before it, and resolves, when the whole form has
 * been read and every file was taken, to what `take` made of them and all fields. Where it rejects, no `take` is still running.
 */
export type ReadForm = <T>(
  take: (file: FormFile, publish: PublishInput) => Promise<T>,
) => Promise<{ readonly taken: readonly T[]; readonly publish: PublishInput }>;

/** What a form is answered, and what is kept of it for its `Idempotency-Key`: its upload, or all of several. */
export interface FormAnswer {
  readonly success: true;
  readonly data: UploadResult | { readonly files: readonly UploadResult[]; readonly idempotent?: boolean };
}

export function toFormAnswer(uploads: readonly UploadResult[]): FormAnswer {
  const [only] = uploads;
  return { success: true, data: uploads.length === 1 && only ? only : { files: uploads } };
}

/** What tells one form from another, for whoever sends it again; of one file as if it had been sent as a stream. */
export function digestForm(files: readonly { readonly name: string; readonly sha256: string }[], publish: PublishInput): string {
  const [only] = files;
  return files.length === 1 && only ? digestStream({ name: only.name, publish }, only.sha256) : digestInput({ files, publish });
}

/** Takes the files of a form, each into a share of its own: all of them in one commit, or none. Each further file counts as a request. */
export async function storeForm(
  ctx: Ctx,
  { actor, remember, countRequests }: Pick<Call, "actor" | "remember" | "countRequests">,
  read: ReadForm,
): Promise<readonly UploadResult[]> {
  const staging: Promise<StagedStream>[] = [];
  try {
    const { taken, publish } = await read((file, publish) => {
      if (staging.length > 0) countRequests?.(2);
      const staged = stageStream(ctx, actor, { ...file, sizeBytes: undefined, publish });
      staging.push(staged);
      return staged;
    });
    const uploads = await ctx.tx(async (ctx) => {
      const uploads: UploadResult[] = [];
      for (const staged of taken) uploads.push(await finishStream(ctx, actor, staged, publish));
      const files = taken.map(({ sent: { name }, sha256 }) => ({ name, sha256 }));
      await remember?.(ctx, toFormAnswer(uploads), digestForm(files, publish));
      return uploads;
    });
    ctx.wakeJobs();
    return uploads;
  } catch (error) {
    for (const result of await Promise.allSettled(staging)) if (result.status === "fulfilled") await undo(ctx, result.value);
    throw error;
  }
}

/** Does not throw: the others of the form must be undone too, and the sender is told why the form failed. */
async function undo(ctx: Ctx, { begun }: StagedStream): Promise<void> {
  try {
    await abandonUpload(ctx, begun);
  } catch (error) {
    ctx.log.error({ err: error, fileId: begun.fileId }, "undoing an upload of a form failed");
  }
}
