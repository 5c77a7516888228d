/** @jsxImportSource preact */
/** The field that adds files to the share on its page. */
import { useEffect, useRef, useState } from "preact/hooks";
import { senderBar as texts } from "#texts/share";
import { type ChosenFile, pickNew, toChosenFile, toSentFile } from "../../../sending/browser/chosen-files.ts";
import { canDrop, readDropped } from "../../../sending/browser/dropped-files.ts";
import { Progress } from "../../../sending/browser/progress.tsx";
import { useLeaveQuestion, useTabTitle } from "../../../sending/browser/sending-effects.ts";
import { SentFiles } from "../../../sending/browser/sent-files.tsx";
import { announce } from "../../../site/browser/components/announce.ts";
import { keepFocus } from "../../../site/browser/components/focus.ts";
import { listPending, toPending } from "../../../site/browser/device/pending-files.ts";
import type { SentFile } from "../../../site/browser/device/shares.ts";
import type { Upload } from "../../../site/browser/upload/engine.ts";
import { useAddedFiles } from "./use-added-files.ts";
import type { SentShareState } from "./use-sent-share.ts";

export interface AddFilesProps {
  readonly share: SentShareState;
  onSending(isSending: boolean): void;
  /** Shows the files that were sent. */
  onSent(): Promise<void>;
  onClose(): void;
}

export function AddFiles({ share: { sent, remember }, onSending, onSent, onClose }: AddFilesProps) {
  const [isDraggedOver, setDraggedOver] = useState(false);
  const [hasOnlyKnown, setOnlyKnown] = useState(false);
  const latest = useRef(sent);
  latest.current = sent;
  /** Remembers the files of the share, and whether all were sent. */
  const end = async (files: readonly SentFile[]): Promise<void> => {
    onSending(false);
    keepFocus("#add-files", "#sender-add-tool");
    const pending = await listPending(sent.shortId).catch(() => []);
    await remember({ files, isComplete: pending.length === 0 });
    await onSent();
  };
  const finish = ({ files }: Upload): void => {
    onClose();
    void end(latest.current.files).then(() => announce(texts.added(files.length)));
  };
  const added = useAddedFiles(sent, finish);
  const { upload } = added;
  useTabTitle(upload && { upload, wait: added.wait });
  useLeaveQuestion(upload !== undefined);
  useEffect(() => keepFocus("#sender-add button"), [upload !== undefined]);

  const add = async (chosen: readonly ChosenFile[]): Promise<void> => {
    const before = latest.current;
    const { files } = before;
    const more = await pickNew(before, chosen);
    // Other files were added meanwhile.
    if (latest.current.files !== files) return await add(chosen);
    setOnlyKnown(chosen.length > 0 && more.length === 0);
    if (more.length === 0) return;
    onSending(true);
    // The files are remembered first, because an upload only remembers the progress of known files.
    void remember({ files: [...files, ...more.map(toSentFile)], isComplete: false }, toPending(sent.shortId, more)).then(() =>
      added.add(more),
    );
  };

  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const onDrag = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setDraggedOver(true);
    };
    const onDrop = (event: DragEvent) => {
      setDraggedOver(false);
      if (!event.dataTransfer || !hasFiles(event)) return;
      event.preventDefault();
      void readDropped(event.dataTransfer, () => undefined).then(({ files }) => void add(files));
    };
    addEventListener("dragover", onDrag, { signal });
    addEventListener("dragleave", (event) => event.relatedTarget === null && setDraggedOver(false), { signal });
    addEventListener("drop", onDrop, { signal });
    return () => listening.abort();
  }, []);

  const cancel = async (): Promise<void> => {
    const left = new Set(upload?.files.flatMap(({ path, status }) => (status === "sent" ? [] : [path])));
    await added.cancel();
    await end(sent.files.filter(({ path }) => !left.has(path)));
  };

  if (upload) {
    return (
      <div class="sender-panel send-progress" id="sender-add">
        <Progress
          sending={{
            ...added,
            add: async (files) => added.add(files),
            cancel,
            share: undefined,
            hasSent: true,
            isDone: false,
            isStored: true,
          }}
          files={[]}
          onCancel={() => void cancel()}
        />
        <SentFiles upload={upload} chosen={[]} wait={added.wait} />
      </div>
    );
  }
  const receive = (input: HTMLInputElement): void => {
    const files = [...(input.files ?? [])];
    // Clearing the field allows choosing the same file again.
    input.value = "";
    void add(files.map(toChosenFile));
  };
  return (
    <div class={`sender-panel send-drop${isDraggedOver ? " over" : ""}`} id="sender-add">
      {canDrop ? <p>{texts.drop}</p> : null}
      <div class="send-choices">
        <label class="button small first">
          {texts.chooseFiles}
          <input id="add-files" class="send-field" type="file" multiple onChange={({ currentTarget }) => receive(currentTarget)} />
        </label>
        {canDrop ? (
          <label class="button small">
            {texts.chooseFolder}
            <input
              id="add-folder"
              class="send-field"
              type="file"
              multiple
              {...{ webkitdirectory: true }}
              onChange={({ currentTarget }) => receive(currentTarget)}
            />
          </label>
        ) : null}
      </div>
      {hasOnlyKnown ? <p role="status">{texts.known}</p> : null}
    </div>
  );
}
