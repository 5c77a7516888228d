/** @jsxImportSource preact */
/** The row of a folder: its name, what it contains, and on demand its files. */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { send as texts } from "#texts/sending";
import { keepFocus } from "../../site/browser/components/focus.ts";
import { FileName, FolderTile } from "../../site/file-name.tsx";

const FIRST_FILES = 50;
const MORE_FILES = 500;

export interface FolderRowProps<File> {
  readonly name: string;
  readonly files: readonly File[];
  /** The line below the name. */
  readonly facts: ComponentChildren;
  /** The button or mark at the end. */
  readonly end: ComponentChildren;
  renderFile(file: File, index: number): ComponentChildren;
}

export function FolderRow<File>({ name, files, facts, end, renderFile }: FolderRowProps<File>) {
  const id = useId();
  const [count, setCount] = useState(0);
  const isOpen = count > 0;
  const hidden = files.length - count;
  const showMore = (): void => {
    setCount(count + MORE_FILES);
    keepFocus(`#${CSS.escape(id)} > li:nth-child(${count + 1}) button`);
  };
  return (
    <li class="folder-row">
      <FolderTile />
      <div class="what">
        <button
          class="folder-name"
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setCount(isOpen ? 0 : FIRST_FILES)}
        >
          <span class="name">
            <FileName name={name} />
          </span>
        </button>
        <p class="quiet">{facts}</p>
      </div>
      {end}
      <div class="folder-files" id={`${id}-files`} hidden={!isOpen}>
        <ul class="files" id={id}>
          {files.slice(0, count).map(renderFile)}
        </ul>
        {isOpen && hidden > 0 ? (
          <button class="button small" type="button" onClick={showMore}>
            {texts.showMore(Math.min(hidden, MORE_FILES))}
          </button>
        ) : null}
      </div>
    </li>
  );
}
