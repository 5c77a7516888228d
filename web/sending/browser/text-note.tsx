/** @jsxImportSource preact */
/** A text that is typed or pasted, and sent as a file. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { send as texts } from "#texts/sending";
import { CrossIcon } from "../../site/icons.tsx";

export interface TextNoteProps {
  readonly text: string;
  onChange(text: string): void;
  onRemove(): void;
}

export function TextNote({ text, onChange, onRemove }: TextNoteProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => area.current?.focus(), []);
  return (
    <div class="send-text">
      <div class="send-text-row">
        <label for="note">{texts.textLabel}</label>
        <button class="button small" type="button" onClick={onRemove}>
          <CrossIcon />
          <span class="unseen">{texts.textRemove}</span>
        </button>
      </div>
      <textarea
        ref={area}
        id="note"
        name="note"
        rows={6}
        dir="auto"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <div class="send-text-row">
        <label class="quiet" for="note-name">
          {texts.textName}
        </label>
        <input id="note-name" name="noteName" type="text" maxLength={120} placeholder={texts.textDefaultName} autoComplete="off" />
      </div>
    </div>
  );
}

/** Makes a file of the text. Its type follows from its name. */
export const toTextFile = (text: string, name: string | undefined): File =>
  new File([text], name?.trim().replaceAll("/", "-") || texts.textDefaultName, { type: "text/plain" });
