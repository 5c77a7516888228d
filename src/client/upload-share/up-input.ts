import { rememberFile } from "./remember-share.ts";
import { canStream, sendStream, spool } from "./send-stream.ts";
import { linkOnce } from "./share-link.ts";
import { finishFile, joining, upFile } from "./up-file.ts";
import type { UpContext, UpOptions, UpResult } from "./up-options.ts";

/** Sends input of unknown size: while it is read or, if that is impossible, after it was saved. */
export async function upInput(input: AsyncIterable<Uint8Array>, options: UpOptions, context: UpContext): Promise<UpResult> {
  const { transform, name: named = "stdin", fields } = options;
  const name = transform ? transform.path(named) : named;
  const bytes = transform ? transform.stream(input) : input;
  if (options.spools || !(await canStream(context.api)))
    return await upFile(
      await spool({ input: bytes, name }, context.signal),
      name,
      { ...options, resumes: false, keepsTimes: false },
      context,
    );
  const sent = { ...fields, ...joining(options), ...(options.into && { relativePath: name }) };
  const uploaded = await sendStream(
    { input: bytes, name, fields: sent },
    { ...context, onProgress: (bytes) => context.events.onProgress({ files: 0, bytes }) },
  );
  await rememberFile(uploaded, options, context);
  return await finishFile(uploaded, linkOnce(options, context), options);
}
