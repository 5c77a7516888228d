/** @jsxImportSource preact */
/** The field for the files of an unfinished upload. After a reload, only a person can give them to the page again. */
import { sending as texts } from "#texts/sending";

interface ContinueFieldProps {
  readonly isFolder: boolean;
  readonly isMany: boolean;
  onChoose(files: readonly File[]): void;
}

export function ContinueField({ isFolder, isMany, onChoose }: ContinueFieldProps) {
  return (
    <label class="button small">
      {isFolder ? texts.continueFolder : isMany ? texts.continueMany : texts.continueOne}
      <input
        class="send-field"
        type="file"
        multiple={isMany}
        {...(isFolder ? { webkitdirectory: true } : {})}
        onChange={({ currentTarget }) => onChoose([...(currentTarget.files ?? [])])}
      />
    </label>
  );
}
