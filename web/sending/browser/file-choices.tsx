/** @jsxImportSource preact */
/** The ways of choosing files: dropping, and fields for files, a folder, photos and the camera. */
import type { ComponentChildren, TargetedEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { send as texts } from "#texts/sending";
import type { ChosenFile } from "./chosen-files.ts";
import { canDrop } from "./dropped-files.ts";

const hasTouch = matchMedia("(any-pointer: coarse)").matches;
/** The largest number of files that are set in the field. Setting more takes too long. */
const MAX_SHOWN_IN_FIELD = 500;

export interface FileChoicesProps {
  readonly chosen: readonly ChosenFile[];
  /** Whether files were already chosen, or text was written. */
  readonly isCompact: boolean;
  onFiles(files: readonly File[]): void;
  onText(): void;
  readonly children: ComponentChildren;
}

export function FileChoices({ chosen, isCompact, onFiles, onText, children }: FileChoicesProps) {
  const field = useRef<HTMLInputElement>(null);
  // Where nothing can be dropped, the system offers photos and the camera for the field of files too.
  const hasPhotos = hasTouch && (canDrop || !isCompact);

  // The field contains the files, so that screen readers announce their names or number.
  useLayoutEffect(() => {
    if (!field.current || chosen.length > MAX_SHOWN_IN_FIELD) return;
    const files = new DataTransfer();
    for (const { file } of chosen) files.items.add(file);
    field.current.files = files.files;
  }, [chosen]);

  const receive = ({ currentTarget }: TargetedEvent<HTMLInputElement>): void => {
    const files = [...(currentTarget.files ?? [])];
    if (currentTarget !== field.current) currentTarget.value = "";
    onFiles(files);
  };

  return (
    <div class="send-drop" id="drop">
      {children}
      {isCompact ? null : <p class="send-drop-text">{canDrop ? texts.drop : texts.start}</p>}
      <div class="send-choices">
        <label class={`button small${isCompact ? "" : " first"}`}>
          <span aria-hidden="true">{isCompact ? texts.addMore : texts.chooseFiles}</span>
          <input
            ref={field}
            id="file"
            class="send-field"
            type="file"
            multiple
            aria-label={isCompact ? texts.moreLabel : texts.formLabel}
            aria-describedby="limits"
            onChange={receive}
          />
        </label>
        {hasPhotos ? (
          <>
            <label class="button small">
              {texts.choosePhotos}
              <input id="photos" class="send-field" type="file" multiple accept="image/*,video/*" onChange={receive} />
            </label>
            <label class="button small">
              {texts.takePhoto}
              <input id="camera" class="send-field" type="file" accept="image/*" capture="environment" onChange={receive} />
            </label>
          </>
        ) : null}
        {canDrop ? (
          <label class="button small">
            {texts.chooseFolder}
            <input id="folder" class="send-field" type="file" multiple {...{ webkitdirectory: true }} onChange={receive} />
          </label>
        ) : null}
        <button class="button small" type="button" aria-label={texts.writeText} onClick={onText}>
          {hasTouch ? texts.textLabel : texts.writeText}
        </button>
      </div>
    </div>
  );
}
