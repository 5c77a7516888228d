/** @jsxImportSource preact */
/** Adds files to the share, from its own page. */
import { useEffect, useState } from "preact/hooks";
import { senderBar as texts } from "#texts/sender-bar.ts";
import { addChosen, type Chosen, toChosen } from "../send/chosen.ts";
import { readDropped } from "../send/dropped.ts";
import { announce } from "../send/format.ts";
import { Progress } from "../send/progress.tsx";
import { useLeaveQuestion, useTabTitle } from "../send/sending-effects.ts";
import { SentFiles } from "../send/sent-files.tsx";
import type { Upload } from "../upload/engine.ts";
import { useAddedFiles } from "./use-added-files.ts";
import type { SentShareState } from "./use-sent-share.ts";

const canDrop = matchMedia("(any-pointer: fine)").matches;

export interface AddFilesProps {
  readonly share: SentShareState;
  onSending(isSending: boolean): void;
  /** Shows the files that were sent. */
  onSent(): Promise<void>;
  onClose(): void;
}

export function AddFiles({ share: { sent, remember }, onSending, onSent, onClose }: AddFilesProps) {
  const [isOver, setOver] = useState(false);
  const finish = ({ files, totalBytes }: Upload): void => {
    void remember({ fileCount: sent.fileCount + files.length, sizeBytes: sent.sizeBytes + totalBytes });
    onSending(false);
    onClose();
    void onSent().then(() => announce(texts.added(files.length)));
  };
  const added = useAddedFiles(sent, finish);
  const { upload } = added;
  useTabTitle(upload ? { upload } : undefined);
  useLeaveQuestion(upload !== undefined);

  const add = (files: readonly Chosen[]): void => {
    if (files.length === 0) return;
    onSending(true);
    added.add(addChosen([], files));
  };

  useEffect(() => {
    const listening = new AbortController();
    const { signal } = listening;
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const onDrag = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onDrop = (event: DragEvent) => {
      setOver(false);
      if (!event.dataTransfer || !hasFiles(event)) return;
      event.preventDefault();
      void readDropped(event.dataTransfer, () => undefined).then(({ files }) => add(files));
    };
    addEventListener("dragover", onDrag, { signal });
    addEventListener("dragleave", (event) => event.relatedTarget === null && setOver(false), { signal });
    addEventListener("drop", onDrop, { signal });
    return () => listening.abort();
  }, []);

  const cancel = (): void => {
    added.cancel();
    onSending(false);
    void onSent();
  };

  if (upload) {
    return (
      <div class="sender-panel send-progress" id="sender-add">
        <Progress
          sending={{ ...added, cancel: async () => cancel(), share: undefined, isDone: false, isStored: true }}
          files={[]}
          onCancel={cancel}
        />
        <SentFiles files={upload.files} />
      </div>
    );
  }
  const receive = (input: HTMLInputElement): void => add([...(input.files ?? [])].map(toChosen));
  return (
    <div class={`sender-panel send-drop${isOver ? " over" : ""}`} id="sender-add">
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
    </div>
  );
}
