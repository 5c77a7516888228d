/** @jsxImportSource preact */
/** The chosen files and folders, each with a button that removes it. Shows the first ones of many, so that the options stay near. */
import { useRef, useState } from "preact/hooks";
import { send as texts } from "#texts/sending";
import { keepFocus } from "../../site/browser/components/focus.ts";
import { size } from "../../site/browser/components/format.ts";
import { FileName } from "../../site/file-name.tsx";
import { CrossIcon } from "../../site/icons.tsx";
import { type ChosenFile, sumBytes, toSentFile } from "./chosen-files.ts";
import { ChosenTile } from "./chosen-tile.tsx";
import { FolderRow } from "./folder-row.tsx";
import { pathInFolder, toRows } from "./folder-rows.ts";

const FIRST_ROWS = 6;
/** The number of rows that are shown without a button for more. */
const MAX_FEW_ROWS = 9;
const MORE_ROWS = 500;

export interface ChosenListProps {
  readonly chosen: readonly ChosenFile[];
  onChange(chosen: readonly ChosenFile[]): void;
}

export function ChosenList({ chosen, onChange }: ChosenListProps) {
  const [count, setCount] = useState(FIRST_ROWS);
  const list = useRef<HTMLUListElement>(null);
  if (chosen.length === 0) return null;
  const rows = toRows(chosen);
  const shown = rows.length <= MAX_FEW_ROWS ? rows : rows.slice(0, count);
  const hidden = rows.length - shown.length;

  const remove = (removed: readonly ChosenFile[], button: HTMLButtonElement): void => {
    const paths = new Set(removed.map(({ path }) => path));
    onChange(chosen.filter(({ path }) => !paths.has(path)));
    // The focus stays in the list, or returns to the field.
    const buttons = [...(list.current?.querySelectorAll<HTMLButtonElement>("[data-remove]") ?? [])];
    const index = buttons.indexOf(button);
    (buttons[index + 1] ?? buttons[index - 1] ?? document.getElementById("file"))?.focus();
  };
  const showMore = (): void => {
    setCount(count + MORE_ROWS);
    keepFocus(`#chosen > li:nth-child(${count + 1}) button`);
  };
  const renderFile = (one: ChosenFile, name: string) => (
    <li key={one.path}>
      <ChosenTile file={one.file} />
      <div class="what">
        <p class="name">
          <FileName name={name} />
        </p>
        <p class="quiet">{size(one.file.size)}</p>
      </div>
      <RemoveButton path={one.path} onRemove={(button) => remove([one], button)} />
    </li>
  );

  return (
    <div class="send-list">
      <ul class="files" id="chosen" aria-label={texts.chosenLabel} ref={list}>
        {shown.map((row) =>
          row.kind === "file" ? (
            renderFile(row.file, row.path)
          ) : (
            <FolderRow
              key={`${row.path}/`}
              name={row.path}
              files={row.files}
              facts={`${texts.files(row.files.length)}, ${size(sumBytes(row.files.map(toSentFile)))}`}
              end={<RemoveButton path={row.path} onRemove={(button) => remove(row.files, button)} />}
              renderFile={(file) => renderFile(file, pathInFolder(file))}
            />
          ),
        )}
      </ul>
      {hidden > 0 ? (
        <p class="send-list-end">
          <button class="button small" type="button" onClick={showMore}>
            {texts.showMore(Math.min(hidden, MORE_ROWS))}
          </button>
        </p>
      ) : null}
    </div>
  );
}

function RemoveButton({ path, onRemove }: { readonly path: string; onRemove(button: HTMLButtonElement): void }) {
  return (
    <button class="button small" type="button" data-remove onClick={({ currentTarget }) => onRemove(currentTarget)}>
      <CrossIcon />
      <span class="unseen">
        {texts.remove} {path}
      </span>
    </button>
  );
}
