/** @jsxImportSource preact */
/** The files from which a file was made, and the files that were made from it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { files as texts } from "#texts/files";
import { announce } from "../../site/browser/components/announce.ts";
import { SaveOutcome } from "../../site/browser/components/use-saves.tsx";
import { fullName } from "../../site/format.ts";
import { CrossIcon } from "../../site/icons.tsx";
import type { FileDetails, RelatedFile } from "../file-details.ts";
import { detailsPath } from "../file-views.ts";
import { loadPage } from "./calls.ts";
import { saveSources } from "./details.ts";

const SEARCH_PAUSE_MS = 250;
const MOST_FOUND = 6;

export interface SourcesProps {
  readonly file: FileDetails;
  onShow(fileId: string): void;
  /** Loads the file again. */
  onChanged(): Promise<void>;
}

export function Sources({ file, onShow, onChanged }: SourcesProps) {
  const [note, setNote] = useState<{ readonly text: string; readonly isProblem?: boolean }>();
  const { madeFrom, usedIn } = file;
  const save = async (sources: readonly RelatedFile[]): Promise<void> => {
    setNote({ text: texts.saving });
    try {
      await saveSources(file.id, sources);
      await onChanged();
      setNote({ text: texts.saved });
      announce(texts.saved);
    } catch (error) {
      setNote({ text: error instanceof Error ? error.message : String(error), isProblem: true });
    }
  };
  const others = new Set([file.id, ...madeFrom.map(({ id }) => id)]);
  return (
    <section class="files-section">
      <h3>{texts.madeFrom}</h3>
      <SaveOutcome class="files-outcome" note={note} />
      <p class="quiet">{texts.madeFromText}</p>
      {madeFrom.length === 0 ? <p>{texts.noSources}</p> : null}
      <RelatedList
        files={madeFrom}
        onShow={onShow}
        onRemove={file.immutable ? undefined : (id) => void save(madeFrom.filter((source) => source.id !== id))}
      />
      {file.immutable ? null : <SourceSearch except={others} onAdd={(source) => void save([...madeFrom, source])} />}
      {usedIn.length === 0 ? null : (
        <>
          <h3>{texts.usedIn}</h3>
          <p class="quiet">{texts.usedInText}</p>
          <RelatedList files={usedIn} onShow={onShow} />
        </>
      )}
    </section>
  );
}

interface RelatedListProps {
  readonly files: readonly RelatedFile[];
  onShow(fileId: string): void;
  readonly onRemove?: ((fileId: string) => void) | undefined;
}

function RelatedList({ files, onShow, onRemove }: RelatedListProps) {
  if (files.length === 0) return null;
  return (
    <ul class="files-related">
      {files.map(({ id, name }) => (
        <li key={id}>
          <a
            href={detailsPath(id)}
            onClick={(event) => {
              event.preventDefault();
              onShow(id);
            }}
          >
            <bdi>{fullName(name)}</bdi>
          </a>
          {onRemove ? (
            <button
              class="files-tool"
              type="button"
              aria-label={texts.removeSource(fullName(name))}
              title={texts.removeSource(fullName(name))}
              onClick={() => onRemove(id)}
            >
              <CrossIcon />
            </button>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

interface SourceSearchProps {
  readonly except: ReadonlySet<string>;
  onAdd(file: RelatedFile): void;
}

/** Renders a search for a file of the account by a part of its name. */
function SourceSearch({ except, onAdd }: SourceSearchProps) {
  const [found, setFound] = useState<readonly RelatedFile[]>();
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const search = async (): Promise<void> => {
    const text = field.current?.value.trim() ?? "";
    if (text === "") return setFound(undefined);
    const page = await loadPage({ folderId: null, search: text, sort: "name", order: "asc" }, 1, false).catch(() => undefined);
    if (field.current?.value.trim() === text) setFound(page?.files.filter(({ id }) => !except.has(id)).slice(0, MOST_FOUND) ?? []);
  };
  const add = (file: RelatedFile): void => {
    if (field.current) field.current.value = "";
    setFound(undefined);
    onAdd(file);
  };
  return (
    <div class="files-setting">
      <label for="source-search">{texts.addSource}</label>
      <input
        ref={field}
        id="source-search"
        type="text"
        autoComplete="off"
        spellcheck={false}
        maxLength={200}
        placeholder={texts.searchSource}
        onInput={() => {
          clearTimeout(timer.current);
          timer.current = setTimeout(() => void search(), SEARCH_PAUSE_MS);
        }}
      />
      {found === undefined ? null : found.length === 0 ? (
        <p class="quiet" role="status">
          {texts.noSourceFound}
        </p>
      ) : (
        <ul class="files-folders">
          {found.map((file) => (
            <li key={file.id}>
              <button type="button" onClick={() => add(file)}>
                <bdi>{fullName(file.name)}</bdi>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
