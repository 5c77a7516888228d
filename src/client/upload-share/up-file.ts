import type { Output } from "../../service/contract.ts";
import { NO_UPLOAD_RECORDS, openUploadRecords, uploadRecordsFolder } from "../records/upload-records.ts";
import type { ChangedOutcome } from "../upload-file/active-upload.ts";
import type { LocalFile } from "../upload-file/local-file.ts";
import { attributesOf } from "../upload-file/sent-attributes.ts";
import { uploadLocalFile } from "../upload-file/upload-file.ts";
import { rememberFile, rememberUnfinished } from "./remember-share.ts";
import { type LinkOnce, linkOnce, privateLink } from "./share-link.ts";
import { showsTimes, type UpContext, type UpOptions, type UpResult } from "./up-options.ts";

/** Sends one file as a share, or to a shipment. Owns the file, and closes it. */
export async function upFile(source: LocalFile, fileName: string, options: UpOptions, context: UpContext): Promise<UpResult> {
  await using file = source;
  const { events } = context;
  events.onStart({ files: 1, bytes: file.sizeBytes });
  const link = linkOnce(options, context);
  const uploaded = await uploadLocalFile(
    {
      file,
      fileName,
      attributes: showsTimes(options) ? attributesOf(file) : undefined,
      fields: { ...options.fields, ...joining(options), ...(options.into && { relativePath: fileName }) },
    },
    {
      api: context.api,
      records: options.resumes ? openUploadRecords(uploadRecordsFolder(context.env)) : NO_UPLOAD_RECORDS,
      signal: context.signal,
      hasOwnLink: options.into === undefined,
      async onShare(share) {
        await rememberUnfinished(share, file, options, context);
        // The end of the upload awaits the link, and reports its errors.
        void link(share).catch(() => undefined);
      },
      onChanged: (outcome) => events.onNote(CHANGED[outcome]),
      async onAborted({ shortId }) {
        // A named shipment has other files, which only its tokens can change.
        if (options.into === undefined) await context.shares.forget({ server: context.url, shortId });
        events.onNote(
          options.into
            ? "The unfinished file was removed from the share."
            : "The unfinished upload was removed. Its link does not work any more.",
        );
      },
      // The share is remembered before the upload is forgotten, so that a killed process loses no token.
      onStored: (uploaded) => rememberFile(uploaded, options, context),
      onWait: events.onWait,
      onProgress: (bytes) => events.onProgress({ files: bytes === file.sizeBytes ? 1 : 0, bytes }),
    },
  );
  return await finishFile(uploaded, link, options);
}

const CHANGED: Readonly<Record<ChangedOutcome, string>> = {
  continued: "The file has changed since an earlier run. Its upload continues with the new bytes, and its link stays.",
  sameLink: "The file has another size than in an earlier run. Its upload begins again, and its link stays.",
  newLink: "The file has changed since an earlier run, so it gets a new link.",
};

/** Returns the fields with which a file joins the named shipment. */
export const joining = ({ into }: UpOptions): Readonly<Record<string, unknown>> =>
  into === undefined ? {} : { shareShortId: into.shortId, ...(into.shareToken !== undefined && { shareToken: into.shareToken }) };

/** Reports the link if it was not reported before. */
export async function finishFile(uploaded: Output<"uploadFile">, link: LinkOnce, { transform }: UpOptions): Promise<UpResult> {
  const { shortId, size, expiresAt, unlockCode, handoffUrl } = uploaded;
  const url = await link(uploaded);
  return { shortId, url, files: 1, sizeBytes: size, failed: [], expiresAt, unlockCode, handoffUrl: privateLink(handoffUrl, transform) };
}
