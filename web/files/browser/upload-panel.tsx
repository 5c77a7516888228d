/** @jsxImportSource preact */
import { files as texts } from "#texts/files";
import { Progress } from "../../sending/browser/progress.tsx";
import { useLeaveQuestion, useTabTitle } from "../../sending/browser/sending-effects.ts";
import { SentFiles } from "../../sending/browser/sent-files.tsx";
import type { FolderUpload } from "./use-folder-upload.ts";

/** Renders the progress of an upload into a folder. */
export function UploadPanel({ sending }: { readonly sending: FolderUpload }) {
  const { upload, wait, files } = sending;
  useTabTitle(upload && { upload, wait });
  useLeaveQuestion(files.length > 0);
  if (files.length === 0) return null;
  return (
    <section class="card send-progress files-uploading" aria-label={texts.uploading}>
      <Progress
        sending={{ ...sending, add: async () => undefined, share: undefined, hasSent: false, isDone: false, isStored: true }}
        files={files}
        onCancel={() => void sending.cancel()}
      />
      <SentFiles upload={upload} chosen={files} wait={wait} />
    </section>
  );
}
