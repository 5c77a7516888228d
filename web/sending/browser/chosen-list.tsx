/** @jsxImportSource preact */
/** The chosen files, each with a button that removes it. Shows the first ones of many. */
import { useRef, useState } from "preact/hooks";
import { send as texts } from "#texts/sending";
import { keepFocus } from "../../site/browser/components/focus.ts";
import { size } from "../../site/browser/components/format.ts";
import { FileName, FileTile } from "../../site/file-name.tsx";
import { CrossIcon } from "../../site/icons.tsx";
import type { ChosenFile } from "./chosen-files.ts";

const FIRST_ROWS = 50;
const MORE_ROWS = 500;

export interface ChosenListProps {
  readonly chosen: readonly ChosenFile[];
  onChange(chosen: readonly ChosenFile[]): void;
}

export function ChosenList({ chosen, onChange }: ChosenListProps) {
  const [rows, setRows] = useState(FIRST_ROWS);
  const list = useRef<HTMLUListElement>(null);
  if (chosen.length === 0) return null;
  const hidden = chosen.length - rows;

  const remove = (index: number): void => {
    onChange(chosen.filter((_, other) => other !== index));
    // The focus stays in the list, or returns to the field.
    const next = list.current?.querySelectorAll("button")[index + 1] ?? list.current?.querySelectorAll("button")[index - 1];
    (next ?? document.getElementById("file"))?.focus();
  };
  const removeAll = (): void => {
    onChange([]);
    keepFocus("#file");
  };
  const showMore = (): void => {
    setRows(rows + MORE_ROWS);
    keepFocus(`#chosen li:nth-child(${rows + 1}) button`);
  };

  return (
    <div class="send-list">
      <ul class="files" id="chosen" aria-label={texts.chosenLabel} ref={list}>
        {chosen.slice(0, rows).map(({ path, file }, index) => (
          <li key={path}>
            <FileTile name={file.name} />
            <div class="what">
              <p class="name">
                <FileName name={path} />
              </p>
              <p class="quiet">{size(file.size)}</p>
            </div>
            <button class="button small" type="button" onClick={() => remove(index)}>
              <CrossIcon />
              <span class="unseen">
                {texts.remove} {path}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {chosen.length > 1 ? (
        <p class="send-list-end">
          {hidden > 0 ? (
            <button class="button small" type="button" onClick={showMore}>
              {texts.showMore(Math.min(hidden, MORE_ROWS))}
            </button>
          ) : null}
          <button class="send-quiet" type="button" onClick={removeAll}>
            {texts.removeAll}
          </button>
        </p>
      ) : null}
    </div>
  );
}
